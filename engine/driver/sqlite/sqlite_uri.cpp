// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/sqlite/sqlite_driver.h"

namespace dyno {

UriForm sqliteUriForm()
{
    UriForm form;
    form.driver = "sqlite";
    form.shape = UriShape::Path;
    form.kind = TargetKind::Embedded;
    form.schemes = {{"sqlite", "SQLite", "sqlite:PATH"}};
    form.privateFile = true;
    form.commonNames = {"sqlite"};
    return form;
}

} // namespace dyno

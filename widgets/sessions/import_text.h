// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sessions that are copied from a `.dyno` file or another library, and the words that say what became of them.
#pragma once

#include <dyno/library.h>

#include <QString>

#include <string>
#include <vector>

namespace dyno {

//! What Library::importFile() did.
struct ImportedSessions
{
    std::vector<std::string> ids;
    std::vector<std::string> left; //!< of these, those that the library had already, and which were left as they are
    Library::DamagedParts damaged; //!< what of them came damaged
};

[[nodiscard]] Expected<ImportedSessions> importInto(Library& library, const std::string& file);
//! That sessions were left as they are; "" when none was.
[[nodiscard]] QString leftText(const ImportedSessions& sessions);
//! What came damaged; "" when everything is whole.
[[nodiscard]] QString damageText(const ImportedSessions& sessions);

} // namespace dyno

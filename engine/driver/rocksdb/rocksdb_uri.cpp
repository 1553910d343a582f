// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"
#include "driver/rocksdb/rocksdb_driver.h"

namespace dyno {

UriForm rocksdbUriForm()
{
    UriForm form;
    form.driver = "rocksdb";
    form.shape = UriShape::Path;
    form.kind = TargetKind::Embedded;
    form.built = DYNO_HAVE_ROCKSDB == 1;
    form.missing = "this build has no driver for RocksDB";
    form.howToBuild = "install RocksDB 7 or newer with its headers (librocksdb-dev) and build again";
    form.schemes = {{"rocksdb", "RocksDB", "rocksdb:PATH"}};
    form.privateFile = true;
    form.folder = true;
    form.commonNames = {"rocksdb"};
    return form;
}

} // namespace dyno

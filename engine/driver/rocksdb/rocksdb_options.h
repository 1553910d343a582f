// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Knobs of RocksDB, and the library's options that they make. Every option of the library that is a knob is set, so
//! that two versions with other defaults are compared with the same settings.
#pragma once

#include "driver/driver.h"

#include <rocksdb/options.h>
#include <string>
#include <unordered_map>

namespace dyno {

//! Knobs of the scope "connection".
[[nodiscard]] OptionSpecs rocksdbOptions();

//! What Begin … Commit is.
enum class RocksdbTransactions {
    None,        //!< one batch, written at Commit; reads do not see it before
    Optimistic,  //!< conflicts are found at Commit
    Pessimistic, //!< keys are locked as they are written
};
[[nodiscard]] RocksdbTransactions transactionsOf(const Settings& connection);

//! Options to open a database with, its statistics included. An error has the library's words for what it refuses.
[[nodiscard]] Expected<rocksdb::Options> openOptionsOf(const Settings& connection, const Settings& extra);
//! What openOptionsOf() and the kind of transactions depend on, as one text: a database that is open with the same text
//! need not be opened again.
[[nodiscard]] std::string openKeyOf(const Settings& connection, const Settings& extra);

//! Knobs that give data on disk their form, with their values.
[[nodiscard]] Settings formOf(const Settings& connection);

using RocksdbValues = std::unordered_map<std::string, std::string>;
//! The library's options in force, by their names; those of the table format too.
[[nodiscard]] RocksdbValues valuesOf(const rocksdb::Options& options);

} // namespace dyno

// SPDX-License-Identifier: GPL-3.0-or-later
// What a file in the data folder of mongod or FerretDB is. They do not tell their collection, so all of a database are
// one part.
#include "driver/mongodb/server/mongo_server.h"

namespace dyno {

//! A file of FerretDB with SQLite: one database is one file, with its write-ahead log.
DataFile ferretdbFile(const std::string& file, const std::string& ours)
{
    if (file.ends_with("-wal"))
        return {"redo log", {}};
    if (file.ends_with("-shm"))
        return {"temporary", {}};
    if (!file.ends_with(".sqlite"))
        return {"other", {}};
    const std::string database = file.substr(0, file.find('.'));
    return {"table", database == ours ? "(collections)" : database + ".(collections)"};
}

//! A file of WiredTiger; with directoryPerDB it lies in a folder of its database, with directoryForIndexes a step
//! below.
DataFile mongodbFile(const std::filesystem::path& below, const std::string& ours)
{
    const std::string file = below.filename().string();
    const std::string folder = below.has_parent_path() ? below.begin()->string() : std::string();
    if (folder == "journal")
        return {"redo log", {}};
    if (folder == "_tmp")
        return {"temporary", {}};
    if (folder == "diagnostic.data" || !file.ends_with(".wt"))
        return {file.starts_with("WiredTiger") ? "system" : "other", {}};
    const bool parts = folder == "collection" || folder == "index"; // directoryForIndexes alone
    const bool index = file.starts_with("index-") || below.string().find("index/") != std::string::npos;
    const bool collection = file.starts_with("collection-") || below.string().find("collection/") != std::string::npos;
    if (!index && !collection)
        return {"system", {}};
    if (folder == "admin" || folder == "config" || folder == "local")
        return {"system", {}};
    const std::string prefix = folder.empty() || parts || folder == ours ? "" : folder + ".";
    return {"table", prefix + (index ? "(indexes)" : "(collections)")};
}

} // namespace dyno

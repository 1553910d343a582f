// SPDX-License-Identifier: GPL-3.0-or-later
// What a file in the data folder of MariaDB or MySQL is.
#include "driver/mysql/server/mysql_server.h"

#include <string_view>

namespace dyno {

namespace {

bool isNumber(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

//! "sbtest1.ibd", "sbtest1#P#p0.ibd", "FTS_…": the table that a file belongs to.
std::string tableOf(const std::string& database, const std::string& file, const std::string& ours)
{
    std::string name = file.substr(0, file.find('.'));
    for (const char* partition : {"#P#", "#p#"})
        name = name.substr(0, name.find(partition));
    if (name.starts_with("FTS_") || name.starts_with("fts_"))
        name = "(full-text indexes)";
    return database == ours ? name : database + "." + name;
}

//! A file at the top of the data folder.
std::string kindAtTop(const std::string& name)
{
    const auto begins = [&](const char* with) { return name.starts_with(with); };
    const std::size_t dot = name.rfind('.');
    const std::string suffix = dot == std::string::npos ? std::string() : name.substr(dot + 1);
    if (begins("ib_logfile") || begins("aria_log"))
        return "redo log";
    if (begins("ibtmp") || begins("#sql"))
        return "temporary";
    if (begins("undo") && suffix != "log")
        return "undo log";
    if (begins("ibdata") || name == "mysql.ibd")
        return "system";
    if (suffix == "dblwr")
        return "doublewrite";
    constexpr std::size_t kDigits = 6;
    if (suffix == "index" || (isNumber(suffix) && suffix.size() >= kDigits) || suffix == "idx")
        return "binlog";
    return "other";
}

//! A file in a folder of the data folder.
DataFile partIn(const std::string& folder, const std::string& file, const std::string& ours)
{
    if (folder == "#innodb_redo")
        return {"redo log", {}};
    if (folder == "#innodb_temp")
        return {"temporary", {}};
    if (folder == "#rocksdb") // one store for all its tables
        return {file.ends_with(".log")   ? "redo log"
                : file.ends_with(".sst") ? "table"
                                         : "other",
                file.ends_with(".sst") ? "(MyRocks tables)" : ""};
    if (folder == "mysql" || folder == "sys" || folder == "performance_schema" || folder == "information_schema")
        return {"system", {}};
    if (folder.starts_with('#'))
        return {"other", {}};
    if (file.starts_with("#sql"))
        return {"temporary", {}};
    if (file == "db.opt" || file.ends_with(".frm") || file.ends_with(".par") ||
        file.starts_with("dynobench_meta.")) // what was loaded, see Admin::dataNotes()
        return {"other", {}};
    return {"table", tableOf(folder, file, ours)};
}

} // namespace

DataFile mysqlFile(const std::filesystem::path& below, const std::string& ours)
{
    if (!below.has_parent_path())
        return {kindAtTop(below.string()), {}};
    return partIn(below.begin()->string(), below.filename().string(), ours);
}

} // namespace dyno

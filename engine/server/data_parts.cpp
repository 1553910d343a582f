// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/data_parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <sys/stat.h>
#include <tuple>
#include <utility>

namespace dyno {

namespace {

namespace fs = std::filesystem;

using Part = std::pair<std::string, std::string>; //!< kind, table

constexpr std::array<const char*, 8> kPartKinds = {"table",  "redo log",  "undo log",    "binlog",
                                               "system", "temporary", "doublewrite", "other"};

std::uint64_t allocatedOf(const fs::path& file)
{
    struct stat info = {};
    constexpr std::uint64_t kBlock = 512; // st_blocks counts these, whatever the file system's own are
    return ::lstat(file.c_str(), &info) == 0 ? std::uint64_t(info.st_blocks) * kBlock : 0;
}

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
Part partIn(const std::string& folder, const std::string& file, const std::string& ours)
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
    if (file == "db.opt" || file.ends_with(".frm") || file.ends_with(".par") || file.starts_with("dynobench_meta.")) // what was loaded, see Admin::dataNotes()
        return {"other", {}};
    return {"table", tableOf(folder, file, ours)};
}

//! A file of FerretDB with SQLite: one database is one file, with its write-ahead log.
Part ferretdbPart(const std::string& file, const std::string& ours)
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
Part mongodbPart(const fs::path& below, const std::string& ours)
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

Part partOf(std::string_view product, const fs::path& below, const std::string& ours)
{
    if (product == "mongodb")
        return mongodbPart(below, ours);
    if (product == "ferretdb")
        return ferretdbPart(below.filename().string(), ours);
    if (!below.has_parent_path())
        return {kindAtTop(below.string()), {}};
    return partIn(below.begin()->string(), below.filename().string(), ours);
}

template<class Visit>
void eachFile(const fs::path& folder, Visit visit)
{
    std::error_code error;
    std::error_code ignored;
    for (auto it = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
         !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
        if (it->is_regular_file(ignored))
            visit(it->path());
    }
}

} // namespace

std::vector<DataPart> dataPartsOf(std::string_view product, const fs::path& data, const fs::path& temporary,
                                  const std::string& database)
{
    std::map<Part, std::uint64_t> sums;
    eachFile(data, [&](const fs::path& file) {
        const fs::path below = file.lexically_relative(data);
        sums[partOf(product, below, database)] += allocatedOf(file);
    });
    if (!temporary.empty())
        eachFile(temporary, [&](const fs::path& file) { sums[{"temporary", {}}] += allocatedOf(file); });
    std::vector<DataPart> parts;
    for (const auto& [part, bytes] : sums) {
        if (bytes > 0)
            parts.push_back({part.first, part.second, bytes});
    }
    const auto rank = [](const DataPart& part) {
        return std::find(kPartKinds.begin(), kPartKinds.end(), part.kind) - kPartKinds.begin();
    };
    std::stable_sort(parts.begin(), parts.end(),
                     [&](const DataPart& a, const DataPart& b) { return rank(a) < rank(b); });
    return parts;
}

std::uint64_t allocatedBytes(const fs::path& folder)
{
    std::uint64_t sum = 0;
    eachFile(folder, [&](const fs::path& file) { sum += allocatedOf(file); });
    return sum;
}

} // namespace dyno

// SPDX-License-Identifier: GPL-3.0-or-later
// What a file in the data folder of MariaDB or MySQL is.
#include "driver/mysql/server/mysql_server.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

namespace dyno {

namespace {

bool isNumber(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

//! A vector index is a hidden table of its own: "sbtest1#i#01.ibd" (MariaDB, HLINDEX_TEMPLATE in sql/handler.h).
constexpr const char* kOfIndex = "#i#";

//! "sbtest1.ibd", "sbtest1#P#p0.ibd", "sbtest1#i#01.ibd", "FTS_…": the table that a file belongs to.
std::string tableOf(const std::string& database, const std::string& file, const std::string& ours)
{
    std::string name = file.substr(0, file.find('.'));
    for (const char* part : {"#P#", "#p#", kOfIndex})
        name = name.substr(0, name.find(part));
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
    return {file.find(kOfIndex) == std::string::npos ? "table" : "index", tableOf(folder, file, ours)};
}

// What InnoDB's pages begin with, the same in both products (fil0fil.h, fsp0types.h).
constexpr std::size_t kTypeAt = 24, kFlagsAt = 54; //!< the flags are of the first page
constexpr std::uint64_t kSectors = 512, kDefaultPage = 16384;

//! Size of a page in the file: that of a compressed one is its own.
std::uint64_t pageSizeOf(std::uint32_t flags)
{
    constexpr std::uint32_t kFullCrc = 0x10, kFour = 0xF;
    if ((flags & kFullCrc) != 0) // MariaDB's form since 10.5, which has no compressed row format
        return kSectors << (flags & kFour);
    if (const std::uint32_t compressed = flags >> 1 & kFour; compressed != 0)
        return kSectors << compressed;
    const std::uint32_t plain = flags >> 6 & kFour;
    return plain == 0 ? kDefaultPage : kSectors << plain;
}

//! Of values that lie outside the rows: BLOB, ZBLOB, ZBLOB2, and since 8.0 eight kinds of LOB pages.
bool isOffPage(unsigned type)
{
    return (type >= 10 && type <= 12) || (type >= 22 && type <= 29);
}

//! Pages that are compressed or encrypted as such do not tell what they hold: in MySQL 14 to 17, in MariaDB 34354 and
//! 37401, or the highest bit. Those that MariaDB encrypts without compressing them keep their type.
bool hidesType(unsigned type)
{
    return (type >= 14 && type <= 17) || (type & 0x8000U) != 0;
}

} // namespace

std::optional<std::uint64_t> mysqlOffPageBytes(const std::filesystem::path& file)
{
    if (file.extension() != ".ibd")
        return {};
    std::ifstream in(file, std::ios::binary);
    std::array<char, 4> bytes{};
    const auto read = [&in, &bytes](std::uint64_t at, std::size_t count) -> std::optional<std::uint32_t> {
        if (!in.seekg(std::streamoff(at)) || !in.read(bytes.data(), std::streamsize(count)))
            return {};
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < count; ++i)
            number = number << 8 | std::uint8_t(bytes[i]);
        return number;
    };
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(file, error);
    const auto flags = read(kFlagsAt, 4);
    if (error || !flags)
        return {};
    const std::uint64_t page = pageSizeOf(*flags), pages = size / page;
    constexpr std::uint64_t kMost = 4096;
    const std::uint64_t looked = std::min(pages, kMost);
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < looked; ++i) {
        const auto type = read(i * pages / looked * page + kTypeAt, 2);
        if (!type || hidesType(*type))
            return {};
        found += isOffPage(*type) ? 1 : 0;
    }
    return looked == 0 ? 0 : found * pages / looked * page;
}

DataFile mysqlFile(const std::filesystem::path& below, const std::string& ours)
{
    if (!below.has_parent_path())
        return {kindAtTop(below.string()), {}};
    return partIn(below.begin()->string(), below.filename().string(), ours);
}

} // namespace dyno

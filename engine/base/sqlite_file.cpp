// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/sqlite_file.h"

#include <dyno/file_kind.h>

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <sqlite3.h>
#include <string_view>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead {"SQLite format 3\0", 16}; // sqlite.org/fileformat.html, section 1.3
constexpr std::size_t kApplicationIdEnd = 72;

//! Names of the tables of the database of that URI; nothing when they cannot be read.
std::optional<std::vector<std::string>> tablesIn(const std::string& uri)
{
    sqlite3* handle = nullptr;
    const int opened =
        sqlite3_open_v2(uri.c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)> closer(handle, sqlite3_close_v2);
    sqlite3_stmt* raw = nullptr;
    constexpr const char* kTables =
        "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    if (opened != SQLITE_OK || sqlite3_prepare_v2(handle, kTables, -1, &raw, nullptr) != SQLITE_OK)
        return {};
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(raw, sqlite3_finalize);
    std::vector<std::string> names;
    int step = SQLITE_ROW;
    while ((step = sqlite3_step(raw)) == SQLITE_ROW) {
        const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
        names.emplace_back(name ? name : "");
    }
    if (step != SQLITE_DONE)
        return {};
    return names;
}

} // namespace

std::optional<std::string> beginningOf(const fs::path& file, std::size_t size)
{
    std::error_code error;
    if (!fs::is_regular_file(file, error)) // opening a pipe would wait, and take what is in it
        return {};
    const fs::path place = fs::absolute(file, error); // names like ":memory:" are files too
    if (error)
        return {};
    sqlite3* handle = nullptr;
    const int opened = sqlite3_open_v2(place.c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)> closer(handle, sqlite3_close_v2);
    sqlite3_file* found = nullptr;
    if (opened != SQLITE_OK || sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &found) != SQLITE_OK || !found ||
        !found->pMethods)
        return {};
    sqlite3_int64 length = 0;
    if (found->pMethods->xFileSize(found, &length) != SQLITE_OK)
        return {};
    std::string bytes(std::min(size, static_cast<std::size_t>(std::max<sqlite3_int64>(length, 0))), '\0');
    if (!bytes.empty() && found->pMethods->xRead(found, bytes.data(), static_cast<int>(bytes.size()), 0) != SQLITE_OK)
        return {};
    return bytes;
}

bool isSqliteFile(const fs::path& file)
{
    const auto head = beginningOf(file, kHead.size());
    return head && *head == kHead;
}

bool isDynoFile(const fs::path& file)
{
    const auto head = beginningOf(file, kApplicationIdEnd);
    return head && head->size() == kApplicationIdEnd && head->starts_with(kHead) && head->ends_with("Dyno");
}

bool isWalFile(const fs::path& file)
{
    constexpr std::size_t kReadVersionEnd = 20;
    const auto head = beginningOf(file, kReadVersionEnd);
    return head && head->size() == kReadVersionEnd && head->starts_with(kHead) && head->back() == 2;
}

std::string sqliteUriPath(const fs::path& path)
{
    std::string text;
    for (const char c : path.string()) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte >= 0x7f || c == '%' || c == '?' || c == '#')
            text += fmt::format("%{:02X}", unsigned(byte));
        else
            text += c;
    }
    return text;
}

std::string unchangedSqliteUri(const fs::path& file)
{
    std::error_code ignored;
    const fs::path real = fs::weakly_canonical(file, ignored); // the log lies beside the file that a link leads to
    const std::string uri = "file:" + sqliteUriPath(real);
    if (!isWalFile(real))
        return uri;
    // Also for reading, SQLite makes a log and its index where they are missing, and leaves them.
    const bool inUse = fs::exists(real.string() + "-wal", ignored) && fs::exists(real.string() + "-shm", ignored);
    return uri + (inUse ? "?readonly_shm=1" : "?immutable=1");
}

std::optional<Error> refusalAsTarget(const fs::path& file)
{
    if (!isDynoFile(file))
        return {};
    return Error {ErrorKind::Refused, "this file holds sessions of Dynobench: tables of a benchmark would spoil it", file.string(),
                  "name another file, such as sqlite:data.db"};
}

FileLook lookAtFile(const fs::path& file)
{
    using State = FileLook::State;
    std::error_code error;
    const fs::path place = fs::absolute(file, error);
    const fs::file_status status = error ? fs::file_status() : fs::status(place, error);
    if (status.type() == fs::file_type::not_found)
        return {};
    if (fs::is_directory(status) || isDynoFile(place)) // no target at all, which others say
        return {State::Known, {}};
    const auto head = beginningOf(place, kHead.size());
    if (!head)
        return {State::Unknown, {}};
    if (head->empty()) {
        const bool begun = fs::exists(place.string() + "-journal", error) || fs::exists(place.string() + "-wal", error);
        return {begun ? State::Known : State::Empty, {}};
    }
    if (*head != kHead)
        return {State::Unknown, {}};
    auto tables = tablesIn(unchangedSqliteUri(place));
    if (!tables) // somebody writes there just now, or was killed while writing
        tables = tablesIn("file:" + sqliteUriPath(place) + "?immutable=1");
    if (!tables)
        return {State::Unknown, {}};
    const bool ours = std::any_of(tables->begin(), tables->end(),
                                  [](const std::string& name) { return name.starts_with("dynobench_"); });
    if (ours || tables->empty())
        return {State::Known, {}};
    return {State::Others, std::move(*tables)};
}

} // namespace dyno

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

constexpr std::string_view kHead{"SQLite format 3\0", 16}; // sqlite.org/fileformat.html, section 1.3
constexpr std::size_t kApplicationIdEnd = 72;

constexpr const char* kOurNames = "dynobench_"; //!< what Dynobench keeps there for itself

using Names = std::vector<std::string>;

//! What a database holds, by name.
struct Held
{
    Names tables;   //!< and views
    Names virtuals; //!< virtual tables
    Names noted;    //!< by Dynobench: loaded, or being loaded
};

//! The texts of a query's first column; nothing when it cannot be read.
std::optional<Names> textsOf(sqlite3* handle, const char* sql)
{
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle, sql, -1, &raw, nullptr) != SQLITE_OK)
        return {};
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(raw, sqlite3_finalize);
    Names texts;
    int step = SQLITE_ROW;
    while ((step = sqlite3_step(raw)) == SQLITE_ROW) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
        texts.emplace_back(text ? text : "");
    }
    if (step != SQLITE_DONE)
        return {};
    return texts;
}

//! What the database of that URI holds; nothing when it cannot be read.
std::optional<Held> heldIn(const std::string& uri)
{
    sqlite3* handle = nullptr;
    const int opened =
        sqlite3_open_v2(uri.c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)> closer(handle, sqlite3_close_v2);
    if (opened != SQLITE_OK)
        return {};
    auto tables = textsOf(handle, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE "
                                  "'sqlite\\_%' ESCAPE '\\' AND coalesce(sql, '') NOT LIKE 'CREATE VIRTUAL TABLE%'");
    auto virtuals = textsOf(handle, "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE "
                                    "'CREATE VIRTUAL TABLE%'");
    if (!tables || !virtuals)
        return {};
    Held held{std::move(*tables), std::move(*virtuals), {}};
    for (const char* notes : {"dynobench_meta", "dynobench_loading"}) {
        const std::string name = fmt::format("'{}'", notes);
        const auto there = textsOf( // a table: a view could answer for ever
            handle, ("SELECT name FROM sqlite_master WHERE type = 'table' AND name = " + name).c_str());
        if (!there)
            return {};
        if (there->empty())
            continue;
        auto noted = textsOf(handle, fmt::format("SELECT name FROM {}", notes).c_str());
        if (!noted) // nobody's note
            continue;
        held.noted.insert(held.noted.end(), noted->begin(), noted->end());
    }
    return held;
}

//! Those that carry no note of Dynobench's. Its virtual tables are named after a noted one, and keep tables of their
//! own (sqlite.org/fts5.html, section 9).
Names othersOf(const Held& held)
{
    const auto isIn = [](const Names& names, const std::string& name) {
        return std::ranges::find(names, name) != names.end();
    };
    Names ours;
    Names others;
    for (const std::string& name : held.virtuals) {
        const bool mine = isIn(held.noted, name) || std::ranges::any_of(held.noted, [&name](const std::string& noted) {
                              return name.starts_with(noted + "_");
                          });
        if (!mine) {
            others.push_back(name);
            continue;
        }
        for (const char* part : {"_data", "_idx", "_content", "_docsize", "_config"})
            ours.push_back(name + part);
    }
    for (const std::string& name : held.tables) {
        if (!name.starts_with(kOurNames) && !isIn(held.noted, name) && !isIn(ours, name))
            others.push_back(name);
    }
    return others;
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
    if (opened != SQLITE_OK || sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &found) != SQLITE_OK ||
        !found || !found->pMethods)
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
    return Error{ErrorKind::Refused, "this file holds sessions of Dynobench: tables of a benchmark would spoil it",
                 file.string(), "name another file, such as sqlite:data.db"};
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
    auto held = heldIn(unchangedSqliteUri(place));
    if (!held) // somebody writes there just now, or was killed while writing
        held = heldIn("file:" + sqliteUriPath(place) + "?immutable=1");
    if (!held)
        return {State::Unknown, {}};
    Names others = othersOf(*held);
    return {others.empty() ? State::Known : State::Others, std::move(others)};
}

} // namespace dyno

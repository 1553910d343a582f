// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/sqlite_file.h"

#include <dyno/file_kind.h>

#include <algorithm>
#include <memory>
#include <sqlite3.h>
#include <string_view>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead {"SQLite format 3\0", 16}; // sqlite.org/fileformat.html, section 1.3
constexpr std::size_t kApplicationIdEnd = 72;

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

std::optional<Error> refusalAsTarget(const fs::path& file)
{
    if (!isDynoFile(file))
        return {};
    return Error {ErrorKind::Refused, "this file holds sessions of Dynobench: tables of a benchmark would spoil it", file.string(),
                  "name another file, such as sqlite:data.db"};
}

} // namespace dyno

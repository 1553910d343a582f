// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_bulk.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace dyno::mysql {

namespace {

//! What the server is told to ask for; no path, and never opened.
constexpr std::string_view kName = "dynobench";
constexpr unsigned kRefused = 2068;  // "file request rejected" in MySQL's client library
constexpr unsigned kRowsLost = 1261; // ER_WARN_TOO_FEW_RECORDS, where the server gives no number of its own

bool isAscii(std::string_view text)
{
    std::uint64_t bits = 0;
    std::size_t i = 0;
    for (; i + sizeof bits <= text.size(); i += sizeof bits) {
        std::uint64_t chunk = 0;
        std::memcpy(&chunk, text.data() + i, sizeof chunk);
        bits |= chunk;
    }
    for (; i < text.size(); ++i)
        bits |= static_cast<unsigned char>(text[i]);
    return (bits & 0x8080808080808080u) == 0;
}

//! "Records: 3  Deleted: 0  Skipped: 1  Warnings: 1": the number after `word`, 0 without one.
std::int64_t countIn(const char* info, std::string_view word)
{
    const std::string_view text = info ? info : "";
    const std::size_t at = text.find(word);
    std::int64_t count = 0;
    if (at != std::string_view::npos)
        std::from_chars(text.data() + at + word.size(), text.data() + text.size(), count);
    return count;
}

//! The first warning that is more than a note.
unsigned firstWarning(MYSQL* mysql, std::string& text)
{
    unsigned code = 0;
    if (mysql_query(mysql, "SHOW WARNINGS") != 0)
        return mysql_errno(mysql);
    MYSQL_RES* result = mysql_store_result(mysql);
    if (!result)
        return mysql_errno(mysql);
    while (MYSQL_ROW row = mysql_fetch_row(result)) {
        if (code != 0 || !row[0] || !row[1] || !row[2] || std::strcmp(row[0], "Note") == 0)
            continue;
        std::from_chars(row[1], row[1] + std::strlen(row[1]), code);
        text = row[2];
    }
    mysql_free_result(result);
    return code;
}

int refuseToOpen(void** handle, const char* /*name*/, void* /*self*/)
{
    *handle = nullptr;
    return 1;
}

int readNothing(void* /*handle*/, char* /*buffer*/, unsigned /*size*/)
{
    return -1;
}

void closeNothing(void* /*handle*/) {}

int complain(void* /*handle*/, char* text, unsigned size)
{
    constexpr std::string_view kRefusal = "the server asked for a file of this host, which it does not get";
    if (size > 0) {
        const std::size_t count = std::min<std::size_t>(kRefusal.size(), size - 1);
        std::memcpy(text, kRefusal.data(), count);
        text[count] = '\0';
    }
    return kRefused;
}

} // namespace

void refuseFiles(MYSQL* mysql)
{
    mysql_set_local_infile_handler(mysql, refuseToOpen, readNothing, closeNothing, complain, nullptr);
}

void BulkSource::install(MYSQL* mysql)
{
    mysql_set_local_infile_handler(mysql, open, read, closeNothing, complain, this);
}

Fetched BulkSource::send(MYSQL* mysql, std::string_view table, std::string_view rows, std::string& error)
{
    const std::size_t bracket = std::min(table.find('('), table.size());
    m_statement = "LOAD DATA LOCAL INFILE '";
    m_statement += kName;
    m_statement += "' INTO TABLE ";
    m_statement += table.substr(0, bracket);
    // Rows of plain ASCII mean the same in each character set of a column. As binary a MariaDB server takes them a
    // quarter faster; MySQL would refuse them for JSON columns.
    m_statement += isMariadb(mysql) && isAscii(rows) ? "CHARACTER SET binary " : "CHARACTER SET utf8mb4 ";
    // As numbers: what '\t' means depends on sql_mode.
    m_statement += "FIELDS TERMINATED BY 0x09 ESCAPED BY 0x5C LINES TERMINATED BY 0x0A ";
    m_statement += table.substr(bracket);
    m_rows = rows;
    m_wanted = true;
    Fetched fetched = sendText(mysql, m_statement);
    m_wanted = false;
    m_rows = {};
    if (fetched.code != 0)
        return fetched;
    const char* info = mysql_info(mysql);
    const std::int64_t skipped = countIn(info, "Skipped: ");
    if (mysql_warning_count(mysql) == 0 && skipped == 0)
        return fetched;
    fetched.code = firstWarning(mysql, error);
    if (fetched.code == 0 && skipped > 0) {
        fetched.code = kRowsLost;
        error = "the server left out rows and does not say why";
    }
    return fetched;
}

int BulkSource::open(void** handle, const char* name, void* self)
{
    auto* source = static_cast<BulkSource*>(self);
    *handle = source;
    if (!source->m_wanted || name != kName) {
        source->m_rows = {};
        return 1;
    }
    source->m_wanted = false;
    return 0;
}

int BulkSource::read(void* handle, char* buffer, unsigned size)
{
    std::string_view& rows = static_cast<BulkSource*>(handle)->m_rows;
    const std::size_t count = std::min<std::size_t>(rows.size(), size);
    if (count == 0)
        return 0;
    std::memcpy(buffer, rows.data(), count);
    rows.remove_prefix(count);
    return int(count);
}

} // namespace dyno::mysql

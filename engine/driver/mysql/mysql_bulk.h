// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Rows to the server as LOAD DATA LOCAL INFILE, from memory. The server decides when it asks a client for a "file" and
//! for which, so the library's own handler, which opens what the server names, is never in place: ours knows no files
//! and gives only the rows of the bulk request under way, once.
#pragma once

#include "mysql_statement.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace dyno::mysql {

//! On every handle: gives the server no file at all. A session puts its BulkSource in its place.
void refuseFiles(MYSQL* mysql);

//! The handler of one connection; outlives its handle and does not move. Same thread as the connection.
class BulkSource
{
public:
    BulkSource() = default;
    BulkSource(const BulkSource&) = delete;
    BulkSource& operator=(const BulkSource&) = delete;

    //! Before connecting, on every handle of a session, also on those that are never to load.
    void install(MYSQL* mysql);
    //! `table` names table and columns, "sbtest1 (id, k)"; `rows` are lines in LOAD DATA's default format. With LOCAL
    //! the server turns bad rows into warnings and goes on; here that is an error (affected: what it took), with the
    //! server's words in `error`. Empty `error` and a code: the connection has the text.
    [[nodiscard]] Fetched send(MYSQL* mysql, std::string_view table, std::string_view rows, std::string& error);

private:
    static int open(void** handle, const char* name, void* self);
    static int read(void* handle, char* buffer, unsigned size);

    std::string_view m_rows; //!< what is left to give
    bool m_wanted = false;   //!< a bulk request is under way and was not served yet
    std::string m_statement; //!< keeps its capacity
};

} // namespace dyno::mysql

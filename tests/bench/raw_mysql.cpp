// SPDX-License-Identifier: GPL-3.0-or-later
// The least that a client of Connector/C can do: one connection, one prepared point select, a loop. What Dynobench costs
// beyond it is Dynobench's own.
//   raw_mysql SOCKET EVENTS ROWS
#include <mysql.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

int main(int argc, char** argv)
{
    if (argc != 4)
        return std::fprintf(stderr, "raw_mysql SOCKET EVENTS ROWS\n"), 2;
    const long events = std::atol(argv[2]);
    const long rows = std::atol(argv[3]);
    MYSQL* mysql = mysql_init(nullptr);
    if (!mysql_real_connect(mysql, nullptr, "root", "", "sbtest", 0, argv[1], 0))
        return std::fprintf(stderr, "%s\n", mysql_error(mysql)), 1;
    MYSQL_STMT* statement = mysql_stmt_init(mysql);
    const char* text = "SELECT c FROM sbtest1 WHERE id=?";
    if (mysql_stmt_prepare(statement, text, std::strlen(text)) != 0)
        return std::fprintf(stderr, "%s\n", mysql_stmt_error(statement)), 1;
    long long id = 0;
    char value[256];
    unsigned long length = 0;
    MYSQL_BIND in {};
    MYSQL_BIND out {};
    in.buffer_type = MYSQL_TYPE_LONGLONG;
    in.buffer = &id;
    out.buffer_type = MYSQL_TYPE_STRING;
    out.buffer = value;
    out.buffer_length = sizeof value;
    out.length = &length;
    mysql_stmt_bind_param(statement, &in);
    mysql_stmt_bind_result(statement, &out);
    std::minstd_rand random(1);
    long found = 0;
    for (long i = 0; i < events; ++i) {
        id = long(random() % (unsigned long)(rows)) + 1;
        if (mysql_stmt_execute(statement) != 0 || mysql_stmt_store_result(statement) != 0)
            return std::fprintf(stderr, "%s\n", mysql_stmt_error(statement)), 1;
        while (mysql_stmt_fetch(statement) == 0)
            ++found;
        mysql_stmt_free_result(statement);
    }
    std::printf("%ld\n", found);
    mysql_stmt_close(statement);
    mysql_close(mysql);
    return found == events ? 0 : 1;
}

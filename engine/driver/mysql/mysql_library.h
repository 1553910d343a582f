// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The client library: MariaDB Connector/C, or MySQL's own (CMake: DYNO_MYSQL_LIBRARY=mysqlclient), which has neither
//! event loops nor a direct path here. Where their calls differ, the driver uses these.
#pragma once

#include <mysql.h>

#include <cstring>

namespace dyno::mysql {

#if DYNO_ORACLE_CLIENT

using Flag = bool; //!< of options and bound values
inline constexpr bool kHasLoops = false;
inline constexpr const char* kLibrary = "MySQL client library";

inline int socketOf(const MYSQL* mysql)
{
    return int(mysql->net.fd);
}
inline bool isMariadb(MYSQL* mysql)
{
    const char* version = mysql_get_server_info(mysql);
    return version && std::strstr(version, "MariaDB") != nullptr;
}
//! After a statement's result. `mysql`: its connection.
inline bool hasMoreResults(MYSQL_STMT* /*statement*/, MYSQL* mysql)
{
    return mysql_more_results(mysql);
}
//! For a text between single quotes.
inline unsigned long escape(MYSQL* mysql, char* to, const char* from, unsigned long size)
{
    return mysql_real_escape_string_quote(mysql, to, from, size, '\'');
}
inline void addAttribute(MYSQL* mysql, const char* name, const char* value)
{
    mysql_options4(mysql, MYSQL_OPT_CONNECT_ATTR_ADD, name, value);
}

#else

using Flag = my_bool; //!< of options and bound values
inline constexpr bool kHasLoops = true;
inline constexpr const char* kLibrary = "MariaDB Connector/C";

inline int socketOf(MYSQL* mysql)
{
    return int(mysql_get_socket(mysql));
}
inline bool isMariadb(MYSQL* mysql)
{
    return mariadb_connection(mysql) != 0;
}
//! After a statement's result. `mysql`: its connection.
inline bool hasMoreResults(MYSQL_STMT* statement, MYSQL* /*mysql*/)
{
    return mysql_stmt_more_results(statement) != 0;
}
//! For a text between single quotes.
inline unsigned long escape(MYSQL* mysql, char* to, const char* from, unsigned long size)
{
    return mysql_real_escape_string(mysql, to, from, size);
}
inline void addAttribute(MYSQL* mysql, const char* name, const char* value)
{
    mysql_optionsv(mysql, MYSQL_OPT_CONNECT_ATTR_ADD, name, value);
}

#endif

} // namespace dyno::mysql

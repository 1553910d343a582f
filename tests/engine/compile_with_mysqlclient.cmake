# SPDX-License-Identifier: GPL-3.0-or-later
# The MySQL driver still compiles with MySQL's own client library: its sources as one, checked with the headers of that library. They
# are those of the installed package, or below the folder that DYNO_TEST_MYSQLCLIENT names; without any the test is skipped.
find_path(headers NAMES mysql_com.h HINTS "$ENV{DYNO_TEST_MYSQLCLIENT}" PATH_SUFFIXES include/mysql usr/include/mysql mysql)
if(NOT headers OR NOT EXISTS ${headers}/plugin_auth_common.h) # MariaDB's have no such file
    message("SKIPPED: no headers of MySQL's client library are here: install libmysqlclient-dev, or set DYNO_TEST_MYSQLCLIENT")
    return()
endif()
file(GLOB sources ${SOURCE}/engine/driver/mysql/*.cpp)
list(FILTER sources EXCLUDE REGEX "mysql_(auth|async_session)\\.cpp$")
set(all "")
foreach(source IN LISTS sources)
    string(APPEND all "#include \"${source}\"\n")
endforeach()
file(WRITE ${BUILD}/with_mysqlclient.cpp "${all}")
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Werror -Wno-subobject-linkage
                        -DDYNO_ORACLE_CLIENT=1 -isystem ${headers} -isystem ${headers}/.. -I${SOURCE}/engine -I${SOURCE}/engine/api
                        -I${SOURCE}/engine/driver/mysql -I${BUILD}/engine/generated ${BUILD}/with_mysqlclient.cpp
                RESULT_VARIABLE result ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${errors}")
endif()

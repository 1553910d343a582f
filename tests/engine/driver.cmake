# SPDX-License-Identifier: GPL-3.0-or-later
if(DYNO_HAVE_MYSQL)
    dyno_add_test(tst_mysql_driver SOURCES mysql_test.h LIBRARIES dyno_test_support LABELS engine server sanitize TIMEOUT 300)
    dyno_add_test(tst_fault_proxy LIBRARIES dyno_test_support LABELS engine server sanitize)
    dyno_add_test(tst_mysql_faults SOURCES mysql_test.h LIBRARIES dyno_test_support dyno_load LABELS engine server sanitize TIMEOUT 300)
    dyno_add_test(tst_mysql_outcomes SOURCES mysql_test.h LIBRARIES dyno_test_support LABELS engine server sanitize TIMEOUT 300)
    dyno_add_test(tst_mysql_tls SOURCES mysql_test.h LIBRARIES dyno_test_support PkgConfig::MARIADB LABELS engine server sanitize TIMEOUT 300)
endif()
dyno_add_test(tst_sqlite_driver LIBRARIES SQLite::SQLite3 LABELS engine sanitize)

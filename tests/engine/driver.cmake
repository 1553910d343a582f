# SPDX-License-Identifier: GPL-3.0-or-later
if(DYNO_HAVE_MYSQL)
    dyno_add_test(tst_mysql_driver LIBRARIES dyno_test_support)
endif()

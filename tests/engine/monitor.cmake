dyno_add_test(tst_counter_monitor LABELS sanitize)
if(DYNO_HAVE_MYSQL)
    dyno_add_test(tst_mysql_counters SOURCES mysql_test.h recording_sink.h LIBRARIES dyno_test_support LABELS engine server TIMEOUT 300)
endif()

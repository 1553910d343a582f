dyno_add_test(tst_session_runner SOURCES recording_sink.h LIBRARIES SQLite::SQLite3 LABELS sanitize TIMEOUT 300)
if(DYNO_HAVE_MYSQL)
    dyno_add_test(tst_table_options LIBRARIES dyno_test_support LABELS engine server TIMEOUT 300)
    dyno_add_test(tst_left_changes SOURCES recording_sink.h LIBRARIES dyno_test_support LABELS engine server TIMEOUT 300)
    dyno_add_test(tst_mysql_grants LABELS engine)
    dyno_add_test(tst_preflight SOURCES mysql_test.h LIBRARIES dyno_test_support LABELS engine server TIMEOUT 300)
endif()
dyno_add_test(tst_dataset LABELS sanitize)
dyno_add_test(tst_run_state LABELS sanitize)
dyno_add_test(tst_schedule LABELS engine)
dyno_add_test(tst_pacer LABELS sanitize)
dyno_add_test(tst_search LABELS engine)
dyno_add_test(tst_steps SOURCES recording_sink.h LABELS sanitize)
dyno_add_test(tst_executors SOURCES recording_sink.h LABELS sanitize TIMEOUT 300)
# Every driver but SQLite is optional: the tree must configure and build without them.
add_test(NAME build_without_optional_drivers
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}/without-drivers
            -DGENERATOR=${CMAKE_GENERATOR} -DWERROR=${DYNO_WERROR} -P ${CMAKE_CURRENT_SOURCE_DIR}/build_without_drivers.cmake)
set_tests_properties(build_without_optional_drivers PROPERTIES TIMEOUT 1200)
if(DYNO_HAVE_MYSQL)
    dyno_add_test(tst_truth LIBRARIES dyno_test_support LABELS engine server TIMEOUT 300)
    set_tests_properties(tst_truth PROPERTIES RUN_SERIAL TRUE) # it measures
    dyno_add_test(tst_bulk_load SOURCES mysql_test.h LIBRARIES dyno_test_support LABELS engine server sanitize TIMEOUT 300)
endif()

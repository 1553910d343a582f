dyno_add_test(tst_session_runner SOURCES recording_sink.h LIBRARIES SQLite::SQLite3 LABELS sanitize TIMEOUT 300)
dyno_add_test(tst_run_state LABELS sanitize)
# Every driver but SQLite is optional: the tree must configure and build without them.
add_test(NAME build_without_optional_drivers
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}/without-drivers
            -DGENERATOR=${CMAKE_GENERATOR} -P ${CMAKE_CURRENT_SOURCE_DIR}/build_without_drivers.cmake)
set_tests_properties(build_without_optional_drivers PROPERTIES TIMEOUT 1200)

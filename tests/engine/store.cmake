# SPDX-License-Identifier: GPL-3.0-or-later
# make_sample_session: a .dyno file for tests and pictures of the window; store_child: a process to be killed.
foreach(tool make_sample_session store_child)
    add_executable(${tool} ${tool}.cpp)
    target_include_directories(${tool} PRIVATE ${PROJECT_SOURCE_DIR}/engine ${PROJECT_BINARY_DIR}/engine/generated)
    target_link_libraries(${tool} PRIVATE dyno_engine fmt::fmt dyno_warnings)
    set_target_properties(${tool} PROPERTIES AUTOMOC OFF RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endforeach()

dyno_add_test(tst_library LIBRARIES SQLite::SQLite3)
dyno_add_test(tst_session_writer)
dyno_add_test(tst_warmup_end)
foreach(test tst_library tst_session_writer)
    target_compile_definitions(${test} PRIVATE DYNO_STORE_CHILD="$<TARGET_FILE:store_child>")
    add_dependencies(${test} store_child)
endforeach()

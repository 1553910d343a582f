# SPDX-License-Identifier: GPL-3.0-or-later
add_executable(make_sample_session make_sample_session.cpp)
target_include_directories(make_sample_session PRIVATE ${PROJECT_SOURCE_DIR}/engine ${PROJECT_BINARY_DIR}/engine/generated)
target_link_libraries(make_sample_session PRIVATE dyno_engine fmt::fmt dyno_warnings)
set_target_properties(make_sample_session PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# SPDX-License-Identifier: GPL-3.0-or-later
# Configures the tree in BUILD with SQLite as the only driver, builds there what differs from the build in REST, links `dyno` of both,
# and asks it for its drivers.
function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${ARGN}\n${output}${errors}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()
step(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${BUILD} -DDYNO_WITH_MYSQL=OFF -DDYNO_WITH_MONGODB=OFF
     -DDYNO_WITH_POSTGRESQL=OFF -DDYNO_WITH_CLICKHOUSE=OFF -DDYNO_WITH_ROCKSDB=OFF -DDYNO_WITH_BLAS=ON -DDYNO_WITH_GUI=OFF -DDYNO_WITH_TESTS=OFF -DDYNO_WERROR=${WERROR}
     -DDYNO_UNITY_BATCH=${BATCH} -DCMAKE_BUILD_TYPE=${TYPE}) # the objects of the other build are linked

# Who looks at the switches must be compiled there: nobody outside engine/driver does.
file(GLOB_RECURSE sources ${SOURCE}/engine/*.cpp ${SOURCE}/engine/*.h ${SOURCE}/app/*.cpp ${SOURCE}/app/*.h)
list(FILTER sources EXCLUDE REGEX "/engine/driver/")
foreach(source IN LISTS sources)
    file(STRINGS ${source} switches REGEX "DYNO_HAVE_")
    if(switches)
        message(FATAL_ERROR "${source} asks which drivers are built (${switches}); ask the drivers, or compile it in this test too")
    endif()
endforeach()
step(${CMAKE_COMMAND} --build ${BUILD} --target dyno_driver dyno_driver_api)

# The command that links `dyno` there, with the two libraries from there and all else from here.
set(differ engine/driver/libdyno_driver.a engine/driver/libdyno_driver_api.a)
step(${NINJA} -C ${BUILD} -t commands bin/dyno)
string(STRIP "${output}" output)
string(REGEX REPLACE ".*\n" "" link "${output}") # the last one
foreach(library IN LISTS differ)
    string(FIND "${link}" " ${library} " place)
    if(place EQUAL -1)
        message(FATAL_ERROR "${library} is no part of dyno:\n${link}")
    endif()
    string(REPLACE " ${library} " " ${BUILD}/${library} " link "${link}")
endforeach()
string(REPLACE " -o bin/dyno " " -o ${BUILD}/dyno " link "${link}")
execute_process(COMMAND sh -c "${link}" WORKING_DIRECTORY ${REST} RESULT_VARIABLE result ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${link}\n${errors}")
endif()

step(${BUILD}/dyno drivers)
if(NOT output MATCHES "sqlite")
    message(FATAL_ERROR "no sqlite among the drivers:\n${output}")
endif()
if(output MATCHES "Connector")
    message(FATAL_ERROR "the MySQL driver was built although it was switched off:\n${output}")
endif()
if(output MATCHES "libpq")
    message(FATAL_ERROR "the PostgreSQL driver was built although it was switched off:\n${output}")
endif()
if(output MATCHES "libmongoc")
    message(FATAL_ERROR "the MongoDB driver was built although it was switched off:\n${output}")
endif()
if(output MATCHES "libcurl")
    message(FATAL_ERROR "the ClickHouse driver was built although it was switched off:\n${output}")
endif()
if(output MATCHES "RocksDB [0-9]")
    message(FATAL_ERROR "the RocksDB driver was built although it was switched off:\n${output}")
endif()

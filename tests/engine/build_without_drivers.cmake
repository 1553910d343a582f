# SPDX-License-Identifier: GPL-3.0-or-later
# Configures and builds `dyno` with SQLite as the only driver, then asks it for its drivers.
function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${ARGN}\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()
step(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${BUILD} -DDYNO_WITH_MYSQL=OFF -DDYNO_WITH_MONGODB=OFF
     -DDYNO_WITH_GUI=OFF -DDYNO_WITH_TESTS=OFF -DDYNO_WERROR=${WERROR}
     -DCMAKE_BUILD_TYPE=${TYPE})
step(${CMAKE_COMMAND} --build ${BUILD} --target dyno)
step(${BUILD}/bin/dyno drivers)
if(NOT output MATCHES "sqlite")
    message(FATAL_ERROR "no sqlite among the drivers:\n${output}")
endif()
if(output MATCHES "Connector")
    message(FATAL_ERROR "the MySQL driver was built although it was switched off:\n${output}")
endif()
if(output MATCHES "libmongoc")
    message(FATAL_ERROR "the MongoDB driver was built although it was switched off:\n${output}")
endif()

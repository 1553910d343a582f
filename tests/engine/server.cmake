# SPDX-License-Identifier: GPL-3.0-or-later
dyno_add_test(tst_knob_catalog LIBRARIES dyno_test_support LABELS engine server TIMEOUT 300)
if(DYNO_HAVE_MYSQL)
    dyno_add_test(tst_knob_servers LIBRARIES dyno_test_support LABELS engine server TIMEOUT 300)
    dyno_add_test(tst_knob_guard LIBRARIES dyno_test_support LABELS engine server sanitize TIMEOUT 300)
    dyno_add_test(tst_managed_server LIBRARIES dyno_test_support LABELS engine server TIMEOUT 600)
    target_compile_definitions(tst_managed_server PRIVATE
        DYNO_SERVER_CHILD="$<TARGET_FILE:dyno_managed_server_child>")
    add_dependencies(tst_managed_server dyno_managed_server_child)
endif()

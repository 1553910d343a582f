# SPDX-License-Identifier: GPL-3.0-or-later
dyno_add_test(tst_import_sysbench)
dyno_add_test(tst_import_tools)
dyno_add_test(tst_import_library)
dyno_add_test(tst_import_pgbench)

# SPDX-License-Identifier: GPL-3.0-or-later
dyno_add_test(tst_statistics LIBRARIES nlohmann_json::nlohmann_json)
dyno_add_test(tst_analysis LIBRARIES nlohmann_json::nlohmann_json)
dyno_add_test(tst_measures)
dyno_add_test(tst_pivot)
dyno_add_test(tst_report LIBRARIES nlohmann_json::nlohmann_json)
dyno_add_test(tst_export)
dyno_add_test(tst_rerun)

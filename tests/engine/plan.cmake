# SPDX-License-Identifier: GPL-3.0-or-later
dyno_add_test(tst_plan)
dyno_add_test(tst_plan_faults)
dyno_add_test(tst_plan_expand)
dyno_add_test(tst_plan_order)
dyno_add_test(tst_plan_recipes)

# SPDX-License-Identifier: GPL-3.0-or-later
dyno_add_test(tst_task LABELS engine sanitize)

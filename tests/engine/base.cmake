# SPDX-License-Identifier: GPL-3.0-or-later
dyno_add_test(tst_value LABELS engine sanitize)
dyno_add_test(tst_uri LABELS engine sanitize)
dyno_add_test(tst_random LABELS engine sanitize)
dyno_add_test(tst_host LABELS engine sanitize)

# SPDX-License-Identifier: GPL-3.0-or-later
dyno_add_test(tst_histogram LABELS engine sanitize)
dyno_add_test(tst_recorder LABELS engine sanitize)
dyno_add_test(tst_samples LABELS engine sanitize)
dyno_add_test(tst_self_health LABELS engine sanitize SERIAL)
dyno_add_test(tst_process_usage LABELS engine)
dyno_add_test(tst_steady_state LABELS engine sanitize)
dyno_add_test(tst_client_limit LABELS engine SERIAL)

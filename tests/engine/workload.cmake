# SPDX-License-Identifier: GPL-3.0-or-later
dyno_add_test(tst_distribution LABELS engine)
dyno_add_test(tst_oltp LABELS engine)
dyno_add_test(tst_oltp_tables LABELS engine)
dyno_add_test(tst_zipf LABELS engine)
dyno_add_test(tst_ycsb LABELS engine)
dyno_add_test(tst_iibench LABELS engine)
dyno_add_test(tst_linkbench LABELS engine)

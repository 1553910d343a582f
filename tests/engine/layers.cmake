dyno_add_test(tst_layers)

check_PROGRAMS += tests/unit/test_simvmm
TESTS += tests/unit/test_simvmm
tests_unit_test_simvmm_SOURCES = tests/unit/simvmm/clock.c tests/unit/simvmm/compose.c tests/unit/simvmm/faults.c tests/unit/simvmm/input.c \
    tests/unit/simvmm/keyval.c tests/unit/simvmm/qom_tree.c tests/unit/simvmm/screen.c tests/unit/simvmm/script.c tests/unit/simvmm/value.c
tests_unit_test_simvmm_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_simvmm_LDADD = simvmm/libsimvmm.a src/loop/libloop.a src/json/libjson.a src/base/libbase.a $(UV_LIBS) $(YAJL_LIBS) \
    $(CRITERION_LIBS)
tests_unit_test_simvmm_SOURCES += tests/unit/simvmm/qcow2.c

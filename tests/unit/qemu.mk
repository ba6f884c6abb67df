
# The object tree.
check_PROGRAMS += tests/unit/test_qom
TESTS += tests/unit/test_qom
tests_unit_test_qom_SOURCES = tests/unit/qemu/qom_compare.c tests/unit/qemu/qom_files.h tests/unit/qemu/qom_peer.c \
    tests/unit/qemu/qom_peer.h tests/unit/qemu/qom_plan.c tests/unit/qemu/qom_store.c
tests_unit_test_qom_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_qom_LDADD = src/qemu/libqemu.a src/json/libjson.a src/base/libbase.a $(YAJL_LIBS) $(CRITERION_LIBS)
EXTRA_DIST += tests/unit/qemu/qom-small.json

check_PROGRAMS += tests/unit/test_conf
TESTS += tests/unit/test_conf
tests_unit_test_conf_SOURCES = tests/unit/conf/addresses.c tests/unit/conf/corpus.c tests/unit/conf/cpuset.c \
    tests/unit/conf/define.c tests/unit/conf/define.h tests/unit/conf/device.c tests/unit/conf/disk.c tests/unit/conf/domain.c \
    tests/unit/conf/metadata.c
tests_unit_test_conf_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_conf_LDADD = src/conf/libconf.a src/xml/libxml.a src/base/libbase.a $(XML_LIBS) $(CRITERION_LIBS)

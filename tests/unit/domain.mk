check_PROGRAMS += tests/unit/test_domain
TESTS += tests/unit/test_domain
tests_unit_test_domain_SOURCES = tests/unit/domain/files.c tests/unit/domain/job.c tests/unit/domain/journal.c tests/unit/domain/make.h \
    tests/unit/domain/registry.c tests/unit/domain/status.c
tests_unit_test_domain_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_domain_LDADD = src/domain/libdomain.a src/conf/libconf.a src/xml/libxml.a src/loop/libloop.a \
    src/base/libbase.a $(CRITERION_LIBS) $(UV_LIBS) $(XML_LIBS)

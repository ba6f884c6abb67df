check_PROGRAMS += tests/unit/test_base
TESTS += tests/unit/test_base
tests_unit_test_base_SOURCES = tests/unit/base/arena.c tests/unit/base/crew.c tests/unit/base/map.c tests/unit/base/text.c tests/unit/base/uuid.c \
    tests/unit/base/error.c tests/unit/base/files.c
tests_unit_test_base_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_base_LDADD = src/base/libbase.a $(CRITERION_LIBS)

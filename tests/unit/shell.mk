check_PROGRAMS += tests/unit/test_shell
TESTS += tests/unit/test_shell
tests_unit_test_shell_SOURCES = tests/unit/shell/arguments.c tests/unit/shell/complete.c tests/unit/shell/listing.c \
    tests/unit/shell/objects.c tests/unit/shell/words.c
tests_unit_test_shell_CFLAGS = $(AM_CFLAGS) $(TIRPC_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_shell_LDADD = shell/libshell.a $(shell_libs) $(CRITERION_LIBS)

check_PROGRAMS += tests/unit/test_daemon
TESTS += tests/unit/test_daemon
tests_unit_test_daemon_SOURCES = tests/unit/daemon/list.c tests/unit/daemon/lock.c tests/unit/daemon/settings.c \
    tests/unit/daemon/usage.c
tests_unit_test_daemon_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_daemon_LDADD = $(domusd_libs) $(CRITERION_LIBS)

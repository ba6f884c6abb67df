# Proof that a sanitized run can fail.
if SANITIZERS
if UNIT_TESTS
check_PROGRAMS += tests/sanitizers/planted
TESTS += tests/sanitizers/planted.sh
tests_sanitizers_planted_SOURCES = tests/sanitizers/planted.c
tests_sanitizers_planted_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_sanitizers_planted_LDADD = $(CRITERION_LIBS)
endif
endif
dist_check_SCRIPTS += tests/sanitizers/planted.sh
EXTRA_DIST += tests/sanitizers/lsan.supp

check_PROGRAMS += tests/unit/test_loop
TESTS += tests/unit/test_loop
tests_unit_test_loop_SOURCES = tests/unit/loop/fiber.c tests/unit/loop/process.c tests/unit/loop/run.h tests/unit/loop/stream.c \
    tests/unit/loop/timer.c
tests_unit_test_loop_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_loop_LDADD = src/loop/libloop.a src/base/libbase.a $(CRITERION_LIBS) $(UV_LIBS)

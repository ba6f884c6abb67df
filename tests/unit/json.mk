check_PROGRAMS += tests/unit/test_json
TESTS += tests/unit/test_json
tests_unit_test_json_SOURCES = tests/unit/json/parse.c tests/unit/json/stream.c tests/unit/json/value.c \
    tests/unit/json/writer.c
tests_unit_test_json_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_json_LDADD = src/json/libjson.a src/base/libbase.a $(YAJL_LIBS) $(CRITERION_LIBS)

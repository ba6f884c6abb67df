check_PROGRAMS += tests/unit/test_rpc
TESTS += tests/unit/test_rpc tests/unit/rpc/layouts.py
tests_unit_test_rpc_SOURCES = tests/unit/rpc/address.c tests/unit/rpc/channel.c tests/unit/rpc/client.c tests/unit/rpc/codec.c \
    tests/unit/rpc/errors.c tests/unit/rpc/frame.c tests/unit/rpc/limits.c tests/unit/rpc/rig.c tests/unit/rpc/rig.h \
    tests/unit/rpc/server.c
tests_unit_test_rpc_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS) $(TIRPC_CFLAGS)
tests_unit_test_rpc_LDADD = $(rpc_libs) src/loop/libloop.a src/base/libbase.a $(CRITERION_LIBS) $(UV_LIBS) $(TIRPC_LIBS)
EXTRA_DIST += tests/unit/rpc/golden.tsv tests/unit/rpc/layouts.py tests/unit/rpc/make-golden.py

FUZZ_TARGETS += fuzz/rpc
fuzz_rpc_SOURCES = fuzz/rpc.c $(fuzz_main)
fuzz_rpc_CFLAGS = $(AM_CFLAGS) $(TIRPC_CFLAGS)
fuzz_rpc_LDFLAGS = $(fuzz_link_flags)
fuzz_rpc_LDADD = $(rpc_libs) src/loop/libloop.a src/base/libbase.a $(TIRPC_LIBS) $(UV_LIBS)

FUZZ_TARGETS += fuzz/script
fuzz_script_SOURCES = fuzz/script.c $(fuzz_main)
fuzz_script_LDFLAGS = $(fuzz_link_flags)
fuzz_script_LDADD = simvmm/libsimvmm.a src/loop/libloop.a src/json/libjson.a src/base/libbase.a $(UV_LIBS) $(YAJL_LIBS)

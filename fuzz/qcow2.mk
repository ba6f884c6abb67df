FUZZ_TARGETS += fuzz/qcow2
fuzz_qcow2_SOURCES = fuzz/qcow2.c $(fuzz_main)
fuzz_qcow2_LDFLAGS = $(fuzz_link_flags)
fuzz_qcow2_LDADD = simvmm/libsimvmm.a src/loop/libloop.a src/json/libjson.a src/base/libbase.a $(UV_LIBS) $(YAJL_LIBS)

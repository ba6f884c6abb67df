FUZZ_TARGETS += fuzz/qmp
fuzz_qmp_SOURCES = fuzz/qmp.c $(fuzz_main)
fuzz_qmp_LDFLAGS = $(fuzz_link_flags)
fuzz_qmp_LDADD = src/qemu/libqemu.a src/json/libjson.a src/loop/libloop.a src/base/libbase.a $(YAJL_LIBS) $(UV_LIBS)

FUZZ_TARGETS += fuzz/qom
fuzz_qom_SOURCES = fuzz/qom.c $(fuzz_main)
fuzz_qom_LDFLAGS = $(fuzz_link_flags)
fuzz_qom_LDADD = src/qemu/libqemu.a src/json/libjson.a src/loop/libloop.a src/base/libbase.a $(YAJL_LIBS) $(UV_LIBS)
EXTRA_DIST += fuzz/qom.dict

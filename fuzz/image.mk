FUZZ_TARGETS += fuzz/image
fuzz_image_SOURCES = fuzz/image.c $(fuzz_main)
fuzz_image_LDFLAGS = $(fuzz_link_flags)
fuzz_image_LDADD = src/qemu/libqemu.a src/conf/libconf.a src/xml/libxml.a src/json/libjson.a src/loop/libloop.a \
    src/base/libbase.a $(XML_LIBS) $(YAJL_LIBS) $(UV_LIBS)

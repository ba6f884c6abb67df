FUZZ_TARGETS += fuzz/xml
fuzz_xml_SOURCES = fuzz/xml.c $(fuzz_main)
fuzz_xml_LDFLAGS = $(fuzz_link_flags)
fuzz_xml_LDADD = src/conf/libconf.a src/xml/libxml.a src/base/libbase.a $(XML_LIBS)

noinst_LIBRARIES += src/xml/libxml.a
src_xml_libxml_a_SOURCES = src/xml/codec.c src/xml/codec.h src/xml/context.c src/xml/context.h src/xml/document.c \
    src/xml/element.h src/xml/findings.c src/xml/findings.h src/xml/format.c src/xml/keep.c src/xml/parse.c \
    src/xml/raw.c src/xml/raw.h src/xml/table.c src/xml/table.h src/xml/value.c src/xml/value.h
src_xml_libxml_a_CFLAGS = $(AM_CFLAGS) $(XML_CFLAGS)

check_PROGRAMS += tests/unit/test_xml
TESTS += tests/unit/test_xml
tests_unit_test_xml_SOURCES = tests/unit/xml/cat.c tests/unit/xml/cat.h tests/unit/xml/codec.c \
    tests/unit/xml/document.c tests/unit/xml/engine.c tests/unit/xml/findings.c
tests_unit_test_xml_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_xml_LDADD = src/xml/libxml.a src/base/libbase.a $(XML_LIBS) $(CRITERION_LIBS)

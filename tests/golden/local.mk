
# A program that prints TAP, a line a file.
check_PROGRAMS += tests/golden/xml_files
TESTS += tests/golden/xml_files
tests_golden_xml_files_SOURCES = tests/golden/xml_files.c
tests_golden_xml_files_LDADD = src/conf/libconf.a src/xml/libxml.a src/base/libbase.a $(XML_LIBS)
EXTRA_DIST += tests/golden/xml

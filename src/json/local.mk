noinst_LIBRARIES += src/json/libjson.a
src_json_libjson_a_SOURCES = src/json/json.h
src_json_libjson_a_CFLAGS = $(AM_CFLAGS) $(YAJL_CFLAGS)

noinst_LIBRARIES += src/json/libjson.a
src_json_libjson_a_SOURCES = src/json/escapes.c src/json/escapes.h src/json/json.h src/json/parse.c src/json/token.c \
    src/json/token.h src/json/value.c src/json/writer.c
src_json_libjson_a_CFLAGS = $(AM_CFLAGS) $(YAJL_CFLAGS)

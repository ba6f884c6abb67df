noinst_LIBRARIES += src/base/libbase.a
src_base_libbase_a_SOURCES = src/base/arena.c src/base/arena.h src/base/buffer.c src/base/buffer.h src/base/crew.c src/base/crew.h src/base/enums.c \
    src/base/enums.h src/base/error.c src/base/error.h src/base/files.c src/base/files.h src/base/hash.h src/base/log.c \
    src/base/log.h src/base/map.c src/base/map.h src/base/memory.c src/base/memory.h src/base/own.h \
    src/base/text.c src/base/text.h src/base/uuid.c src/base/uuid.h src/base/vector.h


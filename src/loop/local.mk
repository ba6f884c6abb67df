noinst_LIBRARIES += src/loop/libloop.a
src_loop_libloop_a_SOURCES = src/loop/loop.h src/loop/fiber.h src/loop/process.h src/loop/stream.h
src_loop_libloop_a_CFLAGS = $(AM_CFLAGS) $(UV_CFLAGS)

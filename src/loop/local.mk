noinst_LIBRARIES += src/loop/libloop.a
src_loop_libloop_a_SOURCES = src/loop/child.c src/loop/child.h src/loop/fiber.c src/loop/fiber.h \
    src/loop/listener.c src/loop/loop.c src/loop/loop.h src/loop/private.h src/loop/process.c \
    src/loop/process.h src/loop/process_private.h src/loop/process_start.c \
    src/loop/socket.c src/loop/stacks.c src/loop/stream.c src/loop/stream.h src/loop/wait.c
src_loop_libloop_a_CFLAGS = $(AM_CFLAGS) $(UV_CFLAGS)

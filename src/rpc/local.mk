# What rpcgen makes is compiled in a library of its own, with its warnings off; generate.sh says what the files are.
noinst_LIBRARIES += src/rpc/librpc.a src/rpc/libprotocol.a
src_rpc_librpc_a_SOURCES = src/rpc/address.c src/rpc/address.h src/rpc/apis.def src/rpc/bounded.h \
    src/rpc/call.c src/rpc/channel.c src/rpc/channel.h src/rpc/client.c src/rpc/client.h src/rpc/codec.c \
    src/rpc/codec.h src/rpc/errors.c src/rpc/errors.h src/rpc/frame.c src/rpc/frame.h src/rpc/peer.c src/rpc/peer.h \
    src/rpc/procedures.c src/rpc/procedures.def src/rpc/procedures.h src/rpc/server.c src/rpc/server.h
src_rpc_librpc_a_CFLAGS = $(AM_CFLAGS) $(TIRPC_CFLAGS)

nodist_src_rpc_libprotocol_a_SOURCES = $(rpc_generated)
src_rpc_libprotocol_a_SOURCES =
src_rpc_libprotocol_a_CFLAGS = $(GENERATED_CFLAGS) $(TIRPC_CFLAGS)
# In this order a program links them.
rpc_libs = src/rpc/librpc.a src/rpc/libprotocol.a

rpc_generated = \
    src/rpc/remote.h src/rpc/remote_xdr.h src/rpc/remote_xdr.c \
    src/rpc/qemu.h src/rpc/qemu_xdr.h src/rpc/qemu_xdr.c \
    src/rpc/domus.h src/rpc/domus_xdr.h src/rpc/domus_xdr.c
BUILT_SOURCES += $(rpc_generated)
CLEANFILES += $(rpc_generated)
EXTRA_DIST += src/rpc/remote.x src/rpc/qemu.x src/rpc/domus.x src/rpc/generate.sh

rpc_generator = $(srcdir)/src/rpc/generate.sh
rpc_generate = $(AM_V_GEN)$(MKDIR_P) src/rpc && RPCGEN='$(RPCGEN)' $(SHELL) $(rpc_generator)

src/rpc/remote.h: $(srcdir)/src/rpc/remote.x $(rpc_generator)
	$(rpc_generate) types $(srcdir)/src/rpc/remote.x $@
src/rpc/remote_xdr.h: $(srcdir)/src/rpc/remote.x $(rpc_generator)
	$(rpc_generate) functions $(srcdir)/src/rpc/remote.x $@
src/rpc/remote_xdr.c: $(srcdir)/src/rpc/remote.x $(rpc_generator)
	$(rpc_generate) code $(srcdir)/src/rpc/remote.x $@
src/rpc/qemu.h: $(srcdir)/src/rpc/qemu.x $(rpc_generator)
	$(rpc_generate) types $(srcdir)/src/rpc/qemu.x $@
src/rpc/qemu_xdr.h: $(srcdir)/src/rpc/qemu.x $(rpc_generator)
	$(rpc_generate) functions $(srcdir)/src/rpc/qemu.x $@
src/rpc/qemu_xdr.c: $(srcdir)/src/rpc/qemu.x $(rpc_generator)
	$(rpc_generate) code $(srcdir)/src/rpc/qemu.x $@
src/rpc/domus.h: $(srcdir)/src/rpc/domus.x $(rpc_generator)
	$(rpc_generate) types $(srcdir)/src/rpc/domus.x $@
src/rpc/domus_xdr.h: $(srcdir)/src/rpc/domus.x $(rpc_generator)
	$(rpc_generate) functions $(srcdir)/src/rpc/domus.x $@
src/rpc/domus_xdr.c: $(srcdir)/src/rpc/domus.x $(rpc_generator)
	$(rpc_generate) code $(srcdir)/src/rpc/domus.x $@

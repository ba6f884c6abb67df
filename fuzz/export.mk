FUZZ_TARGETS += fuzz/export
fuzz_export_SOURCES = fuzz/export.c $(fuzz_main)
fuzz_export_CFLAGS = $(AM_CFLAGS) $(TIRPC_CFLAGS)
fuzz_export_LDFLAGS = $(fuzz_link_flags)
fuzz_export_LDADD = shell/libshell.a $(shell_libs)
EXTRA_DIST += fuzz/export.dict

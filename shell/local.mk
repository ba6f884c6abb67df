bin_PROGRAMS += shell/domsh
noinst_LIBRARIES += shell/libshell.a
shell_libshell_a_SOURCES = shell/arguments.c shell/arguments.h shell/autostart.c shell/command.c shell/command.h \
    shell/complete.c shell/complete.h shell/connect.c shell/create.c shell/define.c shell/destroy.c shell/domid.c \
    shell/dominfo.c shell/domstate.c shell/domxml_to_native.c shell/dumpxml.c shell/event.c shell/faults.c shell/faults.h shell/help.c \
    shell/host.c shell/lint.c shell/list.c shell/listing.c shell/listing.h shell/nodeinfo.c shell/pretty.c shell/pretty.h \
    shell/prompt.c shell/prompt.h shell/qemu_monitor_command.c shell/qom.c shell/quit.c shell/resume.c \
    shell/session.c shell/session.h shell/start.c shell/states.c shell/states.h shell/suspend.c shell/table.c \
    shell/timings.c shell/undefine.c shell/version.c shell/words.c shell/words.h shell/xml_file.c shell/xml_file.h
shell_libshell_a_CFLAGS = $(AM_CFLAGS) $(TIRPC_CFLAGS) $(EDIT_CFLAGS)
# In this order a program links them.
shell_libs = $(rpc_libs) src/loop/libloop.a src/conf/libconf.a src/xml/libxml.a src/json/libjson.a src/base/libbase.a \
    $(TIRPC_LIBS) $(UV_LIBS) $(XML_LIBS) $(YAJL_LIBS) $(EDIT_LIBS)
shell_domsh_SOURCES = shell/main.c
shell_domsh_CFLAGS = $(AM_CFLAGS) $(TIRPC_CFLAGS)
shell_domsh_LDADD = shell/libshell.a $(shell_libs)

bashcompletiondir = $(datadir)/bash-completion/completions
EXTRA_DIST += shell/domsh.bash

install-data-local:
	$(MKDIR_P) $(DESTDIR)$(bashcompletiondir)
	$(INSTALL_DATA) $(srcdir)/shell/domsh.bash $(DESTDIR)$(bashcompletiondir)/domsh
uninstall-local:
	rm -f $(DESTDIR)$(bashcompletiondir)/domsh

bin_PROGRAMS += shell/domsh
noinst_LIBRARIES += shell/libshell.a
shell_libshell_a_SOURCES = shell/affect.c shell/affect.h shell/arguments.c shell/arguments.h shell/attach_device.c \
    shell/attach_disk.c shell/attach_interface.c shell/autostart.c shell/change_media.c shell/command.c \
    shell/command.h shell/complete.c shell/complete.h shell/complete_values.c shell/complete_values.h shell/connect.c shell/console.c shell/cpumap.c shell/cpumap.h shell/create.c \
    shell/define.c shell/definition.c shell/definition.h shell/desc.c shell/device.c shell/device.h \
    shell/domblkinfo.c shell/domblklist.c shell/domblkstat.c shell/domcapabilities.c shell/domcontrol.c \
    shell/domid.c shell/domiflist.c shell/domifstat.c shell/dominfo.c shell/domjobinfo.c shell/dommemstat.c \
    shell/domrename.c shell/domstate.c shell/domstats.c shell/domxml_to_native.c shell/cpu_features.c shell/devices.c shell/drift.c shell/dumpxml.c shell/edit.c \
    shell/event.c shell/event_kinds.c shell/event_kinds.h shell/faults.c shell/faults.h shell/freecell.c \
    shell/help.c shell/host.c shell/inject.c shell/life.c shell/lint.c shell/list.c shell/listing.c shell/listing.h shell/metadata.c \
    shell/nodeinfo.c shell/nodestats.c shell/pins.c shell/pretty.c shell/pretty.h shell/prompt.c shell/prompt.h \
    shell/qemu_monitor_command.c shell/objects.c shell/objects.h shell/objects_match.c shell/objects_match.h shell/qom.c shell/qom.h \
    shell/qom_diff.c shell/qom_find.c shell/qom_get.c shell/qom_watch.c shell/quit.c shell/screens.c shell/send_key.c shell/session.c \
    shell/session.h shell/setmem.c shell/setvcpus.c shell/size.c shell/size.h \
    shell/states.c shell/states.h shell/table.c shell/timings.c shell/typed.c shell/typed.h \
    shell/vcpucount.c shell/vcpuinfo.c shell/version.c shell/words.c shell/words.h shell/xml_file.c \
    shell/xml_file.h
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

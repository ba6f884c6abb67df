noinst_LIBRARIES += daemon/libdaemon.a
daemon_libdaemon_a_SOURCES = daemon/affect.c daemon/affect.h daemon/boot.c daemon/boot.h daemon/capabilities.c daemon/capabilities.h daemon/connect.c \
    daemon/daemon.c daemon/daemon.h daemon/define.h daemon/dispatch.c daemon/dispatch.h daemon/domain_graphics.c daemon/domain_info.c \
    daemon/domain_lifecycle.c daemon/domain_list.c daemon/domain_list.h daemon/domain_xml.c daemon/domus_program.c daemon/domus_tree.c \
    daemon/emulators.c daemon/emulators.h daemon/events.c daemon/host.c daemon/host.h daemon/lock.c daemon/lock.h \
    daemon/options.c daemon/options.h daemon/parallel.c daemon/parallel.h daemon/qemu_program.c daemon/request.h \
    daemon/session.c daemon/session.h daemon/settings.c daemon/settings.h daemon/sockets.c daemon/sockets.h \
    daemon/stop.c daemon/stop.h daemon/systemd.c daemon/systemd.h daemon/usage.c daemon/usage.h

# What domains and the host use.
daemon_libdaemon_a_SOURCES += daemon/disk_names.h daemon/domain_blocks.c daemon/domain_iothreads.c daemon/domain_dump.c daemon/domain_iotune.c daemon/domain_screenshot.c daemon/domain_tuning.c daemon/knobs.c daemon/knobs.h daemon/domain_capabilities.c daemon/domain_pins.c daemon/domain_stats.c daemon/domain_usage.c daemon/domain_vcpus.c \
    daemon/host_usage.c daemon/host_usage.h daemon/image.c daemon/image.h daemon/node.c daemon/params.c daemon/params.h daemon/pins.h

sbin_PROGRAMS += daemon/domusd
daemon_domusd_SOURCES = daemon/main.c
daemon_domusd_LDADD = $(domusd_libs)
# In this order a program links them.
domusd_libs = daemon/libdaemon.a src/qemu/libqemu.a $(rpc_libs) src/domain/libdomain.a src/conf/libconf.a src/xml/libxml.a \
    src/json/libjson.a src/loop/libloop.a src/base/libbase.a $(UV_LIBS) $(YAJL_LIBS) $(XML_LIBS) $(TIRPC_LIBS)

# Changing what domains are, and pressing their buttons.
daemon_libdaemon_a_SOURCES += daemon/domain_config.c daemon/domain_console.c daemon/domain_console.h daemon/domain_devices.c daemon/domain_power.c daemon/edit.c daemon/edit.h

# Our own program's answers about the tree and the devices.
daemon_libdaemon_a_SOURCES += daemon/domus_devices.c

noinst_LIBRARIES += src/qemu/libqemu.a

# What an emulator can do.
src_qemu_libqemu_a_SOURCES = src/qemu/caps.c src/qemu/caps.h src/qemu/caps_cache.c \
    src/qemu/caps_probe.c src/qemu/caps_probe.h

# The command line.
src_qemu_libqemu_a_SOURCES += src/qemu/argv.c src/qemu/argv.h src/qemu/boot.c src/qemu/chardevs.c src/qemu/command_line.c \
    src/qemu/command_line.h src/qemu/controllers.c src/qemu/cpu.c src/qemu/devices.c src/qemu/disk.h src/qemu/disk_chain.c src/qemu/disk_chain.h src/qemu/disk_network.c src/qemu/disk_nodes.c src/qemu/disk_order.c src/qemu/disk_order.h src/qemu/disk_users.c src/qemu/disk_users.h src/qemu/disks.c src/qemu/flash.c src/qemu/image_header.c src/qemu/image_header.h src/qemu/interfaces.c \
    src/qemu/line.c src/qemu/line.h src/qemu/machine.c src/qemu/memory.c src/qemu/props.c src/qemu/props.h src/qemu/screens.c src/qemu/slots.c src/qemu/smartcards.c src/qemu/smbios.c \
    src/qemu/startup_policy.c src/qemu/startup_policy.h

# Operations.
src_qemu_libqemu_a_SOURCES += src/qemu/emulator.c src/qemu/emulator.h src/qemu/foundling.c src/qemu/foundling.h src/qemu/firmware.c src/qemu/firmware.h src/qemu/variables.c src/qemu/launch_host.c src/qemu/guest_log.c src/qemu/guest_log.h src/qemu/hints.c src/qemu/hints.h \
    src/qemu/launch.c src/qemu/launch.h src/qemu/launch_definition.c \
    src/qemu/launch_monitor.c src/qemu/operations.c src/qemu/operations.h src/qemu/reattach.c src/qemu/reconnect.c src/qemu/reconnect.h src/qemu/vmm.c \
    src/qemu/vmm.h src/qemu/vmm_events.c src/qemu/viewers.c src/qemu/viewers.h src/qemu/vmm_tasks.c src/qemu/vnc_ports.c src/qemu/vnc_ports.h

# What a running guest tells, and is told.
src_qemu_libqemu_a_SOURCES += src/qemu/figures.c src/qemu/figures.h src/qemu/hotplug.c src/qemu/hotplug.h src/qemu/inject.c src/qemu/inject.h src/qemu/live.c src/qemu/live.h src/qemu/media.c src/qemu/power.c src/qemu/io_limits.c src/qemu/io_limits.h src/qemu/iothreads.c src/qemu/iothreads.h \
    src/qemu/power.h src/qemu/vcpus.c src/qemu/dump.c src/qemu/dump.h src/qemu/screendump.c src/qemu/screendump.h src/qemu/steps.c src/qemu/steps.h

# The QMP client.
src_qemu_libqemu_a_SOURCES += src/qemu/monitor.c src/qemu/monitor.h src/qemu/monitor_call.c src/qemu/monitor_input.c src/qemu/recorder.c src/qemu/recorder.h \
    src/qemu/monitor_private.h

# The object tree.
src_qemu_libqemu_a_SOURCES += src/qemu/qom_compare.c src/qemu/qom_compare.h src/qemu/qom_graph.c src/qemu/qom_graph.h \
    src/qemu/qom_calls.c src/qemu/qom_key.c src/qemu/qom_line.c src/qemu/qom_line.h src/qemu/qom_listing.c \
    src/qemu/qom_listing.h src/qemu/qom_memory.c src/qemu/qom_memory.h src/qemu/qom_parts.c src/qemu/qom_parts.h \
    src/qemu/qom_parts_compose.c src/qemu/qom_parts_file.c src/qemu/qom_parts_private.h src/qemu/qom_sketch.c \
    src/qemu/qom_sketch.h src/qemu/qom_paths.c src/qemu/qom_plan.c src/qemu/qom_plan.h src/qemu/qom_plan_file.c \
    src/qemu/qom_plan_private.h src/qemu/qom_pool.c src/qemu/qom_pool.h src/qemu/qom_pull.c src/qemu/qom_pull.h \
    src/qemu/qom_pull_bulk.c src/qemu/qom_pull_changed.c src/qemu/qom_pull_deep.c src/qemu/qom_pull_listed.c src/qemu/qom_pull_private.h src/qemu/qom_pull_walk.c src/qemu/qom_reader.c src/qemu/qom_reader.h src/qemu/qom_saved.c src/qemu/qom_saved.h src/qemu/qom_search.c src/qemu/qom_search.h src/qemu/qom_store.c \
    src/qemu/qom_store.h src/qemu/qom_tree.c src/qemu/qom_tree.h

# Devices beside disks, networks and screens.
src_qemu_libqemu_a_SOURCES += src/qemu/channels.c src/qemu/channels.h src/qemu/hostdevs.c src/qemu/services.c src/qemu/sounds.c

# What a definition asked for, and what came of it.
src_qemu_libqemu_a_SOURCES += src/qemu/asked.c src/qemu/asked.h src/qemu/asked_compare.c src/qemu/cpu_report.c src/qemu/cpu_report.h src/qemu/device_report.c \
    src/qemu/device_report.h src/qemu/device_settings.c src/qemu/device_settings.h src/qemu/drift.c src/qemu/drift.h

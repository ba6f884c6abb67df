libexec_PROGRAMS += simvmm/simvmm
noinst_LIBRARIES += simvmm/libsimvmm.a
simvmm_simvmm_SOURCES = simvmm/main.c
simvmm_libsimvmm_a_SOURCES = \
    simvmm/actions.c \
    simvmm/actions.h \
    simvmm/adjust.c \
    simvmm/adjust.h \
    simvmm/agent.c \
    simvmm/agent.h \
    simvmm/agent_base64.c \
    simvmm/agent_disks.c \
    simvmm/agent_exec.c \
    simvmm/agent_files.c \
    simvmm/agent_system.c \
    simvmm/block.c \
    simvmm/block.h \
    simvmm/block_check.c \
    simvmm/block_check.h \
    simvmm/bus.c \
    simvmm/bus.h \
    simvmm/chardev.c \
    simvmm/chardev.h \
    simvmm/chardev_open.c \
    simvmm/chardev_private.h \
    simvmm/clock.c \
    simvmm/clock.h \
    simvmm/command.c \
    simvmm/command.h \
    simvmm/command_block.c \
    simvmm/command_chardev.c \
    simvmm/command_fixed.c \
    simvmm/command_input.c \
    simvmm/command_pci.c \
    simvmm/command_plug.c \
    simvmm/command_qom.c \
    simvmm/command_query.c \
    simvmm/command_run.c \
    simvmm/command_screen.c \
    simvmm/command_stats.c \
    simvmm/command_type.c \
    simvmm/compose.c \
    simvmm/compose.h \
    simvmm/control.c \
    simvmm/control.h \
    simvmm/cpu_model.c \
    simvmm/cpu_model.h \
    simvmm/daemonize.c \
    simvmm/daemonize.h \
    simvmm/data.c \
    simvmm/data.h \
    simvmm/deliver.c \
    simvmm/deliver.h \
    simvmm/des.c \
    simvmm/des.h \
    simvmm/descriptors.c \
    simvmm/descriptors.h \
    simvmm/device.c \
    simvmm/device.h \
    simvmm/dump.c \
    simvmm/dump.h \
    simvmm/event.c \
    simvmm/event.h \
    simvmm/faults.c \
    simvmm/faults.h \
    simvmm/font.c \
    simvmm/font.h \
    simvmm/guest.c \
    simvmm/guest.h \
    simvmm/guest_memory.c \
    simvmm/guest_stats.c \
    simvmm/guest_stats.h \
    simvmm/hash_order.c \
    simvmm/hash_order.h \
    simvmm/image_lock.c \
    simvmm/image_lock.h \
    simvmm/incoming.c \
    simvmm/incoming.h \
    simvmm/input.c \
    simvmm/input.h \
    simvmm/keys.c \
    simvmm/keys.h \
    simvmm/keyval.c \
    simvmm/keyval.h \
    simvmm/machine.c \
    simvmm/machine.h \
    simvmm/message.c \
    simvmm/message.h \
    simvmm/migrate_parameters.c \
    simvmm/migrate_parameters.h \
    simvmm/migrate_stream.c \
    simvmm/migrate_stream.h \
    simvmm/migrate_uri.c \
    simvmm/migrate_uri.h \
    simvmm/migration.c \
    simvmm/migration.h \
    simvmm/monitor.c \
    simvmm/monitor.h \
    simvmm/netdev.c \
    simvmm/netdev.h \
    simvmm/object.c \
    simvmm/object.h \
    simvmm/option.h \
    simvmm/option_backend.c \
    simvmm/option_machine.c \
    simvmm/option_settings.c \
    simvmm/option_sim.c \
    simvmm/options.c \
    simvmm/options.h \
    simvmm/picture.c \
    simvmm/picture.h \
    simvmm/policy.c \
    simvmm/policy.h \
    simvmm/port.c \
    simvmm/port.h \
    simvmm/processor.c \
    simvmm/replay.c \
    simvmm/replay.h \
    simvmm/processor.h \
    simvmm/property.c \
    simvmm/property.h \
    simvmm/qom_order.c \
    simvmm/qom_order.h \
    simvmm/qom_tree.c \
    simvmm/qom_tree.h \
    simvmm/rfb.c \
    simvmm/rfb.h \
    simvmm/run.c \
    simvmm/run.h \
    simvmm/schema.c \
    simvmm/schema.h \
    simvmm/screen.c \
    simvmm/screen.h \
    simvmm/script.c \
    simvmm/script.h \
    simvmm/stdio.c \
    simvmm/stdio.h \
    simvmm/tokens.c \
    simvmm/tokens.h \
    simvmm/trouble.c \
    simvmm/trouble.h \
    simvmm/value.c \
    simvmm/value.h \
    simvmm/vm.c \
    simvmm/vm.h \
    simvmm/vnc.c \
    simvmm/vnc.h \
    simvmm/vnc_viewers.c
simvmm_libsimvmm_a_CPPFLAGS = $(AM_CPPFLAGS) -DSIMVMM_DATA='"$(abs_top_srcdir)/simvmm/data"'
simvmm_simvmm_LDADD = simvmm/libsimvmm.a src/loop/libloop.a src/json/libjson.a src/base/libbase.a $(UV_LIBS) $(YAJL_LIBS)

# The harvested data is a part of the program: the assembler reads the files themselves.
simvmm_data = simvmm/data/11.1.tree simvmm/data/11.1.replies simvmm/data/7.2.tree simvmm/data/7.2.replies
simvmm/libsimvmm_a-data.$(OBJEXT): $(simvmm_data)
EXTRA_DIST += $(simvmm_data) simvmm/data/README simvmm/harvest simvmm/compare simvmm/comparisons.py simvmm/emulator.py

# Disks: images, nodes, jobs on them.
simvmm_libsimvmm_a_SOURCES += \
    simvmm/bitmap.c simvmm/bitmap.h simvmm/block_io.c simvmm/block_io.h simvmm/block_make.c simvmm/block_open.c \
    simvmm/block_value.c simvmm/block_value.h simvmm/command_bitmap.c simvmm/command_copy.c simvmm/command_create.c \
    simvmm/command_export.c simvmm/nbd.c simvmm/nbd.h simvmm/nbd_option.c simvmm/nbd_private.h simvmm/nbd_request.c \
    simvmm/command_job.c simvmm/command_medium.c simvmm/command_node.c simvmm/command_snapshot.c simvmm/command_state.c \
    simvmm/drive.c simvmm/drive.h simvmm/latency.c simvmm/latency.h simvmm/given.c simvmm/given.h \
    simvmm/job.c simvmm/job.h simvmm/job_copy.c simvmm/job_copy.h simvmm/throttle.c simvmm/throttle.h \
    simvmm/transaction.c simvmm/transaction.h \
    simvmm/qcow2.c simvmm/qcow2.h simvmm/qcow2_private.h \
    simvmm/qcow2_bitmap.c simvmm/qcow2_cluster.c simvmm/qcow2_create.c simvmm/qcow2_map.c simvmm/qcow2_snapshot.c
EXTRA_DIST += simvmm/operations.py simvmm/sequences_block.py simvmm/sequences_guest.py

noinst_LIBRARIES += src/qemu/libqemu.a

# What an emulator can do.
src_qemu_libqemu_a_SOURCES = src/qemu/caps.c src/qemu/caps.h src/qemu/caps_cache.c src/qemu/caps_probe.h

# The command line.
src_qemu_libqemu_a_SOURCES += src/qemu/argv.c src/qemu/argv.h src/qemu/chardevs.c src/qemu/command_line.c \
    src/qemu/command_line.h src/qemu/controllers.c src/qemu/devices.c src/qemu/disks.c src/qemu/interfaces.c \
    src/qemu/line.c src/qemu/line.h src/qemu/machine.c src/qemu/props.c src/qemu/props.h src/qemu/screens.c

# Operations.
src_qemu_libqemu_a_SOURCES += src/qemu/guest_log.c src/qemu/guest_log.h src/qemu/operations.h

# The QMP client.
src_qemu_libqemu_a_SOURCES += src/qemu/monitor.h

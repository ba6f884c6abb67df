
# The object tree.
check_PROGRAMS += tests/unit/test_qom
TESTS += tests/unit/test_qom
tests_unit_test_qom_SOURCES = tests/unit/qemu/qom_compare.c tests/unit/qemu/qom_files.h tests/unit/qemu/qom_peer.c \
    tests/unit/qemu/qom_parts.c tests/unit/qemu/qom_peer.h tests/unit/qemu/qom_plan.c tests/unit/qemu/qom_pull.c tests/unit/qemu/qom_reader.c tests/unit/qemu/qom_saved.c tests/unit/qemu/qom_store.c \
    tests/unit/qemu/qom_tree.c tests/unit/qemu/qom_vmm.c tests/unit/qemu/qom_vmm.h
tests_unit_test_qom_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_qom_LDADD = src/qemu/libqemu.a src/json/libjson.a src/loop/libloop.a src/base/libbase.a \
    $(CRITERION_LIBS) $(YAJL_LIBS) $(UV_LIBS)
EXTRA_DIST += tests/unit/qemu/qom-small.json

# The QMP client, against a peer that follows a script.
check_PROGRAMS += tests/unit/test_monitor
TESTS += tests/unit/test_monitor
tests_unit_test_monitor_SOURCES = tests/unit/qemu/monitor.c
tests_unit_test_monitor_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_monitor_LDADD = src/qemu/libqemu.a src/json/libjson.a src/loop/libloop.a src/base/libbase.a \
    $(CRITERION_LIBS) $(YAJL_LIBS) $(UV_LIBS)

# Capabilities, against scripts that say they are emulators.
check_PROGRAMS += tests/unit/test_caps
TESTS += tests/unit/test_caps
tests_unit_test_caps_SOURCES = tests/unit/qemu/caps.c
tests_unit_test_caps_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_caps_LDADD = src/qemu/libqemu.a src/json/libjson.a src/loop/libloop.a src/base/libbase.a \
    $(CRITERION_LIBS) $(YAJL_LIBS) $(UV_LIBS)

# The command line, against golden files and libvirt's own.
check_PROGRAMS += tests/unit/test_commandline
TESTS += tests/unit/test_commandline
tests_unit_test_commandline_SOURCES = tests/unit/qemu/command_line.c tests/unit/qemu/upstream.c \
    tests/unit/qemu/caps_tables.c tests/unit/qemu/caps_tables.h tests/unit/qemu/recorded.c tests/unit/qemu/recorded.h
tests_unit_test_commandline_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_commandline_LDADD = src/qemu/libqemu.a src/conf/libconf.a src/xml/libxml.a src/json/libjson.a \
    src/loop/libloop.a src/base/libbase.a $(CRITERION_LIBS) $(XML_LIBS) $(YAJL_LIBS) $(UV_LIBS)
EXTRA_DIST += tests/golden/args

# A VMM's events, log and place on this host.
check_PROGRAMS += tests/unit/test_vmm
TESTS += tests/unit/test_vmm
tests_unit_test_vmm_SOURCES = tests/unit/qemu/asked.c tests/unit/qemu/disk_chain.c tests/unit/qemu/emulator.c tests/unit/qemu/firmware.c \
    tests/unit/qemu/guest_log.c tests/unit/qemu/recorder.c tests/unit/qemu/hints.c tests/unit/qemu/vmm_events.c
tests_unit_test_vmm_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_vmm_LDADD = src/qemu/libqemu.a src/domain/libdomain.a src/conf/libconf.a src/xml/libxml.a \
    src/json/libjson.a src/loop/libloop.a src/base/libbase.a $(CRITERION_LIBS) $(XML_LIBS) $(YAJL_LIBS) $(UV_LIBS)

# Operations, on simvmm.
check_PROGRAMS += tests/unit/test_operations
TESTS += tests/unit/test_operations
tests_unit_test_operations_SOURCES = tests/unit/qemu/operations.c
tests_unit_test_operations_CFLAGS = $(AM_CFLAGS) $(CRITERION_CFLAGS)
tests_unit_test_operations_LDADD = $(tests_unit_test_vmm_LDADD)

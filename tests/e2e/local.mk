# End-to-end tests: a real domusd, stock clients.
e2e_tests = \
    tests/e2e/main_path_virsh.py \
    tests/e2e/main_path_python.py \
    tests/e2e/readonly.py \
    tests/e2e/domsh.py \
    tests/e2e/terminal.py \
    tests/e2e/daemon_life.py \
    tests/e2e/daemon_calls.py \
    tests/e2e/daemon_system.py \
    tests/e2e/statistics.py \
    tests/e2e/configuration.py \
    tests/e2e/devices.py \
    tests/e2e/served.py \
    tests/e2e/guest.py \
    tests/e2e/console.py \
    tests/e2e/restart.py \
    tests/e2e/kill9.py \
    tests/e2e/stuck.py \
    tests/e2e/record.py \
    tests/e2e/tree.py \
    tests/e2e/strategies.py \
    tests/e2e/hardship.py \
    tests/e2e/reported.py \
    tests/e2e/load.py \
    tests/e2e/examples.py \
    tests/e2e/simvmm_disks.py \
    tests/e2e/virsh_commands.py tests/e2e/simvmm_qmp.py \
    tests/e2e/simvmm_tree.py \
    tests/e2e/simvmm_guest.py \
    tests/e2e/simvmm_screen.py \
    tests/e2e/simvmm_migration.py \
    tests/e2e/simvmm_backends.py \
    tests/e2e/inject.py
TESTS += $(e2e_tests)
EXTRA_DIST += tests/e2e/harness.py tests/e2e/simvmm.py tests/e2e/wire.py $(e2e_tests)

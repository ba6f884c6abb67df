# Real emulators and a real libvirt, where there are any: skipped, and said so, where there are none.
live_tests = tests/live/simvmm_libvirt.py
TESTS += $(live_tests)
EXTRA_DIST += $(live_tests) tests/live/libvirt-inside.sh

# Unit tests: a Criterion program a module; each module's list stands in a file of its own.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
PY_LOG_DRIVER = $(LOG_DRIVER)
TEST_EXTENSIONS = .sh .py
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run-unit
PY_LOG_COMPILER = /usr/bin/python3 -B
SH_LOG_COMPILER = bash
EXTRA_DIST += tests/run-unit tests/tools/run tests/tools/reports tests/tools/lint tests/style/cppcheck.suppressions tests/floor

# Tests find the built programs and the (possibly read-only) source by these; the corpus by DOMUS_SHARED.
AM_TESTS_ENVIRONMENT = abs_top_builddir='$(abs_top_builddir)'; abs_top_srcdir='$(abs_top_srcdir)'; \
    DOMUS_SHARED="$${DOMUS_SHARED:-$(abs_top_srcdir)/../shared}"; \
    export abs_top_builddir abs_top_srcdir DOMUS_SHARED;

.PHONY: print-tests
print-tests:
	@printf '%s\n' $(TESTS)

if UNIT_TESTS
include tests/unit/base.mk
include tests/unit/loop.mk
include tests/unit/json.mk
include tests/unit/xml.mk
include tests/unit/conf.mk
include tests/unit/domain.mk
include tests/unit/qemu.mk
include tests/unit/rpc.mk
include tests/unit/daemon.mk
include tests/unit/shell.mk
include tests/unit/simvmm.mk
endif
include tests/sanitizers/local.mk
include tests/e2e/local.mk
include tests/golden/local.mk
include tests/style/local.mk
include tests/live/local.mk

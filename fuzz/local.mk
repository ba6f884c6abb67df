# A fuzz target is fuzz/NAME.c with LLVMFuzzerTestOneInput(), its list fuzz/NAME.mk, and seeds in fuzz/corpus/NAME/;
# fuzz/NAME.dict, if there is one, holds words of its language.  --enable-fuzzing links targets with libFuzzer;
# otherwise make check runs each over its seeds.  A list reads:
#
#     FUZZ_TARGETS += fuzz/json
#     fuzz_json_SOURCES = fuzz/json.c $(fuzz_main)
#     fuzz_json_LDFLAGS = $(fuzz_link_flags)
#     fuzz_json_LDADD = src/json/libjson.a src/base/libbase.a $(YAJL_LIBS)
FUZZ_TARGETS =
if FUZZING
fuzz_main =
fuzz_link_flags = $(AM_LDFLAGS) -fsanitize=fuzzer
noinst_PROGRAMS += $(FUZZ_TARGETS)
else
fuzz_main = fuzz/replay.c
fuzz_link_flags = $(AM_LDFLAGS)
check_PROGRAMS += $(FUZZ_TARGETS)
endif

include fuzz/script.mk
include fuzz/xml.mk
include fuzz/rpc.mk
include fuzz/qmp.mk
include fuzz/qom.mk
include fuzz/export.mk
include fuzz/image.mk
include fuzz/qcow2.mk

TESTS += fuzz/replay.sh
dist_check_SCRIPTS += fuzz/replay.sh
EXTRA_DIST += fuzz/run fuzz/corpus

.PHONY: print-fuzz-targets
print-fuzz-targets:
	@printf '%s\n' $(FUZZ_TARGETS)

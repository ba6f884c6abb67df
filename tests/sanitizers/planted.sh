#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A sanitized test run can fail: each planted fault fails it, by its exit status or by a report that tests/tools/reports finds.
# shellcheck disable=SC2154  # abs_top_srcdir and abs_top_builddir come from tests/local.mk
set -u
folder=$(mktemp -d "${TMPDIR:-/tmp}/planted-XXXXXX")
trap 'rm -rf "$folder"' EXIT
n=0
for fault in a_leak:LeakSanitizer an_overflow:"signed integer overflow" a_write_past_the_end:heap-buffer-overflow; do
    test=${fault%%:*} word=${fault#*:} n=$((n + 1))
    mkdir "$folder/$test"
    ASAN_OPTIONS=log_path=$folder/$test/asan:detect_leaks=1 \
        "$abs_top_builddir/tests/sanitizers/planted" --filter "planted/$test" --jobs=1 >"$folder/said" 2>&1
    code=$?
    found=$("$abs_top_srcdir/tests/tools/reports" "$folder/$test") || code=1
    cat "$folder/said" >&2
    if [[ $code != 0 && "$found $(cat "$folder/said")" == *$word* ]]; then
        echo "ok $n - ${test//_/ } planted in a test fails the run"
    else
        echo "not ok $n - ${test//_/ } planted in a test fails the run"
        echo "# ${found//$'\n'/$'\n'# }"
    fi
done
mkdir "$folder/clean"
if "$abs_top_srcdir/tests/tools/reports" "$folder/clean"; then
    echo "ok $((n + 1)) - a run without reports is clean"
else
    echo "not ok $((n + 1)) - a run without reports is clean"
fi
echo "1..$((n + 1))"

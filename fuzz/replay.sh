#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every fuzz target digests its seeds; a crash that was found once is a seed from then on.
# shellcheck disable=SC2154  # abs_top_srcdir and abs_top_builddir come from tests/local.mk
set -u
n=0
for folder in "$abs_top_srcdir"/fuzz/corpus/*/; do
    [[ -d $folder ]] || continue
    name=$(basename "$folder") n=$((n + 1))
    if [[ ! -x $abs_top_builddir/fuzz/$name ]]; then
        echo "not ok $n - there are seeds for $name, but no target"
    elif "$abs_top_builddir/fuzz/$name" "$folder"/* >&2; then
        echo "ok $n - $name digests its $(find "$folder" -type f | wc -l) seeds"
    else
        echo "not ok $n - $name digests its seeds"
    fi
done
[[ $n -gt 0 ]] && echo "1..$n" || echo "1..0 # SKIP no fuzz target yet"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# generate.sh types|functions|code FILE.x OUTPUT - makes C from an XDR description, by rpcgen.
#
# rpcgen's header drags in all of libtirpc.  It is split here: `types` (FILE.h) is plain data for everybody,
# `functions` (FILE_xdr.h) is for src/rpc alone.  `code` goes through bounded.h, which checks counts before
# anything is allocated.  The output appears whole or not at all.
set -eu
what=$1 input=$2 output=$3
name=$(basename "$input" .x)
draft=$output.tmp.$$
trap 'rm -f "$draft" "$draft.raw"' EXIT

case $what in
types)
    ${RPCGEN:-rpcgen} -M -i 0 -h "$input" >"$draft.raw"
    sed -e 's|^#include <rpc/rpc.h>|#include <sys/types.h>|' -e '/^#include <pthread.h>/d' \
        -e '/the xdr functions/,/endif.*K&R C/d' "$draft.raw" >"$draft" ;;
functions)
    ${RPCGEN:-rpcgen} -M -i 0 -h "$input" >"$draft.raw"
    {
        printf '#pragma once\n#include <rpc/rpc.h>\n#include "rpc/%s.h"\n' "$name"
        [ "$name" = remote ] || echo '#include "rpc/remote_xdr.h"'
        grep 'xdr_.*(XDR' "$draft.raw"
    } >"$draft" ;;
code)
    ${RPCGEN:-rpcgen} -M -i 0 -c "$input" >"$draft.raw"
    {
        printf '#include "rpc/%s_xdr.h"\n#include "rpc/bounded.h"\n' "$name"
        grep -v '^#include' "$draft.raw"
    } >"$draft" ;;
*)
    echo "generate.sh: what is '$what'?" >&2
    exit 2 ;;
esac
mv "$draft" "$output"

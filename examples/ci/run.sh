#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests a libvirt-python program against domusd and simvmm: no KVM, no root, nothing outside a temporary folder.
#
#   examples/ci/run.sh [PROGRAM]      PROGRAM gets a libvirt URI and a disk image; default: guest_test.py beside this
#
# $DOMUSD and $SIMVMM name the programs if they are neither on PATH nor in the build folder of this source.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-$here/guest_test.py}
domusd=${DOMUSD:-$(command -v domusd || echo "$here/../../build/daemon/domusd")}
simvmm=${SIMVMM:-$(command -v simvmm || echo "$here/../../build/simvmm/simvmm")}
[ -x "$domusd" ] && [ -x "$simvmm" ] || { echo "$0: there is no $domusd or no $simvmm" >&2; exit 1; }

work=$(mktemp -d /tmp/domus-ci-XXXXXX)
daemon=
end()
{
    status=$?
    [ -z "$daemon" ] || { kill "$daemon" && wait "$daemon" || :; }
    [ "$status" = 0 ] || sed 's/^/domusd: /' "$work/domusd.log" >&2
    rm -rf "$work"
    exit "$status"
}
trap end EXIT

# What the guests do can be scripted, and faults injected: see simvmm(1), e.g. sim_options = hang=stop:2
mkdir "$work/etc"
"$domusd" --root "$work" --emulator "$simvmm" >"$work/domusd.log" 2>&1 &
daemon=$!
tries=0
until [ -S "$work/run/domus-sock" ]; do
    kill -0 "$daemon" 2>/dev/null && [ $((tries += 1)) -lt 300 ] || { echo "domusd did not start" >&2; exit 1; }
    sleep 0.1
done

truncate -s 16M "$work/disk.img"
/usr/bin/python3 "$program" "qemu+unix:///system?socket=$work/run/domus-sock" "$work/disk.img"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ci.sh PROGRAM [WORD...]: runs a program that manages virtual machines against a domusd of its own whose guests are
# simulated: no KVM, no root, nothing left behind.  The program finds the daemon's URI in $LIBVIRT_DEFAULT_URI, so
# `libvirt.open()` and virsh need no other word, and the socket for domsh in $DOMUS_URI.
#
#     examples/ci.sh python3 examples/ci_program.py
#
# $DOMUS_BUILD is a build folder, if domusd is not installed.  $SIM_OPTIONS goes to simvmm: SIM_OPTIONS='script=my.sim'.
set -euo pipefail
(($#)) || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
if [[ ${DOMUS_BUILD:-} ]]; then
    domusd=$DOMUS_BUILD/daemon/domusd PATH=$DOMUS_BUILD/shell:$PATH
else
    domusd=$(command -v domusd) || { echo "domusd is not installed; name a build folder in DOMUS_BUILD" >&2; exit 1; }
fi

root=$(mktemp -d "${TMPDIR:-/tmp}/ci-XXXXXX")
daemon=
finish()
{
    status=$?
    if [[ $daemon ]]; then
        for name in $(domsh -q list --name 2>/dev/null); do domsh -q destroy "$name" >/dev/null 2>&1 || true; done
        { kill "$daemon" && wait "$daemon"; } 2>/dev/null || true
    fi
    ((status == 0)) || sed 's/^/domusd: /' "$root/daemon.log" >&2
    rm -rf "$root"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

mkdir -p "$root/etc"
[[ -z ${SIM_OPTIONS:-} ]] || echo "sim_options = $SIM_OPTIONS" >"$root/etc/domusd.conf"
export DOMUS_URI=$root/run/domus-sock
export LIBVIRT_DEFAULT_URI="qemu+unix:///system?socket=$DOMUS_URI"
"$domusd" --root "$root" --emulator sim >"$root/daemon.log" 2>&1 </dev/null &
daemon=$!
for ((i = 0; i < 300; i++)); do
    domsh -q list >/dev/null 2>&1 && break
    kill -0 "$daemon" 2>/dev/null || { echo "domusd did not start" >&2; exit 1; }
    sleep 0.1
done
"$@"

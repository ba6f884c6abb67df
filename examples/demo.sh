#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# demo.sh BUILD-FOLDER [--qemu]: a guest's life, shown step by step, on a private root that is removed at the end.
# `./dev demo` builds first and then runs this.
set -euo pipefail
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
emulator=sim title="the simulated VMM"
if [[ ${2:-} == --qemu ]]; then
    emulator=$(command -v qemu-system-x86_64) || { echo "qemu-system-x86_64 is not installed"; exit 1; }
    title=$("$emulator" --version | head -1)
elif [[ ${2:-} ]]; then
    echo "demo: there is no option '$2'" >&2
    exit 2
fi

root=$(mktemp -d "${TMPDIR:-/tmp}/demo-XXXXXX")
images=$root/images
daemon=
finish()
{
    if [[ $daemon ]]; then              # something failed, or the user had enough
        domsh destroy demo >/dev/null 2>&1 || true
        { kill "$daemon" && wait "$daemon"; } 2>/dev/null || true
    fi
    rm -rf "$root" "$images"
}
trap finish EXIT
trap 'exit 130' INT TERM

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
domsh() { "$build/shell/domsh" -q -c "$root/run/domus-sock" "$@"; }

# cache='none' opens files with O_DIRECT, which not every file system has (tmpfs before Linux 6.6, for one).
has_direct_io() { dd if=/dev/zero of="$1/direct" bs=4096 count=1 oflag=direct status=none 2>/dev/null; }
choose_images_folder()
{
    local parent
    mkdir "$images"
    has_direct_io "$images" && return
    for parent in /var/tmp "$HOME" "$build"; do
        echo "The file system of $images has no O_DIRECT, which cache='none' needs; trying $parent."
        rmdir "$images" 2>/dev/null || rm -rf "$images"
        images=$(mktemp -d "$parent/demo-XXXXXX")
        ! has_direct_io "$images" || return 0
    done
    echo "No folder with O_DIRECT was found; the disk with cache='none' cannot be shown here." >&2
    exit 1
}

say "A private domusd, running guests on $title"
"$build/daemon/domusd" --root "$root" --emulator "$emulator" >"$root/domusd.log" 2>&1 &
daemon=$!
for _ in {1..200}; do
    [[ ! -S $root/run/domus-sock ]] || break
    kill -0 $daemon 2>/dev/null || { cat "$root/domusd.log"; exit 1; }
    sleep 0.05
done
domsh version

say "A domain with three disks: cache='none', 'writeback', 'writethrough'"
choose_images_folder
for cache in none writeback writethrough; do
    truncate -s 16M "$images/$cache.img"
done
sed "s|/var/lib/domus/images|$images|" "$top/examples/three-disks.xml" >"$root/demo.xml"
domsh define "$root/demo.xml"
domsh start demo
"$build/shell/domsh" -c "$root/run/domus-sock" list --all

say "The emulator's command line"
pid=$(grep -ohP "\bpid='\K\d+" "$root"/run/status/*.xml | head -1)
tr '\0' '\n' <"/proc/$pid/cmdline" | awk 'NR > 1 && /^-/ { printf "\n    %s", $0; next } NR > 1 { printf " " }
                                          { printf "%s", $0 } END { print "" }'

say "The disks' caches, as the running emulator reports them"
# Each block device's "inserted" tells its file and its cache's flags, in some order.
domsh qemu-monitor-command demo --pretty '{"execute":"query-block"}' | tr -d ' ",' |
    awk -F: 'BEGIN { split("", got); printf "%-18s %-8s %s\n", "file", "direct", "no-flush" }
             /^(file|direct|no-flush):./ { got[$1] = $2 }
             length(got) == 3 { sub(".*/", "", got["file"])
                                printf "%-18s %-8s %s\n", got["file"], got["direct"], got["no-flush"]; delete got }'
for number in 0 1 2; do
    echo "virtio-disk$number: write-cache = $(domsh qom demo virtio-disk$number write-cache)"
done

say "What the object tree cost at this first start"
domsh qom demo --stats
say "... and at a second one"
domsh destroy demo
domsh start demo
domsh qom demo --stats
if [[ $(domsh qom demo --stats | sed -n 's/^method: //p') == qom-list/qom-get ]]; then
    echo
    echo "This QEMU is older than 10.1 and has no command that reads many objects at once, so the tree comes by one"
    echo "qom-list an object and one qom-get a property, in the background.  A start asks only for what it needs."
fi

say "A part of the tree"
domsh qom demo | grep -A12 '^ *peripheral (' || domsh qom demo | head -12
echo ...
domsh qom demo virtio-disk0 | head -12

say "Where the second start spent its time"
domsh timings demo

say "The end"
domsh destroy demo
"$build/shell/domsh" -c "$root/run/domus-sock" list --all
kill "$daemon"
wait "$daemon"
daemon=
echo "domusd has stopped, and nothing is left in $root."

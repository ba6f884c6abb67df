#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# libvirt-inside.sh ROOT FOLDER SIMVMM: a stock libvirtd of the Debian system under ROOT (a chroot) in namespaces of its
# own, with SIMVMM at /mnt/simvmm and its files in FOLDER.  Started by simvmm_libvirt.py under unshare(1); ends when it is
# killed, and all that it started with it.
set -eu
root=$1 folder=$2 simvmm=$3
mount --make-rprivate /
mount -t proc proc "$root/proc"
# Devices of its own, without a KVM: libvirt would probe again and again for what simvmm does not pretend to have.
mount -t tmpfs tmpfs "$root/dev"
for node in null zero full random urandom tty; do
    touch "$root/dev/$node"
    mount --bind "/dev/$node" "$root/dev/$node"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
for pair in etc:etc run:run lib:var/lib log:var/log cache:var/cache; do
    mkdir -p "$root/${pair#*:}/libvirt" "$folder/${pair%:*}"
    mount --bind "$folder/${pair%:*}" "$root/${pair#*:}/libvirt"
done
mkdir -p "$folder/tmp"
mount --bind "$folder/tmp" "$root/tmp"
mount -t tmpfs tmpfs "$root/mnt"
cp "$simvmm" "$root/mnt/simvmm"
ip link set lo up 2>/dev/null || :
chroot "$root" /usr/sbin/virtlogd -d -p /run/libvirt/virtlogd.pid
chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin /usr/sbin/libvirtd -d -p /run/libvirt/libvirtd.pid
for ((i = 0; i < 150; i++)); do
    chroot "$root" virsh -q -c qemu:///system version >/dev/null 2>&1 && break
    sleep 0.2
done
touch "$folder/ready"
while :; do sleep 3600 & wait $! || :; done     # reaps what is orphaned

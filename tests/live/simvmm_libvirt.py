#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A stock libvirt, newer than our host's, drives simvmm as its emulator: nothing of ours but simvmm is in between.

It needs root and a Debian system with libvirt-daemon, libvirt-clients, qemu-utils, libuv1 and libyajl2 under
$DOMUS_LIBVIRT_ROOT (/var/tmp/newest); without them all tests are skipped, and say so.
"""
import atexit
import contextlib
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tty

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
from harness import SANITIZED, SIMVMM, Failed, Skip, contains, main, same, test, until    # noqa: E402

ROOT = os.environ.get("DOMUS_LIBVIRT_ROOT") or "/var/tmp/newest"
NEEDED = ["usr/sbin/libvirtd", "usr/sbin/virtlogd", "usr/bin/virsh", "usr/bin/qemu-img",
          "usr/lib/x86_64-linux-gnu/libuv.so.1", "usr/lib/x86_64-linux-gnu/libyajl.so.2"]
GUEST = """<domain type='qemu'>
  <name>one</name>
  <memory unit='MiB'>256</memory>
  <vcpu>2</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type></os>
  <features><acpi/></features>
  <devices>
    <emulator>/mnt/simvmm</emulator>
    <disk type='file' device='disk'>
      <driver name='qemu' type='qcow2'/><source file='/tmp/a.qcow2'/><target dev='vda' bus='virtio'/>
    </disk>
    <disk type='file' device='cdrom'><target dev='sda' bus='sata'/><readonly/></disk>
    <interface type='user'><model type='virtio'/></interface>
    <serial type='pty'/>
    <channel type='unix'><target type='virtio' name='org.qemu.guest_agent.0'/></channel>
    <graphics type='vnc' port='-1' autoport='yes' listen='127.0.0.1'/>
    <video><model type='virtio'/></video>
    <rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>
    <memballoon model='virtio'><stats period='5'/></memballoon>
  </devices>
</domain>
"""


class Libvirt:
    """The daemon and its namespaces; one for all tests, since it asks a new emulator hundreds of things."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="dl-")
        os.makedirs(f"{self.folder}/etc")
        self.write("etc/libvirtd.conf", 'auth_unix_rw = "none"\nlog_outputs = "2:file:/var/log/libvirt/libvirtd.log"\n')
        self.write("etc/qemu.conf", 'security_driver = "none"\nuser = "root"\ngroup = "root"\nnamespaces = []\n'
                   'remember_owner = 0\ncgroup_controllers = []\n')
        inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libvirt-inside.sh")
        self.log = open(f"{self.folder}/inside.log", "w")
        self.process = subprocess.Popen(["unshare", "--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child",
                                         "bash", inside, ROOT, self.folder, SIMVMM],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        atexit.register(self.stop)
        until(lambda: os.path.exists(f"{self.folder}/ready") or self.process.poll() is not None, "libvirtd is up", 60)
        if self.process.poll() is not None:
            raise Skip("no namespaces for libvirtd: " + open(f"{self.folder}/inside.log").read().strip().replace("\n", "; "))
        self.init = open(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read().split()[0]

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w") as f:
            f.write(text)

    def stop(self):
        with contextlib.suppress(OSError):
            os.kill(int(self.init), signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words, fails=False, seconds=60):
        enter = ["nsenter", "-t", self.init, "-m", "-n", "-p", "-u", "-i", "chroot", ROOT]
        run = subprocess.run([*enter, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=seconds,
                             check=False)
        if bool(run.returncode) != fails:
            raise Failed(f"{' '.join(words)}: exit {run.returncode}\n{run.stdout}{run.stderr}{self.guest_log()}")
        return run.stderr if fails else run.stdout

    def virsh(self, *words, **more):
        return self.run("virsh", "-q", "-c", "qemu:///system", *words, **more).strip()

    def guest_log(self):
        return "".join(open(path, errors="replace").read()[-1500:] for path in glob.glob(f"{self.folder}/log/qemu/*.log"))

    def state(self, name="one"):
        return self.virsh("domstate", name)

    def until_state(self, state, name="one"):
        until(lambda: self.state(name) == state, f"{name} is {state}")


the_libvirt = None


def libvirt():
    global the_libvirt
    missing = [name for name in NEEDED if not os.path.exists(f"{ROOT}/{name}")]
    if missing:
        raise Skip(f"no libvirt to test with: {ROOT} has no {', '.join(missing)} (set DOMUS_LIBVIRT_ROOT)")
    if os.getuid():
        raise Skip("libvirtd in namespaces of its own needs root")
    if SANITIZED:
        raise Skip(f"a sanitized simvmm finds no libasan below {ROOT}")
    the_libvirt = the_libvirt or Libvirt()
    return the_libvirt


def fresh(running=True):
    """The libvirt, with one guest, new and running."""
    v = libvirt()
    for name in v.virsh("list", "--all", "--name").split():
        if v.state(name) != "shut off":
            v.virsh("destroy", name)
        v.virsh("undefine", name, "--managed-save", "--snapshots-metadata")
    for path in glob.glob(f"{v.folder}/tmp/*"):
        if os.path.isfile(path):
            os.unlink(path)
    v.run("qemu-img", "create", "-q", "-f", "qcow2", "/tmp/a.qcow2", "64M")
    with open(f"{v.folder}/tmp/b.img", "wb") as f:
        f.truncate(8 << 20)
    v.write("tmp/one.xml", GUEST)
    v.virsh("define", "/tmp/one.xml")
    if running:
        v.virsh("start", "one")
        same(v.state(), "running")
    return v


def needs(v, command):
    if f'"{command}"' not in v.virsh("qemu-monitor-command", "one", '{"execute":"query-commands"}'):
        raise Skip(f"simvmm has no {command}")


@test(daemon=False)
def libvirt_learns_from_simvmm_what_it_can_do(d):
    v = libvirt()
    said = v.virsh("domcapabilities", "--emulatorbin", "/mnt/simvmm", "--machine", "q35")
    contains(said, "<path>/mnt/simvmm</path>", "<machine>pc-q35-11.1</machine>", "<mode name='maximum' supported='yes'>", "<value>vnc</value>", "<backingStoreInput supported='yes'/>",
             "<backup supported='yes'/>")
    said = v.virsh("capabilities")
    contains(said, "<domain type='qemu'")


@test(daemon=False)
def a_guest_lives_from_its_definition_to_its_end(d):
    v = fresh(running=False)
    same(v.state(), "shut off")
    v.virsh("start", "one", "--paused")
    same(v.state(), "paused")
    v.virsh("resume", "one")
    same(v.state(), "running")
    v.virsh("suspend", "one")
    same(v.virsh("domstate", "one", "--reason"), "paused (user)")
    v.virsh("resume", "one")
    v.virsh("reset", "one")
    v.virsh("reboot", "one")
    time.sleep(0.5)
    same(v.state(), "running")
    v.virsh("shutdown", "one")
    v.until_state("shut off")
    same(v.virsh("domstate", "one", "--reason"), "shut off (shutdown)")
    v.virsh("start", "one")
    v.virsh("destroy", "one")
    same(v.virsh("domstate", "one", "--reason"), "shut off (destroyed)")
    v.virsh("undefine", "one")


@test(daemon=False)
def what_a_guest_has_is_shown(d):
    v = fresh()
    contains(v.virsh("dominfo", "one"), "State:          running")
    contains(v.virsh("domstats", "one"), "balloon.current=262144", "vcpu.current=2", "block.0.capacity=67108864")
    contains(v.virsh("dommemstat", "one"), "actual 262144")
    contains(v.virsh("domblkinfo", "one", "vda"), "67108864")
    contains(v.virsh("ttyconsole", "one"), "/dev/pts/")
    contains(v.virsh("domdisplay", "one"), "vnc://127.0.0.1:")
    contains(v.virsh("qemu-monitor-command", "one", '{"execute":"query-status"}'), '"status":"running"')
    contains(v.virsh("qemu-monitor-command", "one", "--hmp", "info status"), "VM status: running")


@test(daemon=False)
def a_console_talks_to_the_guest(d):
    v = fresh()
    terminal = os.open(f"/proc/{v.init}/root{ROOT}{v.virsh('ttyconsole', 'one')}", os.O_RDWR | os.O_NOCTTY)
    tty.setraw(terminal)
    os.write(terminal, b"hello")
    got = b""
    while b"hello" not in got:
        got += os.read(terminal, 100)
    os.close(terminal)


@test(daemon=False)
def devices_come_and_go(d):
    v = fresh()
    v.virsh("attach-disk", "one", "/tmp/b.img", "vdb", "--subdriver", "raw")
    contains(v.virsh("domblklist", "one"), "/tmp/b.img")
    v.virsh("detach-disk", "one", "vdb")
    same("/tmp/b.img" in v.virsh("domblklist", "one"), False)
    v.write("tmp/nic.xml", "<interface type='user'><mac address='52:54:00:00:00:01'/><model type='virtio'/></interface>")
    v.virsh("attach-device", "one", "/tmp/nic.xml")
    contains(v.virsh("domiflist", "one"), "52:54:00:00:00:01")
    v.virsh("detach-device", "one", "/tmp/nic.xml")
    until(lambda: "52:54:00:00:00:01" not in v.virsh("domiflist", "one"), "the network card is gone")
    v.write("tmp/channel.xml", "<channel type='pty'><target type='virtio' name='com.example.1'/></channel>")
    v.virsh("attach-device", "one", "/tmp/channel.xml")
    contains(v.virsh("dumpxml", "one"), "com.example.1")
    alias = re.search(r"com.example.1.*?<alias name='(channel\d+)'", v.virsh("dumpxml", "one"), re.S).group(1)
    v.virsh("detach-device-alias", "one", alias)
    until(lambda: "com.example.1" not in v.virsh("dumpxml", "one"), "the channel is gone")
    v.virsh("iothreadadd", "one", "3")
    contains(v.virsh("iothreadinfo", "one"), "3")
    v.virsh("iothreaddel", "one", "3")
    v.virsh("setmem", "one", "128M", "--live")
    until(lambda: "actual 131072" in v.virsh("dommemstat", "one"), "the balloon has changed")


@test(daemon=False)
def a_saved_guest_comes_back(d):
    v = fresh()
    v.virsh("save", "one", "/tmp/one.save")
    same(v.virsh("domstate", "one", "--reason"), "shut off (saved)")
    v.virsh("restore", "/tmp/one.save")
    same(v.state(), "running")
    v.virsh("managedsave", "one")
    same(v.state(), "shut off")
    v.virsh("start", "one")
    same(v.virsh("domstate", "one", "--reason"), "running (restored)")
    v.virsh("destroy", "one")


@test(daemon=False)
def a_guest_is_dumped(d):
    v = fresh()
    v.virsh("dump", "one", "/tmp/core", "--memory-only")
    said = subprocess.run(["readelf", "-hl", f"{v.folder}/tmp/core"], capture_output=True, text=True, check=False)
    contains(said.stdout, "CORE (Core file)", "NOTE", "LOAD")
    same("Warning" in said.stderr or "Error" in said.stderr, False, said.stderr)
    v.virsh("dump", "one", "/tmp/state")
    same(v.state(), "running")


@test(daemon=False)
def disks_are_snapshotted_committed_and_copied(d):
    v = fresh()
    v.virsh("snapshot-create-as", "one", "s1", "--disk-only")
    contains(v.virsh("domblklist", "one"), "/tmp/a.s1")
    v.virsh("blockcommit", "one", "vda", "--active", "--pivot", "--wait")
    contains(v.virsh("domblklist", "one"), "/tmp/a.qcow2")
    v.virsh("blockcopy", "one", "vda", "/tmp/copy.qcow2", "--wait", "--pivot", "--transient-job")
    contains(v.virsh("domblklist", "one"), "/tmp/copy.qcow2")


@test(daemon=False)
def a_disk_is_throttled(d):
    v = fresh()
    needs(v, "block_set_io_throttle")
    v.virsh("blkdeviotune", "one", "vda", "--total-iops-sec", "100")
    contains(re.sub(" +", " ", v.virsh("blkdeviotune", "one", "vda")), "total_iops_sec : 100")


@test(daemon=False)
def a_snapshot_within_a_disk_is_made_and_gone_back_to(d):
    v = fresh()
    needs(v, "snapshot-save")
    v.virsh("snapshot-create-as", "one", "s2")
    contains(v.virsh("snapshot-list", "one"), "s2")
    v.virsh("snapshot-revert", "one", "s2")
    same(v.state(), "running")
    v.virsh("snapshot-delete", "one", "s2")


@test(daemon=False)
def a_medium_is_changed(d):
    v = fresh()
    needs(v, "blockdev-open-tray")
    v.virsh("change-media", "one", "sda", "/tmp/b.img", "--insert", "--live")
    contains(v.virsh("domblklist", "one"), "/tmp/b.img")
    v.virsh("change-media", "one", "sda", "--eject", "--live")
    same("/tmp/b.img" in v.virsh("domblklist", "one"), False)


@test(daemon=False)
def a_libvirtd_that_is_started_again_finds_the_guest(d):
    v = fresh()
    pid = v.run("cat", "/run/libvirt/libvirtd.pid").strip()
    v.run("sh", "-c", f"kill {pid}")
    until(lambda: not os.path.exists(f"/proc/{v.init}/root{ROOT}/proc/{pid}"), "libvirtd has ended")
    v.run("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "/usr/sbin/libvirtd", "-d", "-p", "/run/libvirt/libvirtd.pid")
    v.until_state("running")
    v.virsh("suspend", "one")
    same(v.state(), "paused")


main()

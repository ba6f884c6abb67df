# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks share: a domusd of the built tree, the guests that they define, clocks and tables."""
import os
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("abs_top_builddir", os.path.join(TOP, "build"))
os.environ.setdefault("abs_top_srcdir", TOP)
sys.path.append(os.path.join(TOP, "tests/e2e"))
import harness  # noqa: E402
import wire  # noqa: E402

LIST_TIMES = 9


def milliseconds_of(function):
    begun = time.perf_counter()
    function()
    return (time.perf_counter() - begun) * 1000


def guest_xml(name, emulator=""):
    """A common guest: two disks, a network card, a console, a screen."""
    return f"""<domain type='qemu'>
  <name>{name}</name>
  <memory unit='MiB'>64</memory>
  <vcpu>2</vcpu>
  <os><type arch='x86_64' machine='pc'>hvm</type><boot dev='hd'/></os>
  <features><acpi/><apic/></features>
  <devices>{f"<emulator>{emulator}</emulator>" if emulator else ""}
    <disk type='file' device='disk'>
      <driver name='qemu' type='raw' cache='none'/><source file='/var/tmp/no-such/{name}.img'/>
      <target dev='vda' bus='virtio'/>
    </disk>
    <disk type='file' device='cdrom'><target dev='hda' bus='ide'/><readonly/></disk>
    <interface type='user'><model type='virtio'/></interface>
    <serial type='pty'/>
    <console type='pty'/>
    <graphics type='vnc' autoport='yes'/>
    <video><model type='cirrus'/></video>
  </devices>
</domain>
"""


def bare_xml(name, emulator=""):
    """A guest that any emulator starts: no file, no port."""
    return f"""<domain type='qemu'>
  <name>{name}</name>
  <memory unit='MiB'>32</memory>
  <vcpu>1</vcpu>
  <os><type arch='x86_64' machine='pc'>hvm</type></os>
  <devices>{f"<emulator>{emulator}</emulator>" if emulator else ""}
    <serial type='pty'/>
  </devices>
</domain>
"""


def status_kib(pid, key):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise KeyError(key)


def cpu_seconds(pid):
    words = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def wakeups(pid):
    """How often its threads have left the processor to wait, or were pushed from it."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        for line in open(f"/proc/{pid}/task/{thread}/status"):
            if "voluntary_ctxt_switches" in line:
                total += int(line.split()[1])
    return total


def row(what, value, unit, target=""):
    """One figure; the target is the issue's, if there is one."""
    print(f"{what:46} {value:10.1f} {unit:5} {target}".rstrip(), flush=True)

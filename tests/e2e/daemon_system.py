# SPDX-License-Identifier: Apache-2.0
"""domusd without --root, and on libvirt's sockets: in a mount namespace, so that this host's folders stay as they are."""
import os
import signal
import subprocess

from harness import DOMUSD, Failed, Skip, contains, main, same, test, until

# Empty folders over the system's; the first socket that domusd would make is what we wait for.
SYSTEM = """set -e
mount --make-rprivate /
for folder in /run /var/lib /var/log /var/cache; do mount -t tmpfs tmpfs $folder; done
mount --bind "$1" /etc/group
shift
exec "$@"
"""


class System:
    """A domusd in its own namespace; clients run inside it, too."""

    def __init__(self, d, *options):
        self.d = d
        groups = d.file("group", open("/etc/group").read() + "domus:x:64999:\n")
        with open(d.log, "ab") as log:
            self.process = subprocess.Popen(["unshare", "--mount", "bash", "-c", SYSTEM, "bash", groups, DOMUSD, "--emulator",
                                             d.emulator, *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        d.process = self.process
        until(self.is_ready, "domusd answers", 20)

    def is_ready(self):
        if self.process.poll() is not None:
            if "unshare: " in self.d.log_text() or "permission denied" in self.d.log_text():
                self.d.process = None
                raise Skip("no mount namespaces here")
            raise Failed(self.d.log_text())
        return "clients are served" in self.d.log_text()

    def inside(self, *words, fails=False):
        result = self.d.run(["nsenter", f"--mount=/proc/{self.process.pid}/ns/mnt", *words], fails)
        return result.err if fails else result.out

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        same(self.process.wait(20), 0)
        self.d.process = None


@test(daemon=False)
def without_a_root_everything_is_in_the_systems_folders(d):
    s = System(d)
    uri = "qemu+unix:///system?socket=/run/domus/domus-sock"
    s.inside("virsh", "-c", uri, "define", d.file("one.xml", d.xml("one")))
    s.inside("virsh", "-c", uri, "start", "one")
    contains(s.inside("sh", "-c", "ls /var/lib/domus/domains /run/domus/m /run/domus/status /var/log/domus"),
             ".xml", "1.sock", "one-", ".log")
    same(s.inside("stat", "-c", "%a %g", "/run/domus/domus-sock").split(), ["660", "64999"])
    same(s.inside("stat", "-c", "%a", "/run/domus/domus-sock-ro").split(), ["666"])
    same(s.inside("stat", "-c", "%a", "/run/domus", "/run/domus/m", "/var/lib/domus").split(), ["755", "700", "700"])
    contains(s.inside("env", "-u", "DOMUS_URI", f"{os.path.dirname(DOMUSD)}/../shell/domsh", "list"), "one")
    s.inside("virsh", "-c", uri, "destroy", "one")
    s.stop()


@test(daemon=False)
def unmodified_clients_find_us_where_libvirt_would_be(d):
    s = System(d, "--config", d.file("x.conf", "libvirt_sockets = yes\n"))
    s.inside("virsh", "-c", "qemu:///system", "define", d.file("one.xml", d.xml("one")))
    contains(s.inside("virsh", "-c", "qemu:///system?mode=legacy", "list", "--all"), "one")
    contains(s.inside("virsh", "-c", "qemu:///system?mode=direct", "list", "--all"), "one")
    contains(s.inside("virsh", "-r", "-c", "qemu:///system", "list", "--all"), "one")
    contains(s.inside("virsh", "-r", "-c", "qemu:///system", "undefine", "one", fails=True), "read only")
    contains(s.inside(DOMUSD, "--root", f"{d.root}/other", "--emulator", d.emulator, "--config", f"{d.root}/x.conf",
                      fails=True), "another daemon answers at /run/libvirt/libvirt-sock")
    s.stop()


main()

# SPDX-License-Identifier: Apache-2.0
"""What a read-only connection may and may not do."""
import libvirt

from harness import Failed, contains, main, same, test


@test()
def a_read_only_client_sees_but_changes_nothing(d):
    d.define("one")
    contains(d.virsh("list", "--all", readonly=True), "one")
    contains(d.virsh("dumpxml", "one", readonly=True), "<name>one</name>")
    contains(d.virsh("dominfo", "one", readonly=True), "State:")
    for words in (["start", "one"], ["undefine", "one"], ["autostart", "one"], ["dumpxml", "one", "--security-info"],
                  ["define", f"{d.root}/one.xml"], ["create", f"{d.root}/one.xml"], ["destroy", "one"],
                  ["suspend", "one"], ["resume", "one"], ["qemu-monitor-command", "one", "{}"],
                  ["domxml-to-native", "qemu-argv", "--domain", "one"]):
        said = d.virsh(*words, readonly=True, fails=True)
        if "read only access prevents" not in said and "operation forbidden" not in said:
            raise Failed(f"{words}: {said}")
    contains(d.virsh("list", "--all"), "shut off")


@test()
def the_read_only_socket_gives_no_more_to_who_asks_for_more(d):
    d.define("one")
    libvirt.registerErrorHandler(lambda _, error: None, None)
    connection = libvirt.open(f"qemu+unix:///system?socket={d.socket(readonly=True)}")
    d.connections.append(connection)
    try:
        connection.lookupByName("one").create()
    except libvirt.libvirtError as error:
        same(error.get_error_code(), libvirt.VIR_ERR_OPERATION_DENIED)
    else:
        raise Failed("a start through the read-only socket succeeded")


@test()
def the_sockets_have_the_modes_that_keep_others_out(d):
    import os
    same(oct(os.stat(d.socket()).st_mode & 0o777), "0o600")
    same(oct(os.stat(d.socket(readonly=True)).st_mode & 0o777), "0o666")


main()

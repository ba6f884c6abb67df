# SPDX-License-Identifier: Apache-2.0
"""What simvmm/compare tries on both: machines for their trees, requests for their replies, mistakes for their texts."""
COMMON = ["-name", "guest=t,debug-threads=on", "-accel", "tcg", "-S", "-nodefaults", "-no-user-config", "-display", "none",
          "-uuid", "11111111-2222-3333-4444-555555555555"]
IMAGE = "/tmp/simvmm-harvest.img"


def disk(n, options="", file_options=""):
    return [f"-blockdev driver=file,node-name=f{n},filename={IMAGE},locking=off{file_options}",
            f"-blockdev driver=raw,node-name=d{n},file=f{n}{options}"]


D0, D1, D2 = disk(0), disk(1, ",read-only=on", ",read-only=on"), disk(2, ",read-only=on", ",read-only=on")
NET = ["-netdev user,id=net0"]
LINES = {
    "bare": ["-M pc -m 128"],
    "fixture": ["-M pc -m 128", *D0, "-device virtio-blk-pci,id=virtio-disk0,drive=d0", *NET,
                "-device virtio-net-pci,id=nic0,netdev=net0,mac=52:54:00:12:34:56", "-device virtio-balloon-pci,id=balloon0",
                "-device piix3-usb-uhci,id=usb", "-device usb-tablet,id=tablet0,bus=usb.0", "-device VGA,id=video0",
                "-chardev null,id=ser0", "-device isa-serial,id=serial0,chardev=ser0"],
    "memory 256M": ["-M pc -m 256"],
    "memory 4G": ["-M pc -m 4096"],
    "backend": ["-M pc,memory-backend=pc.ram,usb=off,dump-guest-core=off -m size=262144k",
                "-object {\"qom-type\":\"memory-backend-ram\",\"id\":\"pc.ram\",\"size\":268435456}"],
    "smp 2": ["-M pc -m 128 -smp 2"],
    "smp 4 topology": ["-M pc -m 128 -smp 4,maxcpus=8,sockets=2,dies=1,cores=2,threads=2"],
    "acpi on": ["-M pc,acpi=on -m 128"],
    "vmport off": ["-M pc,vmport=off -m 128"],
    "hpet off": ["-M pc,hpet=off -m 128"],
    "acpi off": ["-M pc,acpi=off -m 128"],
    "i8042 off": ["-M pc,i8042=off -m 128"],
    "smm off": ["-M pc,smm=off -m 128"],
    "cpu max": ["-M pc -m 128 -cpu max"],
    "cpu Haswell": ["-M pc -m 128 -cpu Haswell,hle=off,+vmx"],
    "boot": ["-M pc -m 128 -boot menu=on,strict=on,splash-time=3000"],
    "cache modes": ["-M pc -m 128", *disk(0, ",cache.direct=off,cache.no-flush=off"), *D1, *D2,
                    "-device virtio-blk-pci,id=v0,drive=d0,write-cache=on,bootindex=1,addr=0x5,bus=pci.0",
                    "-device virtio-blk-pci,id=v1,drive=d1,write-cache=off,serial=abc,addr=0x6",
                    "-device virtio-blk-pci,id=v2,drive=d2,num-queues=4"],
    "ide": ["-M pc -m 128", *D0, *D1, "-device ide-hd,id=h0,drive=d0,bus=ide.0,unit=0,bootindex=1,write-cache=on",
            "-device ide-cd,id=c0,drive=d1,bus=ide.1,unit=0", "-device ide-cd,id=c1,bus=ide.1,unit=1"],
    "scsi": ["-M pc -m 128", *D0, *D1, "-device virtio-scsi-pci,id=scsi0", "-device lsi53c895a,id=scsi1",
             "-device scsi-hd,bus=scsi0.0,channel=0,scsi-id=0,lun=3,drive=d0,id=scsi0-0-0-3,device_id=x",
             "-device scsi-cd,bus=scsi1.0,scsi-id=2,drive=d1,id=scsi1-0-2"],
    "sata": ["-M pc -m 128", *D0, *D1, "-device ahci,id=sata0", "-device ide-hd,bus=sata0.0,drive=d0,id=sata0-0-0",
             "-device ide-cd,bus=sata0.1,drive=d1,id=sata0-0-1"],
    "floppy": ["-M pc -m 128", *D0, "-device floppy,unit=0,drive=d0,id=fdc0-0-0"],
    "usb": ["-M pc -m 128", *D0, "-device nec-usb-xhci,id=usb,p2=8,p3=8", "-device usb-storage,bus=usb.0,port=1,drive=d0,id=u0",
            "-device usb-kbd,id=k0,bus=usb.0,port=2", "-device usb-mouse,id=m0,bus=usb.0,port=3", "-device usb-hub,id=hub0,bus=usb.0,port=4"],
    "usb ehci": ["-M pc -m 128 -device ich9-usb-ehci1,id=usb,addr=0x4.0x7 -device ich9-usb-uhci1,masterbus=usb.0,firstport=0,"
                 "addr=0x4,multifunction=on,id=uh0 -device usb-tablet,id=t0,bus=usb.0,port=1"],
    "nics": ["-M pc -m 128", *NET, "-netdev user,id=net1", "-netdev user,id=net2",
             "-device e1000,netdev=net0,id=n0,mac=52:54:00:aa:bb:cc,bus=pci.0,addr=0x3", "-device rtl8139,netdev=net1,id=n1",
             "-device virtio-net-pci,netdev=net2,id=n2,host_mtu=1400,bootindex=2"],
    "serial ports": ["-M pc -m 128 -device virtio-serial-pci,id=virtio-serial0,max_ports=16 -chardev null,id=c0 -chardev null,id=c1 "
                     "-chardev null,id=c2 -chardev null,id=c3 -device virtserialport,bus=virtio-serial0.0,nr=1,chardev=c0,id=p0,"
                     "name=org.qemu.guest_agent.0 -device virtconsole,chardev=c1,id=p1 -device isa-serial,chardev=c2,id=s0,index=0 "
                     "-device isa-serial,chardev=c3,id=s1,index=1"],
    "rng": ["-M pc -m 128 -object rng-random,id=r0,filename=/dev/urandom -device virtio-rng-pci,rng=r0,id=rng0,max-bytes=1234,period=2000"],
    "iothread": ["-M pc -m 128 -object iothread,id=iothread1", *D0, "-device virtio-blk-pci,drive=d0,iothread=iothread1,id=v0"],
    "video cirrus": ["-M pc -m 128 -device cirrus-vga,id=video0,bus=pci.0,addr=0x2"],
    "video virtio": ["-M pc -m 128 -device virtio-vga,id=video0,max_outputs=2 -device virtio-gpu-pci,id=video1"],
    "video VGA": ["-M pc -m 128 -device VGA,id=video0,vgamem_mb=32,bus=pci.0,addr=0x2"],
    "anonymous": ["-M pc -m 128 -device virtio-serial-pci -device virtio-scsi-pci -device piix3-usb-uhci -device usb-tablet"],
    "sound": ["-M pc -m 128 -audiodev none,id=a -device intel-hda,id=s0 -device hda-duplex,id=s0c0,bus=s0.0,cad=0,audiodev=a "
              "-device AC97,audiodev=a,id=s1"],
    "watchdog": ["-M pc -m 128 -device i6300esb,id=watchdog0 -device pvpanic"],
    "secret": ["-M pc -m 128 -object secret,id=s0,data=abc -object throttle-group,id=t0"],
    "bridge": ["-M pc -m 128 -device pci-bridge,chassis_nr=1,id=pci.1,bus=pci.0,addr=0x3 -device virtio-balloon-pci,bus=pci.1,addr=0x1,id=b0"],
    "libvirt": ["-machine pc,usb=off,dump-guest-core=off,memory-backend=pc.ram,acpi=on -m size=262144k",
                "-object {\"qom-type\":\"memory-backend-ram\",\"id\":\"pc.ram\",\"size\":268435456} -overcommit mem-lock=off",
                "-smp 2,sockets=2,cores=1,threads=1 -rtc base=utc -no-shutdown -boot strict=on",
                "-device {\"driver\":\"piix3-usb-uhci\",\"id\":\"usb\",\"bus\":\"pci.0\",\"addr\":\"0x1.0x2\"}",
                "-device {\"driver\":\"virtio-serial-pci\",\"id\":\"virtio-serial0\",\"bus\":\"pci.0\",\"addr\":\"0x5\"}", *D0,
                "-device {\"driver\":\"virtio-blk-pci\",\"bus\":\"pci.0\",\"addr\":\"0x6\",\"drive\":\"d0\",\"id\":\"virtio-disk0\","
                "\"bootindex\":1,\"write-cache\":\"on\"}",
                "-netdev {\"type\":\"user\",\"id\":\"hostnet0\"}",
                "-device {\"driver\":\"virtio-net-pci\",\"netdev\":\"hostnet0\",\"id\":\"net0\",\"mac\":\"52:54:00:11:22:33\","
                "\"bus\":\"pci.0\",\"addr\":\"0x3\"}",
                "-chardev pty,id=charserial0 -device {\"driver\":\"isa-serial\",\"chardev\":\"charserial0\",\"id\":\"serial0\",\"index\":0}",
                "-audiodev {\"id\":\"audio1\",\"driver\":\"none\"} -vnc 127.0.0.1:77,audiodev=audio1",
                "-device {\"driver\":\"cirrus-vga\",\"id\":\"video0\",\"bus\":\"pci.0\",\"addr\":\"0x2\"}",
                "-device {\"driver\":\"virtio-balloon-pci\",\"id\":\"balloon0\",\"bus\":\"pci.0\",\"addr\":\"0x7\"}",
                "-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny -msg timestamp=on"],
    "q35": ["-M q35 -m 128"],
    "q35 devices": ["-M q35 -m 128 -device pcie-root-port,port=16,chassis=1,id=pci.1,bus=pcie.0,multifunction=on,addr=0x2",
                    "-device pcie-root-port,port=17,chassis=2,id=pci.2,bus=pcie.0,addr=0x2.0x1", *D0,
                    "-device virtio-blk-pci,bus=pci.1,addr=0x0,drive=d0,id=v0 -device virtio-balloon-pci,id=b0,bus=pci.2,addr=0x0",
                    "-device qemu-xhci,id=usb -device usb-tablet,id=t0 -device VGA,id=video0"],
    "q35 smp": ["-M q35 -smp 4,sockets=2,cores=2 -m 512"],
    "q35 network": ["-M q35 -netdev user,id=n0 -device virtio-net-pci,netdev=n0,id=net0 -device virtio-rng-pci,id=r0"],
    "q35 screen": ["-M q35 -device virtio-vga,id=video0 -device qemu-xhci,id=usb -device usb-tablet,bus=usb.0,id=t0"],
    "microvm": ["-M microvm -m 128"],
}

# Command lines that QEMU refuses, or takes although one might not think so; "d0" and "f0" are made if they are used.
REFUSALS = """
-device virtio-balloon-pci,deflate-on-oom=maybe
-device virtio-net-pci,mac=zz
-device virtio-net-pci,netdev=zz
-device virtio-balloon-pci,addr=0x40
-device virtio-balloon-pci,addr=zz
-device virtio-balloon-pci,addr=1.0
-device virtio-balloon-pci,vectors=abc
-device virtio-balloon-pci,vectors=99999999999
-device virtio-balloon-pci,disable-legacy=zz
-device virtio-balloon-pci,bus=zz
-device virtio-balloon-pci,bus=isa.0
-device usb-tablet
-device scsi-hd
-device isa-serial
-device isa-serial,chardev=zz
-device usb-tablet,bus=pci.0
-device virtio-balloon-pci,id=1a
-device virtio-balloon-pci,id=a,id=b
-device virtio-balloon-pci,foo
-device virtio-balloon-pci,=5
-device pci-device
-device memory-region
-device {"driver":"virtio-balloon-pci","foo":1}
-device {"driver":"virtio-balloon-pci","vectors":"a"}
-device {"driver":"virtio-balloon-pci","vectors":-1}
-device {"driver":"virtio-balloon-pci","deflate-on-oom":"on"}
-device {"driver":"virtio-balloon-pci","deflate-on-oom":"maybe"}
-device {"driver":"virtio-balloon-pci","addr":5}
-device {"driver":5}
-device {}
-device {"driver":"virtio-balloon-pci","id":"a","id":"b"}
-device []
-device driver=
-device virtio-blk-pci,bootindex=1,drive=d0 -device virtio-blk-pci,drive=d0
-device virtio-blk-pci,drive=d0,serial=123456789012345678901234567890
-device ide-cd,drive=d0,bus=ide.0,unit=3
-device ide-cd,bus=ide.0,unit=0 -device ide-cd,bus=ide.0,unit=0
-device virtio-balloon-pci,addr=5 -device virtio-balloon-pci,addr=5
-device virtio-balloon-pci,bootindex=1
-device virtio-net-pci,bootindex=1 -device virtio-net-pci,bootindex=1
-device piix3-usb-uhci,id=u -device usb-tablet,port=9
-device piix3-usb-uhci,id=u -device usb-tablet,port=1 -device usb-tablet,port=1
-device piix3-usb-uhci,id=u -device usb-tablet -device usb-tablet -device usb-tablet
-device virtio-serial-pci -device virtserialport,nr=0
-device virtio-serial-pci -device virtserialport,nr=1 -device virtserialport,nr=1
-device virtio-serial-pci -device virtserialport,name=a -device virtserialport,name=a
-device virtio-balloon-pci -device virtio-balloon-pci
-device ide-cd -device ide-cd -device ide-cd -device ide-cd -device ide-cd
-device floppy -device floppy -device floppy
-device virtio-scsi-pci -device scsi-hd,drive=d0,scsi-id=999
-blockdev driver=file,filename=/tmp/simvmm-harvest.img
-blockdev driver=file,node-name=f0,filename=/tmp/simvmm-harvest.img
-blockdev driver=raw,node-name=x,file=zz
-blockdev driver=zz,node-name=x
-blockdev node-name=x
-blockdev driver=file,node-name=x
-blockdev driver=file,node-name=x,filename=/nope
-blockdev driver=file,node-name=x,filename=/tmp/simvmm-harvest.img,foo=1
-blockdev driver=file,node-name=x,filename=/tmp
-blockdev driver=file,node-name=x,filename=/tmp/simvmm-harvest.img,cache.direct=maybe
-blockdev driver=qcow2,node-name=x,file=f0
-blockdev {"driver":"file","node-name":"y","filename":"/tmp/simvmm-harvest.img","cache":{"direct":"x"}}
-blockdev driver=file,node-name=1x,filename=/tmp/simvmm-harvest.img
-blockdev foo
-chardev null
-chardev null,id=a -chardev null,id=a
-chardev zz,id=a
-chardev socket,id=a
-chardev socket,id=a,path=/nodir/x,server=on,wait=off
-chardev socket,id=a,path=/nodir/x
-chardev socket,id=a,fd=99,server=on
-chardev file,id=a
-chardev file,id=a,path=/nodir/x
-chardev null,id=1
-chardev null,id=a,foo=1
-netdev user
-netdev user,id=a -netdev user,id=a
-netdev zz,id=a
-netdev user,id=a,foo=1
-netdev tap,id=a,fd=99
-object nope,id=a
-object memory-backend-ram,id=a
-object memory-backend-ram,size=1M
-object memory-backend-ram,id=a,size=zz
-object iothread,id=a -object iothread,id=a
-object iothread,id=a,foo=1
-object secret,id=s
-nope
-m
-m abc
-m 1
-m 0
-m 128,slots=2
-m 128,maxmem=64M
-smp 0
-smp 4,maxcpus=2
-smp abc
-smp 2,foo=1
-smp 2,sockets=3
-smp 300
-cpu nope
-cpu qemu64,foo=on
-cpu qemu64,+foo
-M nope
-M pc,foo=bar
-M pc,usb=maybe
-M pc,accel=nope
-M pc,memory-backend=zz
-accel nope
-accel tcg,foo=1
-uuid zz
-name a,b=c
-boot q
-boot order=q
-boot foo=1
-rtc base=zz
-rtc foo=1
-vnc zz
-vnc 127.0.0.1:99,foo=1
-vnc unix:/nodir/x
-vga zz
-display zz
-sandbox zz
-sandbox on,foo=1
-msg timestamp=zz
-msg foo=1
-global a.b
-global virtio-balloon-pci.foo=1
-mon chardev=zz
-mon chardev=zz,mode=zz
-object monitor-qmp,id=m,chardev=zz
-kernel /nope
-bios /nope
-drive file=/nope,if=none,id=a
-drive if=none,id=a
-drive file=/tmp/simvmm-harvest.img,if=zz
-drive file=/tmp/simvmm-harvest.img,if=none,id=a,foo=1
-drive file=/tmp/simvmm-harvest.img,if=none,id=a,cache=zz,format=raw
-pidfile /nodir/x
-incoming zz:
-audiodev zz,id=a
-audiodev none
-overcommit foo=1
-overcommit mem-lock=zz
-no-hpet
-no-acpi
-add-fd set=0,fd=99
-runas zz
-fw_cfg zz
-smbios type=zz
-numa zz
-watchdog zz
-watchdog-action zz
-qmp unix:/nodir/x,server=on,wait=off
-action zz=a
-k zz
-L /nope
-loadvm zz
-device virtio-blk-pci
-device virtio-blk-pci,drive=zz
-device nope
""".strip().split("\n")

# Sent to a fresh monitor; what comes back is compared byte by byte.
INPUTS = [
    b'{"execute":"query-name","id":1.0}',
    b'{"execute":"query-name","id":1e3}',
    b'{"execute":"query-name","id":18446744073709551616}',
    b'{"execute":"query-name","id":-9223372036854775809}',
    b'{"execute":"query-name","id":{"b":1,"a":[2,null,true]}}',
    b"{'execute':'query-name','id':'x\\u00e9\\n\x7f'}",
    b'{"execute":"query-name","id":0.1}',
    b'{"execute":"query-name" "id":1}',
    b'{"execute":}',
    b'{"execute":nonsense}',
    b'{"a":1,"a":2}',
    b'[1,2',
    b'\n{"x":@}',
    b'{1:2}',
    b'{"a" 1}',
    b'[1 2]',
    b']',
    b'}',
    b'{"execute":"query-name",}',
    b'"abc\n"',
    b'{"execute":"query-name","id":"\xff"}',
    b'{"execute":"query-name","id":"\\ud83d\\ude00"}',
    b'{"execute":"query-name","id":"\\ud83d"}',
    b'{"execute":"query-name","id":"\\q"}',
    b'{"execute":"query-name","id":"\\u12"}',
    b'tru',
    b'%d',
    b'{"execute":"query-name","id":01}',
    b'{"execute":"query-name","id":-}',
    b'{"execute":"query-name","id":1.}',
    b'+1',
    b'{"execute":"query-name","id":"\\u0000"}',
    b'{"execute":"query-name","id":"/\\/"}',
    b'{"execute":5}',
    b'{"execute":"query-name","arguments":5}',
    b'{"arguments":{}}',
    b'{"execute":"query-name","foo":1}',
    b'{"execute":"query-name","exec-oob":"x"}',
    b'{"exec-oob":"query-name"}',
    b'5',
    b'nope',
    b'{"execute":"nope","id":1}',
    b'\xff',
    b'abc def {"execute":"query-name"}',
    b',',
    b':',
    b'{,}',
    b'[,]',
    b'{"a":[1,}',
    b'{"execute":"query-name"} }',
    b'"\xc3("',
    b'"\x01"',
    b'{"execute":"query-name","id":"a\\\'b"}',
    b'{"execute":"query-name","id":-0}',
    b'{"execute":"query-name","id":1E+2}',
    b'{"execute":"query-name","id":1e400}',
    b'{"execute":"query-name","id":9223372036854775808}',
]

# A machine with one of most things, and what is asked of it, in this order.  All commands that simvmm lists come first,
# without arguments.
ASKED_OF = ("-M pc -m 128 -smp 2 "
            "-blockdev driver=file,node-name=f0,filename=/tmp/simvmm-harvest.img,locking=off -blockdev "
            "driver=raw,node-name=d0,file=f0 -device virtio-blk-pci,id=v0,drive=d0 -blockdev "
            "driver=file,node-name=f1,filename=/tmp/simvmm-harvest.img,locking=off,read-only=on,cache.direct=on "
            "-blockdev driver=raw,node-name=d1,file=f1,read-only=on,cache.direct=on -device "
            "ide-cd,id=c0,drive=d1,bus=ide.0 -device ide-cd,id=c1,bus=ide.1 -netdev user,id=net0 -device "
            "virtio-net-pci,id=n0,netdev=net0,mac=52:54:00:12:34:56 -device virtio-balloon-pci,id=b0 -device "
            "piix3-usb-uhci,id=usb -device usb-tablet,id=t0 -device VGA,id=video0 -chardev null,id=s0 -device "
            "isa-serial,chardev=s0,id=serial0 -chardev pty,id=s1 -device isa-serial,chardev=s1,id=serial1 -object "
            "iothread,id=io1 -vnc 127.0.0.1:90,to=99 "
            ).split()
ASKED = [
    ('qom-list', {'path': '/machine/peripheral/b0'}),
    ('qom-list', {'path': '/nope'}),
    ('qom-list', {'path': 'parent_bus'}),
    ('qom-get', {'path': 'parent_bus', 'property': 'type'}),
    ('qom-get', {'path': '/machine', 'property': 'nope'}),
    ('qom-get', {'path': '/machine/unattached/device[0]', 'property': 'crash-information'}),
    ('qom-set', {'path': '/machine', 'property': 'kernel', 'value': 5}),
    ('qom-set', {'path': '/machine', 'property': 'type', 'value': 'x'}),
    ('qom-set', {'path': '/machine/peripheral/b0', 'property': 'guest-stats-polling-interval', 'value': 5}),
    ('qom-get', {'path': 'b0', 'property': 'guest-stats-polling-interval'}),
    ('qom-set', {'path': '/machine/peripheral/b0', 'property': 'deflate-on-oom', 'value': True}),
    ('qom-set', {'path': '/machine/peripheral/b0', 'property': 'addr', 'value': 5}),
    ('qom-list-get', {'paths': []}),
    ('qom-list-get', {'paths': ['/machine/peripheral/b0', '/nope']}),
    ('qom-list-get', {'paths': ['a', 5]}),
    ('qom-list-get', {}),
    ('qom-get', {'path': 5}),
    ('qom-get', {'path': '/', 'property': 'x', 'y': 1}),
    ('qom-list-types', {'implements': 'virtio-device'}),
    ('qom-list-types', {'abstract': True, 'implements': 'bus'}),
    ('device-list-properties', {'typename': 'virtio-blk-pci'}),
    ('device-list-properties', {'typename': 'nope'}),
    ('device-list-properties', {'typename': 'memory-region'}),
    ('device-list-properties', {'typename': 'pci-device'}),
    ('qom-list-properties', {'typename': 'nope'}),
    ('qom-list-properties', {'typename': 'memory-backend-file'}),
    ('qom-list-properties', {'typename': 'pc-i440fx-11.1-machine'}),
    ('query-blockstats', {'query-nodes': True}),
    ('query-named-block-nodes', {'flat': True}),
    ('balloon', {'value': 0}),
    ('balloon', {'value': 'x'}),
    ('balloon', {'value': 10000000}),
    ('query-balloon', {}),
    ('set-action', {'panic': 'x'}),
    ('set-action', {'panic': 'pause'}),
    ('set_password', {'protocol': 'vnc', 'password': 'x'}),
    ('set_password', {'protocol': 'zz', 'password': 'x'}),
    ('set_password', {'protocol': 'spice', 'password': 'x'}),
    ('expire_password', {'protocol': 'vnc', 'time': 'never'}),
    ('human-monitor-command', {'command-line': 'info status'}),
    ('human-monitor-command', {'command-line': 'info version'}),
    ('human-monitor-command', {'command-line': 'info nope'}),
    ('human-monitor-command', {'command-line': 'nope x'}),
    ('human-monitor-command', {'command-line': 'info qom-tree'}),
    ('human-monitor-command', {'command-line': 'info qom-tree /'}),
    ('human-monitor-command', {'command-line': 'info qom-tree nope'}),
    ('human-monitor-command', {'command-line': 'info qom-tree / x'}),
    ('human-monitor-command', {'command-line': ''}),
    ('human-monitor-command', {'command-line': 'info name'}),
    ('human-monitor-command', {'command-line': 'info uuid'}),
    ('human-monitor-command', {'command-line': 'info kvm'}),
    ('human-monitor-command', {'command-line': 'info balloon'}),
    ('query-command-line-options', {'option': 'msg'}),
    ('query-command-line-options', {'option': 'zz'}),
    ('qmp_capabilities', {}),
    ('cont', {}),
    ('query-status', {}),
    ('stop', {}),
    ('query-status', {}),
    ('human-monitor-command', {'command-line': 'info status'}),
    ('stop', {}),
    ('system_reset', {}),
    ('query-status', {}),
    ('system_wakeup', {}),
    ('query-status', {'x': 1}),
    ('migrate-set-capabilities', {'capabilities': [{'capability': 'events', 'state': True}]}),
    ('migrate-set-capabilities', {'capabilities': [{'capability': 'zz', 'state': True}]}),
    ('query-migrate-capabilities', {}),
    ('query-cpu-model-expansion', {'type': 'static', 'model': {'name': 'max'}}),
    ('query-cpu-model-expansion', {'type': 'full', 'model': {'name': 'EPYC', 'props': {'avx': False}}}),
    ('query-cpu-model-expansion', {'type': 'full', 'model': {'name': 'nope'}}),
    ('query-cpu-model-expansion', {'type': 'full', 'model': {'name': 'max', 'props': {'nope': False}}}),
    ('query-cpu-model-expansion', {'type': 'nope', 'model': {'name': 'max'}}),
    ('getfd', {'fdname': 'x'}),
    ('closefd', {'fdname': 'x'}),
    ('add-fd', {}),
    ('remove-fd', {'fdset-id': 1}),
    ('remove-fd', {'fdset-id': 1, 'fd': 2}),
    ('query-fdsets', {}),
    ('device_add', {'driver': 'VGA', 'id': 'h0'}),
    ('device_add', {'driver': 'isa-serial', 'id': 'h0'}),
    ('device_add', {'driver': 'ide-cd', 'id': 'h0', 'bus': 'ide.1'}),
    ('device_add', {'driver': 'pvpanic', 'id': 'h0'}),
    ('device_add', {'driver': 'pci-bridge', 'id': 'h0', 'chassis_nr': 1}),
    ('device_add', {'driver': 'usb-mouse', 'id': 'h1'}),
]
NOT_ASKED = ["quit", "stop", "cont", "system_reset", "system_powerdown", "query-qmp-schema", "query-commands",
             "qom-list-getv"]

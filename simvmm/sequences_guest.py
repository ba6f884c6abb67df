# SPDX-License-Identifier: Apache-2.0
"""What a guest does by itself and what becomes of it, as sequences for operations.py; and screen, keyboard and the like.

QEMU's guest is moved from outside (qtest): pvpanic's port, the ways to reset a PC, its clock, a watchdog, the power
management's registers.  Debian's QEMU 7.2 has no qtest, so it refuses those.
"""
PANIC, LOADED, OFF = "% outb 0x505 0x1 / panic", "% outb 0x505 0x2 / crashloaded", "% outb 0x505 0x4 / pvshutdown"
RESET = "% outb 0x92 0x1 / reset"
WATCHDOG = "% outb 0x443 0xf / watchdog"
POWER = "outl 0xcf8 0x80000b40; outl 0xcfc 0x601; outl 0xcf8 0x80000b80; outb 0xcfc 0x1; "
SHUTDOWN, SLEEP, SLEEP_ON_DISK = (f"% {POWER}outw 0x604 {value} / {word}" for value, word in
                                  (("0x2000", "shutdown"), ("0x2400", "suspend"), ("0x2800", "suspend disk")))
STATUS = "query-status"
# QEMU's limit of one event a second goes by the guest's clock under qtest, by the host's in simvmm.


def action(**policy):
    pairs = ",".join(f'"{key}":"{value}"' for key, value in policy.items())
    return f"set-action {{{pairs}}}"


def watchdog(word, *then):
    return ["% clock_step 2000000000 / state", "! 1.1", action(watchdog=word), WATCHDOG, "* WATCHDOG", *then, STATUS]


SEQUENCES = {
    "panic": ["-device pvpanic", "cont", PANIC, "* SHUTDOWN"],
    "panic, no shutdown": ["-device pvpanic", "-no-shutdown", "cont", PANIC, "* STOP", STATUS, "cont", LOADED,
                           "* GUEST_CRASHLOADED", STATUS, action(panic="none"), PANIC, "* GUEST_PANICKED", STATUS,
                           action(panic="pause"), PANIC, "* STOP", "stop", "system_reset", STATUS, "cont", STATUS],
    "panic, exit with failure": ["-device pvpanic", "-action panic=exit-failure", "cont", PANIC, "* SHUTDOWN"],
    "panic, shutdown paused": ["-device pvpanic", "cont", action(panic="exit-failure", shutdown="pause"), PANIC, "* SHUTDOWN",
                               STATUS, "cont", "system_reset", STATUS],
    "pvpanic's shutdown": ["-device pvpanic", "-no-shutdown", "cont", OFF, "* STOP", STATUS, "cont", "system_reset", "cont", STATUS],
    "guest's shutdown": ["-no-shutdown", "cont", SHUTDOWN, "* STOP", STATUS, "cont", "system_powerdown", "system_reset", "cont", STATUS],
    "guest's shutdown, ended": ["cont", SHUTDOWN, "* SHUTDOWN"],
    "sleep": ["cont", SLEEP, "* SUSPEND", STATUS, "system_powerdown", "stop", STATUS, "cont", STATUS, "system_wakeup", STATUS,
              "system_wakeup", SLEEP, "* SUSPEND", "system_reset", STATUS],
    "sleep on disk": ["-no-shutdown", "cont", SLEEP_ON_DISK, "* STOP", STATUS],
    "resets": ["cont", RESET, "* RESET", STATUS, "stop", "system_reset", STATUS, "cont", action(reboot="shutdown"),
               action(shutdown="pause"), RESET, "* STOP", STATUS, "cont", action(reboot="reset"), "system_reset", STATUS, "cont"],
    "no reboot": ["-no-reboot", "cont", RESET, "* SHUTDOWN"],
    "no reboot, by request": ["-no-reboot", "-no-shutdown", "cont", "system_reset", STATUS, "cont"],
    "watchdog": ["-device ib700", "-no-shutdown", "% endianness / powerbutton ignore", "cont", *watchdog("none"), *watchdog("pause", "* STOP"), "cont", *watchdog("debug"),
                 *watchdog("inject-nmi"), *watchdog("shutdown", "* POWERDOWN"), *watchdog("reset", "* RESET")],
    "watchdog, by option": ["-device ib700", "-watchdog-action pause", "cont", WATCHDOG, "* STOP", STATUS],
    "policies refused": [action(panic="zz"), action(reboot="poweroff"), action(shutdown="zz", panic="none"), action(watchdog="zz"),
                         'watchdog-set-action {"action":"zz"}', 'watchdog-set-action {"action":"pause"}'],
    "clock": ["cont", "% outb 0x70 0x7; outb 0x71 0x2 / rtc 0", "* RTC_CHANGE"],
    "nmi": ["inject-nmi", "cont", "inject-nmi", "system_wakeup", "rtc-reset-reinjection"],
    "memory": ["-device virtio-balloon-pci,id=b0", 'qom-set {"path":"b0","property":"guest-stats-polling-interval","value":-1}',
               'qom-set {"path":"b0","property":"guest-stats-polling-interval","value":5000000000}',
               'qom-set {"path":"b0","property":"guest-stats-polling-interval","value":"x"}',
               'qom-get {"path":"b0","property":"guest-stats"}', "query-balloon", 'balloon {"value":0}', 'balloon {"value":-5}'],
    "screen": ["-device VGA,id=video0", "$ true", 'screendump {"filename":"/nope/x"}', 'screendump {"filename":"@/x","format":"gif"}',
               'screendump {"filename":"/nope/x","device":"zz"}', 'screendump {"filename":"/nope/x","head":1}',
               'screendump {"filename":"/nope/x","device":"video0","head":1}'],
    "no screen": ['screendump {"filename":"/nope/x"}', "query-vnc", "query-vnc-servers", 'set_password {"protocol":"vnc","password":"x"}',
                  'set_password {"protocol":"spice","password":"x"}', 'set_password {"protocol":"zz","password":"x"}',
                  'expire_password {"protocol":"vnc","time":"now"}', 'change-vnc-password {"password":"x"}',
                  'display-update {"type":"vnc"}', 'display-reload {"type":"vnc"}', 'add_client {"protocol":"vnc","fdname":"x"}'],
    "vnc": ["-device VGA", "-vnc 127.0.0.1:0,to=99,password=on", "query-vnc", "query-vnc-servers", 'set_password {"protocol":"vnc","password":"x"}',
            'set_password {"protocol":"vnc","password":"x","connected":"zz"}', 'set_password {"protocol":"vnc","password":"x","connected":"fail"}',
            'set_password {"protocol":"vnc","password":"x","display":"zz"}', 'expire_password {"protocol":"vnc","time":"zz"}',
            'expire_password {"protocol":"vnc","time":"+60"}', 'display-reload {"type":"vnc","tls-certs":true}', 'display-reload {"type":"zz"}',
            'display-update {"type":"vnc"}'],
    "keyboard and mouse": [
        "-device usb-ehci,id=u", "-device usb-tablet,bus=u.0", "-device virtio-keyboard-pci", "-device virtio-mouse-pci", "query-mice",
        'send-key {"keys":[{"type":"qcode","data":"a"}]}', 'send-key {"keys":[{"type":"qcode","data":"zz"}]}', 'send-key {"keys":[]}',
        'send-key {"keys":[{"type":"number","data":300000}]}', 'send-key {"keys":5}', 'send-key {"keys":[{"type":"qcode"}]}',
        'send-key {"keys":[{"type":"zz","data":1}]}', 'send-key {"keys":[{"type":"number","data":"x"}]}',
        'input-send-event {"events":[]}', 'input-send-event {"device":"zz","events":[]}',
        'input-send-event {"events":[{"type":"abs","data":{"axis":"q","value":5}}]}',
        'input-send-event {"events":[{"type":"rel","data":{"axis":"x"}}]}', 'input-send-event {"events":[{"data":{}}]}',
        'input-send-event {"events":[{"type":"key"}]}', 'input-send-event {"events":[{"type":"key","data":{"down":true}}]}',
        'input-send-event {"events":[{"type":"btn","data":{"down":true,"button":"zz"}}]}', "cont",
        'input-send-event {"events":[{"type":"abs","data":{"axis":"x","value":5}},{"type":"btn","data":{"down":true,"button":"left"}}]}'],
    "networks": ["-device virtio-net-pci,id=nic0,mac=52:54:00:12:34:56", "-netdev user,id=n0", "-device e1000,id=nic1,netdev=n0",
                 'set_link {"name":"nic0","up":false}', 'set_link {"name":"n0","up":true}', 'set_link {"name":"zz","up":true}',
                 'set_link {"name":"zz"}', "query-rx-filter", 'query-rx-filter {"name":"nic0"}', 'query-rx-filter {"name":"nic1"}',
                 'query-rx-filter {"name":"n0"}', 'query-rx-filter {"name":"zz"}'],
}

# (sequence, a word in the line that differs, why)
REASONS = [
    ("clock", "RTC_CHANGE", "by how much the clock is off depends on the day of the month"),
]

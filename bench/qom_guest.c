/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/qom_guest.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "qemu/qom_pull.h"

enum { START_MS = 60 * 1000, MONITOR_FD = 3 };

static const struct monitor_handler handler = { 0 };

#define BASE(machine) \
    "-name", "guest=bench,debug-threads=on", "-M", machine, "-accel", "tcg", "-m", "128", "-S", \
    "-nodefaults", "-no-user-config", "-display", "none", "-uuid", "11111111-2222-3333-4444-555555555555"
#define DISK(node, id) \
    "-blockdev", "driver=null-co,node-name=" node, "-device", "virtio-blk-pci,id=" id ",drive=" node
#define CARD(id, mac) \
    "-netdev", "user,id=for-" id, \
    "-device", "virtio-net-pci,id=" id ",netdev=for-" id ",mac=52:54:00:12:34:" mac
#define MONITOR \
    "-chardev", "socket,id=charmonitor,fd=3,server=on,wait=off", \
    "-mon", "chardev=charmonitor,id=monitor,mode=control"

/* Their first word is the emulator, and is put in. */
static const char *const usual[] = {
    "", BASE("pc"), DISK("d0", "virtio-disk0"), CARD("nic0", "56"),
    "-device", "virtio-balloon-pci,id=balloon0",
    "-device", "piix3-usb-uhci,id=usb", "-device", "usb-tablet,id=tablet0,bus=usb.0",
    "-device", "VGA,id=video0",
    "-chardev", "null,id=ser0", "-device", "isa-serial,id=serial0,chardev=ser0", MONITOR, NULL,
};
static const char *const other[] = {
    "", BASE("pc"), "-smp", "2", "-device", "VGA,id=screen", "-device", "piix3-usb-uhci,id=usb1",
    "-device", "usb-tablet,id=pen,bus=usb1.0", DISK("a", "root"), DISK("b", "data"), CARD("lan", "57"),
    "-chardev", "null,id=nowhere", "-device", "isa-serial,id=line,chardev=nowhere",
    "-device", "virtio-balloon-pci,id=balloon", MONITOR, NULL,
};
static const char *const large[] = {
    "", BASE("q35"), "-cpu", "qemu64,x2apic=on", "-smp", "512", MONITOR, NULL,
};
static const char *const *const kinds[] = {
    [GUEST_USUAL] = usual, [GUEST_OTHER] = other, [GUEST_LARGE] = large,
};
enum { WORDS_MAX = 80 };

static WAITS int spawn(struct guest *guest, const char *emulator, int listening, struct error *err)
{
    const char *argv[WORDS_MAX] = { emulator };
    for (size_t i = 1; guest->argv[i]; i++)
        argv[i] = guest->argv[i];
    const struct process_fd fds[] = { { listening, MONITOR_FD } };
    struct process_spec spec = { .argv = (char *const *) argv, .output = -1, .errors = STDERR_FILENO,
                                 .fds = fds, .fds_count = 1, .user = (uid_t) -1, .group = (gid_t) -1 };
    guest->process = process_fork(&spec, err);
    return guest->process ? process_exec(guest->process, loop_now() + START_MS, err) : -1;
}

static WAITS int find_commands(struct guest *guest, struct error *err)
{
    static const struct { const char *name; unsigned bit; } known[] = {
        { "qom-list-getv", QOM_HAS_LIST_GETV },
        { "qom-list-get", QOM_HAS_LIST_GET },
        { "qom-tree-get", QOM_HAS_TREE_GET },
    };
    owned_call struct monitor_call call = { 0 };
    monitor_call_start(guest->monitor, &call, "query-commands", NULL);
    if (monitor_call_wait(&call, err) < 0)
        return -1;
    for (size_t i = 0; json_at(call.reply.value, i); i++)
        for (size_t k = 0; k < ARRAY_COUNT(known); k++)
            if (text_equal(json_get_text(json_at(call.reply.value, i), "name"), known[k].name))
                guest->commands |= known[k].bit;
    return 0;
}

static WAITS int start(struct guest *guest, const char *emulator, struct error *err)
{
    owned_memory char *path = memory_printf("%s/monitor", guest->folder);
    owned_fd int listening = unix_listen(path, 0600, 1, err);
    if (listening < 0 || spawn(guest, emulator, listening, err) < 0)
        return -1;
    int fd = unix_connect(path, err);
    if (fd < 0)
        return -1;
    guest->monitor = monitor_open_ahead(fd, emulator, &handler, NULL);
    monitor_set_timeout(guest->monitor, START_MS);
    return monitor_handshake(guest->monitor, loop_now() + START_MS, err) < 0 ? -1 : find_commands(guest, err);
}

WAITS struct guest *guest_start(const char *emulator, enum guest_kind kind, struct error *err)
{
    struct guest *guest = NEW(struct guest);
    guest->argv = kinds[kind];
    char folder[] = "/tmp/bench-qom-XXXXXX";
    if (!mkdtemp(folder)) {
        fail_errno(err, errno, "cannot make a folder in /tmp");
        free(guest);
        return NULL;
    }
    guest->folder = memory_copy_text(folder);
    if (start(guest, emulator, err) == 0)
        return guest;
    guest_stop(guest);
    return NULL;
}

WAITS void guest_stop(struct guest *guest)
{
    error_scope(err);
    monitor_free(guest->monitor);
    if (guest->process) {
        process_signal(guest->process, SIGKILL, &err);
        process_wait(guest->process, loop_now() + START_MS, &err);
        process_free(guest->process);
    }
    owned_memory char *path = memory_printf("%s/monitor", guest->folder);
    unlink(path);
    rmdir(guest->folder);
    free(guest->folder);
    free(guest);
}

double guest_cpu_ms(const struct guest *guest)
{
    owned_memory char *folder = memory_printf("/proc/%d/task", (int) process_identity(guest->process)->pid);
    char **names = NULL;
    size_t count = 0;
    double total = 0;
    error_scope(err);
    folder_list(folder, &names, &count, &err);
    for (size_t i = 0; i < count; i++) {
        owned_memory char *path = memory_printf("%s/%s/schedstat", folder, names[i]);
        owned_buffer struct buffer text = { 0 };
        if (file_read(path, 4096, &text, &err) == 0)
            total += strtod(buffer_text(&text), NULL) / 1e6;
    }
    folder_names_free(names, count);
    return total;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/dump.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "loop/loop.h"
#include "simvmm/command.h"
#include "simvmm/descriptors.h"
#include "simvmm/monitor.h"
#include "simvmm/run.h"
#include "simvmm/value.h"

enum {
    TICK_MS = 5,
    CHUNK = 1 << 20,
    TURN_MAX = 64 << 20,
    LOADS_MAX = 6,
    PRSTATUS_SIZE = 0x90,
    CPU_STATE_SIZE = 0x1b8
};

struct range {
    uint64_t start, size;
};

struct dump {
    struct vm *vm;
    int fd;
    bool detached, over, elf, was_running;
    char *reason;              /* why it failed */
    struct buffer head;        /* what is not written yet of all before the memory */
    uint64_t total, completed; /* bytes of memory */
    struct timer *tick;
};

/* ---- what stands in front of the memory ---- */

/* Where the guest's memory is, as QEMU's PCs have it; the last is the firmware. */
static size_t ranges(const struct vm *vm, struct range *ret_ranges)
{
    uint64_t low = vm->low_memory && vm->low_memory < vm->memory ? vm->low_memory : vm->memory;
    size_t n = 0;
    ret_ranges[n++] = (struct range) { 0, 0xc0000 };
    ret_ranges[n++] = (struct range) { 0xc0000, 0x20000 };
    ret_ranges[n++] = (struct range) { 0xe0000, 0x20000 };
    ret_ranges[n++] = (struct range) { 0x100000, low > 0x100000 ? low - 0x100000 : 0 };
    ret_ranges[n++] = (struct range) { 0xfffc0000, 0x40000 };
    if (vm->memory > low)
        ret_ranges[n++] = (struct range) { 1ull << 32, vm->memory - low };
    return n;
}

static void add_note(struct buffer *out, const char *name, uint32_t type, const void *bytes, uint32_t size)
{
    static const char zeroes[4];
    Elf64_Nhdr note = { (uint32_t) strlen(name) + 1, size, type };
    buffer_add(out, &note, sizeof note);
    buffer_add(out, name, note.n_namesz);
    buffer_add(out, zeroes, -note.n_namesz % 4);
    buffer_add(out, bytes, size);
    buffer_add(out, zeroes, -size % 4);
}

static void add_notes(const struct vm *vm, struct buffer *out)
{
    static const char prstatus[PRSTATUS_SIZE];
    char state[CPU_STATE_SIZE] = { 1, 0, 0, 0, CPU_STATE_SIZE & 255, CPU_STATE_SIZE >> 8 };
    for (unsigned i = 0; i < vm->cpus; i++)
        add_note(out, "CORE", NT_PRSTATUS, prstatus, sizeof prstatus);
    for (unsigned i = 0; i < vm->cpus; i++)
        add_note(out, "QEMU", 0, state, sizeof state);
}

static void elf_head(struct dump *d)
{
    struct range loads[LOADS_MAX];
    size_t count = ranges(d->vm, loads);
    owned_buffer struct buffer notes = { 0 };
    add_notes(d->vm, &notes);
    Elf64_Ehdr header = {
        .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
        .e_type = ET_CORE,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof header,
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = (Elf64_Half) (count + 1),
    };
    buffer_add(&d->head, &header, sizeof header);
    uint64_t offset = sizeof header + (count + 1) * sizeof(Elf64_Phdr);
    Elf64_Phdr note = {
        .p_type = PT_NOTE, .p_offset = offset, .p_filesz = notes.length, .p_memsz = notes.length
    };
    buffer_add(&d->head, &note, sizeof note);
    offset += notes.length;
    for (size_t i = 0; i < count; i++) {
        Elf64_Phdr load = { .p_type = PT_LOAD,
                            .p_offset = offset,
                            .p_paddr = loads[i].start,
                            .p_vaddr = loads[i].start,
                            .p_filesz = loads[i].size,
                            .p_memsz = loads[i].size };
        buffer_add(&d->head, &load, sizeof load);
        offset += loads[i].size;
        d->total += loads[i].size;
    }
    buffer_add(&d->head, notes.data, notes.length);
}

/* makedumpfile's flattened form: a header of a page, pieces {offset, size, bytes}, and an end. */
static void kdump_head(struct dump *d)
{
    enum { PAGE = 4096, HEADER = 464, MACHINE_AT = 272 };
    static const char zeroes[PAGE];
    static const char magic[16] = "makedumpfile";
    char header[HEADER] = "KDUMP   \6";
    const uint64_t ones[2] = { htobe64(1), htobe64(1) }, place[2] = { 0, htobe64(HEADER) };
    const uint64_t end[2] = { UINT64_MAX, UINT64_MAX };
    memcpy(header + MACHINE_AT, "Unknown", sizeof "Unknown");
    buffer_add(&d->head, magic, sizeof magic);
    buffer_add(&d->head, ones, sizeof ones);
    buffer_add(&d->head, zeroes, PAGE - sizeof magic - sizeof ones);
    buffer_add(&d->head, place, sizeof place);
    buffer_add(&d->head, header, sizeof header);
    buffer_add(&d->head, end, sizeof end);
    struct range loads[LOADS_MAX];
    size_t count = ranges(d->vm, loads);
    for (size_t i = 0; i < count; i++)
        d->total += loads[i].size;
}

/* ---- writing ---- */

void dump_free(struct vm *vm)
{
    struct dump *d = vm->dump;
    if (!d)
        return;
    timer_free(d->tick);
    if (d->fd >= 0)
        close(d->fd);
    buffer_done(&d->head);
    free(d->reason);
    free(d);
    vm->dump = NULL;
}

static const struct json *describe(const struct dump *d, struct arena *a)
{
    struct json *v = value_object(a);
    value_set_number(a, v, "total", d ? (long long) d->total : 0);
    value_set_text(a, v, "status", !d ? "none" : d->reason ? "failed" : d->over ? "completed" : "active");
    value_set_number(a, v, "completed", d ? (long long) d->completed : 0);
    return v;
}

static void finish(struct dump *d, const char *reason)
{
    timer_free(d->tick);
    d->tick = NULL;
    close(d->fd);
    d->fd = -1;
    d->over = true;
    d->reason = reason ? memory_copy_text(reason) : NULL;
    if (d->was_running)
        run_after_migration(d->vm, RUN_RUNNING);
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set(a, data, "result", describe(d, a));
    value_set_text(a, data, "error", reason);
    event_emit(d->vm, "DUMP_COMPLETED", data);
}

/* A regular file gets a hole for its memory: it is all zeroes, and nobody has to wait for them. */
static bool skip_memory(struct dump *d)
{
    struct stat info;
    off_t at = lseek(d->fd, 0, SEEK_CUR);
    if (at < 0 || fstat(d->fd, &info) < 0 || !S_ISREG(info.st_mode) ||
        ftruncate(d->fd, at + (off_t) d->total) < 0)
        return false;
    d->completed = d->total;
    return true;
}

static ssize_t write_some(struct dump *d)
{
    static const char zeroes[CHUNK];
    if (d->head.length) {
        ssize_t n = write(d->fd, d->head.data, d->head.length);
        if (n > 0)
            buffer_drop(&d->head, (size_t) n);
        return n;
    }
    uint64_t left = d->total - d->completed;
    if (!d->elf || skip_memory(d)) {
        d->completed = d->total;
        return (ssize_t) left;
    }
    ssize_t n = write(d->fd, zeroes, left > CHUNK ? CHUNK : (size_t) left);
    if (n > 0)
        d->completed += (uint64_t) n;
    return n;
}

static void on_tick(void *arg)
{
    struct dump *d = arg;
    for (size_t done = 0; done < TURN_MAX && (d->head.length || d->completed < d->total);) {
        ssize_t n = write_some(d);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n < 0) {
            owned_memory char *reason = memory_printf("dump: failed to save memory: %s", strerror(errno));
            finish(d, reason);
            return;
        }
        done += (size_t) n;
    }
    if (!d->head.length && d->completed == d->total)
        finish(d, NULL);
}

/* ---- commands ---- */

static int open_target(struct call *call, struct error *err)
{
    const char *protocol = json_get_text(call->arguments, "protocol");
    bool modern = vm_is(call->vm, 11);
    if (text_starts(protocol, "fd:"))
        return descriptors_take_named(call->vm, call->monitor, protocol + 3, err);
    if (!text_starts(protocol, "file:"))
        return fail(err, ERR_INVALID_ARG,
                    modern ? "parameter 'protocol' must start with 'file:' or 'fd:'"
                           : "Invalid parameter 'protocol'");
    int fd = descriptors_open(call->vm, protocol + 5, O_WRONLY | O_CREAT | O_TRUNC, 0400);
    if (fd < 0)
        return fail(err, ERR_INVALID_ARG, modern ? "Could not create '%s': %s" : "Could not open '%s': %s",
                    protocol + 5, strerror(errno));
    return fd;
}

static int check_format(struct call *call, const char *format, struct error *err)
{
    static const char *const known[] = {
        "elf",           "kdump-zlib",       "kdump-lzo", "kdump-snappy", "kdump-raw-zlib",
        "kdump-raw-lzo", "kdump-raw-snappy", "win-dmp"
    };
    size_t k = 0;
    while (k < ARRAY_COUNT(known) && !text_equal(known[k], format))
        k++;
    if (k == ARRAY_COUNT(known))
        return fail(err, ERR_INVALID_ARG, "Parameter 'format' does not accept value '%s'", format);
    owned_memory char *quoted = memory_printf("\"%s\"", format);
    if (!strstr(data_reply(call->vm->data, "query-dump-guest-memory-capability"), quoted))
        return fail(err, ERR_INVALID_ARG, "%s is not available now", format);
    if (text_equal(format, "win-dmp"))
        return fail(err, ERR_NO_SUPPORT, "win-dump: vmcoreinfo device is not present");
    return 0;
}

static int check(struct call *call, const char *format, struct error *err)
{
    const struct json *begin = json_get(call->arguments, "begin"),
                      *length = json_get(call->arguments, "length");
    bool paging = false;
    (void) json_to_bool(json_get(call->arguments, "paging"), &paging);
    if (call->vm->state == RUN_INMIGRATE)
        return fail(err, ERR_OPERATION_INVALID, "Dump not allowed during incoming migration.");
    if (call->vm->dump && !call->vm->dump->over)
        return fail(err, ERR_OPERATION_INVALID, "There is a dump in process, please wait.");
    if (!text_equal(format, "elf") && (paging || begin || length))
        return fail(err, ERR_INVALID_ARG, "kdump-compressed format doesn't support paging or filter");
    if (begin && !length)
        return fail(err, ERR_INVALID_ARG, "Parameter 'length' is missing");
    if (length && !begin)
        return fail(err, ERR_INVALID_ARG, "Parameter 'begin' is missing");
    return check_format(call, format, err);
}

static int dump(struct call *call, struct error *err)
{
    struct vm *vm = call->vm;
    const char *format = json_get_text(call->arguments, "format");
    bool detach = false;
    (void) json_to_bool(json_get(call->arguments, "detach"), &detach);
    if (check(call, format ? format : "elf", err) < 0)
        return -1;
    int fd = open_target(call, err);
    if (fd < 0)
        return -1;
    dump_free(vm);
    struct dump *d = vm->dump = NEW(struct dump);
    *d = (struct dump) { .vm = vm,
                         .fd = fd,
                         .detached = detach,
                         .elf = !format || text_equal(format, "elf"),
                         .was_running = vm->state == RUN_RUNNING };
    d->elf ? elf_head(d) : kdump_head(d);
    if (d->was_running)
        run_stop(vm);
    if (detach) {
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
        d->tick = timer_start(TICK_MS, TICK_MS, on_tick, d);
        return 0;
    }
    while (!d->over)
        on_tick(d);
    return d->reason ? fail(err, ERR_INTERNAL, "%s", d->reason) : 0;
}

static int query(struct call *call, struct error *err)
{
    (void) err;
    call_return(call, describe(call->vm->dump, call->arena));
    return 0;
}

static const struct argument dump_args[] = {
    { "paging", ARG_BOOL, false },
    { "protocol", ARG_TEXT, false },
    { "detach", ARG_BOOL, true },
    { "begin", ARG_NUMBER, true },
    { "length", ARG_NUMBER, true },
    { "format", ARG_TEXT, true },
    { NULL, 0, false },
};

const struct command dump_commands[] = {
    { "dump-guest-memory", ALWAYS, dump, dump_args },
    { "query-dump", ALWAYS, query, NULL },
    { NULL, ALWAYS, NULL, NULL },
};

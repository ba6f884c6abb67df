/* SPDX-License-Identifier: Apache-2.0 */
/* Opening nodes: files, the formats on them, and what images say lies below. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/bitmap.h"
#include "simvmm/block.h"
#include "simvmm/block_check.h"
#include "simvmm/image_lock.h"
#include "simvmm/input.h"
#include "simvmm/keyval.h"
#include "simvmm/qcow2.h"
#include "simvmm/value.h"

enum { CHAIN_MAX = 200 }; /* how deep backing files may lie; an image may name itself */

/* ---- files ---- */

/* The smallest read, from a sector on, that succeeds past the host's cache. */
static unsigned probe_alignment(int fd)
{
    static char room[4096] __attribute__((aligned(4096)));
    for (unsigned size = 512; size < sizeof room; size *= 2)
        if (pread(fd, room, size, 0) >= 0)
            return size;
    return sizeof room;
}

static int measure(struct block_node *b, struct error *err)
{
    struct stat status;
    if (fstat(b->fd, &status) < 0)
        return fail(err, ERR_INVALID_ARG, "Could not stat '%s': %s", b->filename, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return fail(err, ERR_INVALID_ARG, "Could not open '%s': Is a directory", b->filename);
    if (S_ISBLK(status.st_mode))
        ioctl(b->fd, BLKGETSIZE64, &b->size);
    else
        b->size = (uint64_t) status.st_size;
    b->actual = (uint64_t) status.st_blocks * 512;
    return 0;
}

/* Once its alignment is known, a file is read and written through the host's cache: nobody can tell, and our
 * own requests are of any size. */
static int open_file(struct block_node *b, struct error *err)
{
    int flags = O_CLOEXEC | (b->read_only ? O_RDONLY : O_RDWR) | (b->direct ? O_DIRECT : 0);
    b->fd = open(b->filename, flags);
    if (b->fd < 0 && errno == EINVAL && b->direct && access(b->filename, R_OK) == 0)
        return fail(err, ERR_INVALID_ARG, "Could not open '%s': filesystem does not support O_DIRECT",
                    b->filename);
    if (b->fd < 0)
        return fail(err, ERR_INVALID_ARG, "Could not open '%s': %s", b->filename, strerror(errno));
    if (measure(b, err) < 0)
        return -1;
    b->alignment = b->direct ? probe_alignment(b->fd) : 1;
    if (b->direct)
        (void) fcntl(b->fd, F_SETFL, flags & ~O_DIRECT);
    return 0;
}

/* "file" with auto-read-only falls back to reading. */
static int open_storage(struct block_node *b, struct error *err)
{
    if (open_file(b, err) == 0)
        return 0;
    if (!b->auto_read_only || b->read_only || access(b->filename, R_OK) != 0 ||
        (errno != EACCES && errno != EROFS))
        return -1;
    error_clear(err);
    b->read_only = true;
    return open_file(b, err);
}

/* The descriptor keeps its number, since the image on it knows that. */
static int reopen_file(struct block_node *b, bool read_only, struct error *err)
{
    if (b->fd < 0 || (fcntl(b->fd, F_GETFL) & O_ACCMODE) == (read_only ? O_RDONLY : O_RDWR))
        return 0;
    owned_fd int fd = open(b->filename, O_CLOEXEC | (read_only ? O_RDONLY : O_RDWR));
    if (fd < 0 || dup3(fd, b->fd, O_CLOEXEC) < 0)
        return fail(err, ERR_INVALID_ARG, "Could not reopen file: %s", strerror(errno));
    return 0;
}

static int lock_format(const struct block_node *b, struct error *err);

int block_set_read_only(struct block_node *b, bool read_only, struct error *err)
{
    for (struct block_node *n = b; n; n = n->file) {
        if (!n->file && reopen_file(n, read_only, err) < 0)
            return -1;
        if (n == b || !n->named) /* a file that was named says what it was told */
            n->read_only = read_only;
    }
    return lock_format(b, err);
}

char *block_path_beside(const char *base, const char *name)
{
    const char *slash = base ? strrchr(base, '/') : NULL;
    if (*name == '/' || !slash || text_starts(name, "json:"))
        return memory_copy_text(name);
    return memory_printf("%.*s%s", (int) (slash + 1 - base), base, name);
}

/* ---- formats ---- */

int block_refresh(struct block_node *b, struct error *err)
{
    if (b->file && block_refresh(b->file, err) < 0)
        return -1;
    if (b->fd >= 0)
        return measure(b, err);
    if (!b->file)
        return 0;
    b->actual = b->file->actual;
    if (!b->qcow2) {
        if (!b->cut)
            b->size = b->file->size;
        return 0;
    }
    struct qcow2 *fresh = qcow2_open(b->file->fd, err);
    if (!fresh)
        return -1;
    qcow2_free(b->qcow2);
    b->qcow2 = fresh;
    b->size = qcow2_facts(fresh)->size;
    return 0;
}

void block_measure(const struct vm *vm)
{
    error_scope(err);
    for (size_t i = 0; i < vm->blocks.count; i++)
        if (vm->blocks.items[i]->fd >= 0)
            (void) measure(vm->blocks.items[i], &err);
    for (size_t i = 0; i < vm->blocks.count; i++) {
        struct block_node *bottom = vm->blocks.items[i];
        while (bottom->file)
            bottom = bottom->file;
        vm->blocks.items[i]->actual = bottom->actual;
    }
}

/* Whoever reads the image's tables wants nobody else to write them. */
static int lock_format(const struct block_node *b, struct error *err)
{
    if (!b->qcow2 || b->file->fd < 0 || b->file->unlocked || block_is_inactive(b->vm))
        return 0;
    image_unlock(b->file->fd);
    return image_lock(b->file->fd, b->file->filename, !b->read_only, false, err);
}

static int open_qcow2(struct block_node *b, struct error *err)
{
    if (b->file->fd < 0)
        return 0; /* over a network: taken as it is */
    b->alignment = 1;
    b->qcow2 = qcow2_open(b->file->fd, err);
    if (!b->qcow2)
        return -1;
    if (lock_format(b, err) < 0)
        return -1;
    b->size = qcow2_facts(b->qcow2)->size;
    b->backing_name = arena_copy(b->vm->arena, qcow2_facts(b->qcow2)->backing);
    bitmaps_load(b);
    return 0;
}

/* A raw node may be a part of its file. */
static int open_raw(struct block_node *b, const struct json *given, struct error *err)
{
    uint64_t size = 0;
    if (keyval_size(given, "offset", &b->offset, err) < 0 || keyval_size(given, "size", &size, err) < 0)
        return -1;
    b->cut = json_get(given, "offset") || json_get(given, "size");
    if (b->offset > b->file->size)
        return fail(err, ERR_INVALID_ARG,
                    "Offset (%llu) cannot be greater than size of the containing file (%lld)",
                    (unsigned long long) b->offset, (long long) b->file->size);
    if (size > b->file->size - b->offset)
        return fail(
            err, ERR_INVALID_ARG,
            "The sum of offset (%llu) and size (%llu) has to be smaller or equal to the  actual size of the "
            "containing file (%lld)",
            (unsigned long long) b->offset, (unsigned long long) size, (long long) b->file->size);
    b->size = size ? size : b->file->size - b->offset;
    return 0;
}

static void take_cache(struct block_node *b, const struct json *given)
{
    const struct json *cache = json_get(given, "cache");
    error_scope(checked);
    (void) keyval_bool(cache, "direct", &b->direct, &checked);
    (void) keyval_bool(cache, "no-flush", &b->no_flush, &checked);
}

static struct block_node *take_child(struct vm *vm, const struct json *child, struct error *err)
{
    if (child->type == JSON_OBJECT)
        return block_create(vm, child, err);
    struct block_node *b = block_find(vm, json_text(child));
    if (b)
        block_ref(b);
    else
        (void) fail(err, ERR_INVALID_ARG, "Cannot find device='%s' nor node-name='%s'", json_text(child),
                    json_text(child));
    return b;
}

/* What lies on another node. */
static int open_format(struct vm *vm, struct block_node *b, const struct json *given, struct error *err)
{
    const struct json *file = json_get(given, "file");
    if (!file)
        return fail(err, ERR_INVALID_ARG, "Parameter 'file' is missing");
    b->file = take_child(vm, file, err);
    if (!b->file)
        return -1;
    b->filename = b->file->filename;
    b->size = b->file->size;
    b->actual = b->file->actual;
    b->alignment = b->file->alignment;
    if (text_equal(b->driver, "qcow2"))
        return open_qcow2(b, err);
    return text_equal(b->driver, "raw") ? open_raw(b, given, err) : 0;
}

static int fill(struct vm *vm, struct block_node *b, const struct json *given, struct error *err)
{
    if (keyval_bool(given, "read-only", &b->read_only, err) < 0 ||
        keyval_bool(given, "auto-read-only", &b->auto_read_only, err) < 0)
        return -1;
    take_cache(b, given);
    b->detect_zeroes = arena_copy(vm->arena, keyval_text(given, "detect-zeroes"));
    if (block_is_format(b->driver))
        return open_format(vm, b, given, err);
    if (text_starts(b->driver, "null")) {
        b->size = 1 << 30;
        return keyval_size(given, "size", &b->size, err);
    }
    b->filename = arena_copy(vm->arena, keyval_text(given, "filename"));
    b->unlocked = text_equal(keyval_text(given, "locking"), "off") ||
                  text_equal(keyval_text(given, "force-share"), "true") ||
                  text_equal(keyval_text(given, "force-share"), "on");
    if (text_equal(b->driver, "file") || text_starts(b->driver, "host_")) {
        if (!b->filename)
            return fail(err, ERR_INVALID_ARG, "Parameter 'filename' is missing");
        return open_storage(b, err);
    }
    return 0; /* over a network: taken as it is */
}

static struct block_node *new_node(struct vm *vm, const char *driver, const char *name)
{
    static unsigned anonymous;
    struct block_node *b = NEW(struct block_node);
    *b = (struct block_node) {
        .vm = vm, .driver = arena_copy(vm->arena, driver), .fd = -1, .writeback = true, .users = 1
    };
    b->name = arena_copy(vm->arena, name);
    while (!b->name || (!name && block_find(vm, b->name))) {
        b->name = arena_printf(vm->arena, "#block%u%02u", anonymous, (anonymous * 37 + 11) % 100);
        anonymous++;
    }
    return b;
}

static void drop(struct block_node *b)
{
    struct block_node *file = b->file;
    block_free(b);
    block_unref(file);
}

/* ---- what lies below ---- */

static unsigned opening; /* backing files that are being opened, one below the other */

static struct block_node *open_json(struct vm *vm, const char *text, bool read_only, struct error *err)
{
    (void) read_only;
    const struct json *given = input_parse(text, vm_is(vm, 11), vm->arena, err);
    return given && given->type == JSON_OBJECT ? block_create(vm, given, err) : NULL;
}

/* The image's own idea of what lies below. */
static int open_backing(struct block_node *b, struct error *err)
{
    const struct qcow2_facts *facts = b->qcow2 ? qcow2_facts(b->qcow2) : NULL;
    if (!facts || !facts->backing)
        return 0;
    owned_memory char *path = block_path_beside(b->filename, facts->backing);
    if (++opening > CHAIN_MAX) {
        opening--;
        return fail(err, ERR_INVALID_ARG, "Could not open backing file: more than %d lie below each other",
                    CHAIN_MAX);
    }
    b->backing = text_starts(path, "json:")
                     ? open_json(b->vm, path + 5, true, err)
                     : block_open_file(b->vm, path, facts->backing_format, NULL, b, true, true, err);
    opening--;
    if (!b->backing)
        return fail_in(err, "Could not open backing file");
    b->backing_name = block_filename(b->backing, b->vm->arena);
    return 0;
}

static int take_backing(struct vm *vm, struct block_node *b, const struct json *backing, struct error *err)
{
    if (!backing)
        return open_backing(b, err);
    if (backing->type == JSON_NULL)
        return 0;
    b->backing = take_child(vm, backing, err);
    return b->backing ? 0 : -1;
}

struct block_node *block_create(struct vm *vm, const struct json *given, struct error *err)
{
    const char *driver = keyval_text(given, "driver"), *name = keyval_text(given, "node-name");
    if (block_check(given, false, err) < 0)
        return NULL;
    if (name && block_find(vm, name))
        return fail(err, ERR_INVALID_ARG, "Duplicate nodes with node-name='%s'", name), NULL;
    struct block_node *b = new_node(vm, driver, name);
    if (fill(vm, b, given, err) < 0) {
        drop(b);
        return NULL;
    }
    vector_push(&vm->blocks, b);
    if (take_backing(vm, b, json_get(given, "backing"), err) == 0)
        return b;
    block_unref(b);
    return NULL;
}

static const char *guess_format(const struct block_node *file)
{
    char magic[4];
    return pread(file->fd, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, "QFI\xfb", 4) == 0
               ? "qcow2"
               : "raw";
}

static void take_after(struct block_node *b, const struct block_node *like)
{
    if (!like)
        return;
    b->direct = like->direct;
    b->no_flush = like->no_flush;
}

static struct block_node *open_plain(struct vm *vm, const char *filename, const struct block_node *like,
                                     bool read_only, struct error *err)
{
    struct block_node *b = new_node(vm, "file", NULL);
    take_after(b, like);
    b->filename = arena_copy(vm->arena, filename);
    b->read_only = read_only;
    if (open_file(b, err) == 0) {
        vector_push(&vm->blocks, b);
        return b;
    }
    drop(b);
    return NULL;
}

struct block_node *block_open_file(struct vm *vm, const char *filename, const char *format, const char *name,
                                   const struct block_node *like, bool read_only, bool with_backing,
                                   struct error *err)
{
    struct block_node *file = open_plain(vm, filename, like, read_only, err);
    if (!file || text_equal(format, "file"))
        return file;
    struct block_node *b = new_node(vm, format ? format : guess_format(file), name);
    b->file = file;
    b->read_only = read_only;
    take_after(b, like);
    b->filename = file->filename;
    b->size = file->size;
    b->actual = file->actual;
    if (text_equal(b->driver, "qcow2") && open_qcow2(b, err) < 0) {
        drop(b);
        return NULL;
    }
    vector_push(&vm->blocks, b);
    if (!with_backing || open_backing(b, err) == 0)
        return b;
    block_unref(b);
    return NULL;
}

/* ---- -drive ---- */

static const struct {
    const char *word;
    bool direct, no_flush, writeback;
} cache_modes[] = {
    { "none", true, false, true },        { "off", true, false, true },
    { "writeback", false, false, true },  { "writethrough", false, false, false },
    { "directsync", true, false, false }, { "unsafe", false, true, true },
};

static int take_cache_mode(struct block_node *b, const char *word, struct error *err)
{
    for (size_t i = 0; i < ARRAY_COUNT(cache_modes); i++)
        if (text_equal(cache_modes[i].word, word)) {
            b->direct = cache_modes[i].direct;
            b->no_flush = cache_modes[i].no_flush;
            b->writeback = cache_modes[i].writeback;
            return 0;
        }
    return fail(err, ERR_INVALID_ARG, "invalid cache option");
}

static bool is_bus(const char *word)
{
    static const char *const buses[] = { "none",   "ide", "scsi", "floppy", "pflash",
                                         "virtio", "sd",  "mtd",  "xen" };
    for (size_t k = 0; k < ARRAY_COUNT(buses); k++)
        if (text_equal(buses[k], word))
            return true;
    return false;
}

/* The settings of the one option are those of the file and of the format on it. */
static int open_drive(struct vm *vm, struct block_node *b, const char *file, struct error *err)
{
    struct block_node *below = new_node(vm, "file", NULL);
    below->filename = arena_copy(vm->arena, file);
    below->read_only = b->read_only;
    below->direct = b->direct;
    below->no_flush = b->no_flush;
    if (open_file(below, err) < 0) {
        drop(below);
        return -1;
    }
    vector_push(&vm->blocks, below);
    b->file = below;
    b->filename = below->filename;
    b->size = below->size;
    b->actual = below->actual;
    b->alignment = below->alignment;
    return text_equal(b->driver, "qcow2") ? open_qcow2(b, err) : 0;
}

int block_create_drive(struct vm *vm, const struct json *given, struct error *err)
{
    const char *id = keyval_text(given, "id"), *file = keyval_text(given, "file"),
               *format = keyval_text(given, "format");
    const char *bus = keyval_text(given, "if"), *cache = keyval_text(given, "cache");
    if (bus && !is_bus(bus))
        return fail(err, ERR_INVALID_ARG, "unsupported bus type '%s'", bus);
    if (id && block_find(vm, id))
        return fail(err, ERR_INVALID_ARG, "Duplicate ID '%s' for drive", id);
    struct block_node *b = new_node(vm, format ? format : "raw", NULL);
    b->drive = id ? arena_copy(vm->arena, id)
                  : arena_printf(vm->arena, "%s0-hd%zu", bus ? bus : "ide", vm->blocks.count);
    bool bad = (cache && take_cache_mode(b, cache, err) < 0) ||
               keyval_bool(given, "readonly", &b->read_only, err) < 0 ||
               keyval_bool(given, "read-only", &b->read_only, err) < 0 ||
               (file && open_drive(vm, b, file, err) < 0);
    if (bad) {
        drop(b);
        return -1;
    }
    vector_push(&vm->blocks, b);
    if (open_backing(b, err) == 0)
        return 0;
    block_unref(b);
    return -1;
}

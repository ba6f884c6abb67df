/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/block_check.h"
#include "simvmm/image_lock.h"
#include "simvmm/keyval.h"

struct block_node *block_find(const struct vm *vm, const char *name)
{
    for (size_t i = 0; i < vm->blocks.count; i++) {
        struct block_node *b = vm->blocks.items[i];
        if (text_equal(b->name, name) || text_equal(b->drive, name))
            return b;
    }
    return NULL;
}

void block_free(struct block_node *node)
{
    if (node && node->fd >= 0)
        close(node->fd);
    free(node);
}

static void add_owner(struct buffer *out, const struct qom_node *user)
{
    struct qom_node *inner = qom_child(user, "virtio-backend");
    qom_path(inner ? inner : user, out);
}

static bool shares(const struct qom_node *user)
{
    const struct qom_property *p = qom_property_find(user, "share-rw");
    return p && text_equal(p->value, "true");
}

int block_attach(struct vm *vm, struct block_node *b, struct qom_node *user, struct error *err)
{
    (void) vm;
    if (b->user && b->user != user && !b->read_only && !(shares(b->user) && shares(user))) {
        owned_buffer struct buffer first = { 0 }, second = { 0 };
        add_owner(&first, b->user);
        add_owner(&second, user);
        return fail(
            err, ERR_INVALID_ARG,
            "Permission conflict on node '%s': permissions 'write' are both required by block device '%s'"
            " (uses node '%s' as 'root' child) and unshared by block device '%s' (uses node '%s' as 'root' "
            "child).",
            b->name, buffer_text(&first), b->name, buffer_text(&second), b->name);
    }
    const struct block_node *bottom = b;
    while (bottom->file)
        bottom = bottom->file;
    bool locked = bottom->fd >= 0 && !bottom->unlocked;
    if (locked && image_lock(bottom->fd, bottom->filename, !b->read_only, shares(user), err) < 0)
        return -1;
    b->user = user;
    return 0;
}

void block_detach(struct vm *vm, const struct qom_node *user)
{
    for (size_t i = 0; i < vm->blocks.count; i++)
        if (vm->blocks.items[i]->user == user)
            vm->blocks.items[i]->user = NULL;
}

int block_delete(struct vm *vm, const char *name, struct error *err)
{
    for (size_t i = 0; i < vm->blocks.count; i++) {
        struct block_node *b = vm->blocks.items[i];
        if (!text_equal(b->name, name))
            continue;
        for (size_t k = 0; k < vm->blocks.count; k++)
            if (b->user || vm->blocks.items[k]->file == b || vm->blocks.items[k]->backing == b)
                return fail(err, ERR_INVALID_ARG, b->user ? "Node %s is in use" : "Block device %s is in use",
                            name);
        block_free(b);
        vector_remove(&vm->blocks, i);
        return 0;
    }
    return fail(err, ERR_INVALID_ARG, "Failed to find node with node-name='%s'", name);
}

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

static int open_file(struct block_node *b, struct error *err)
{
    int flags = O_CLOEXEC | (b->read_only ? O_RDONLY : O_RDWR) | (b->direct ? O_DIRECT : 0);
    b->fd = open(b->filename, flags);
    if (b->fd < 0 && errno == EINVAL && b->direct && access(b->filename, R_OK) == 0)
        return fail(err, ERR_INVALID_ARG, "Could not open '%s': filesystem does not support O_DIRECT",
                    b->filename);
    if (b->fd < 0)
        return fail(err, ERR_INVALID_ARG, "Could not open '%s': %s", b->filename, strerror(errno));
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
    b->alignment = b->direct ? probe_alignment(b->fd) : 1;
    return 0;
}

/* "file" with auto-read-only falls back to reading. */
static int open_storage(struct block_node *b, bool auto_read_only, struct error *err)
{
    if (open_file(b, err) == 0)
        return 0;
    if (!auto_read_only || b->read_only || access(b->filename, R_OK) != 0 ||
        (errno != EACCES && errno != EROFS))
        return -1;
    error_clear(err);
    b->read_only = true;
    return open_file(b, err);
}

/* The virtual size in a qcow2 header, and whether it is one. */
static bool read_qcow2(struct block_node *b)
{
    static unsigned char head[4096] __attribute__((aligned(4096)));     /* as O_DIRECT wants it */
    const struct block_node *file = b->file;
    if (!file || file->fd < 0 || pread(file->fd, head, sizeof head, 0) < 32 ||
        memcmp(head, "QFI\xfb", 4) != 0)
        return false;
    b->size = 0;
    for (int i = 24; i < 32; i++)
        b->size = b->size << 8 | head[i];
    return true;
}

/* ---- -blockdev ---- */

static void take_cache(struct block_node *b, const struct json *given)
{
    const struct json *cache = json_get(given, "cache");
    error_scope(checked);
    (void) keyval_bool(cache, "direct", &b->direct, &checked);
    (void) keyval_bool(cache, "no-flush", &b->no_flush, &checked);
}

static int take_child(struct vm *vm, const struct json *given, const char *key, struct block_node **ret,
                      struct error *err)
{
    const struct json *child = json_get(given, key);
    if (!child || child->type == JSON_NULL)
        return 0;
    if (child->type == JSON_OBJECT) {
        *ret = block_create(vm, child, err);
        return *ret ? 0 : -1;
    }
    *ret = block_find(vm, json_text(child));
    return *ret ? 0
                : fail(err, ERR_INVALID_ARG, "Cannot find device='%s' nor node-name='%s'", json_text(child),
                       json_text(child));
}

static int fill(struct vm *vm, struct block_node *b, const struct json *given, struct error *err)
{
    bool auto_read_only = false;
    if (keyval_bool(given, "read-only", &b->read_only, err) < 0
        || keyval_bool(given, "auto-read-only", &auto_read_only, err) < 0)
        return -1;
    take_cache(b, given);
    b->detect_zeroes = arena_copy(vm->arena, keyval_text(given, "detect-zeroes"));
    if (block_is_format(b->driver)) {
        if (take_child(vm, given, "file", &b->file, err) < 0 ||
            take_child(vm, given, "backing", &b->backing, err) < 0)
            return -1;
        if (!b->file)
            return fail(err, ERR_INVALID_ARG, "Parameter 'file' is missing");
        b->filename = b->file->filename;
        b->size = b->file->size;
        b->actual = b->file->actual;
        if (text_equal(b->driver, "qcow2") && !read_qcow2(b) && b->file->fd >= 0)
            return fail(err, ERR_INVALID_ARG, "Image is not in qcow2 format");
        return 0;
    }
    if (text_starts(b->driver, "null")) {
        b->size = 1 << 30;
        return keyval_size(given, "size", &b->size, err);
    }
    b->filename = arena_copy(vm->arena, keyval_text(given, "filename"));
    b->unlocked = text_equal(keyval_text(given, "locking"), "off");
    if (text_equal(b->driver, "file") || text_starts(b->driver, "host_")) {
        if (!b->filename)
            return fail(err, ERR_INVALID_ARG, "Parameter 'filename' is missing");
        return open_storage(b, auto_read_only, err);
    }
    return 0;                           /* over a network: taken as it is */
}

struct block_node *block_create(struct vm *vm, const struct json *given, struct error *err)
{
    const char *driver = keyval_text(given, "driver"), *name = keyval_text(given, "node-name");
    if (block_check(given, false, err) < 0)
        return NULL;
    if (name && block_find(vm, name))
        return fail(err, ERR_INVALID_ARG, "Duplicate nodes with node-name='%s'", name), NULL;
    struct block_node *b = NEW(struct block_node);
    *b = (struct block_node) { .driver = arena_copy(vm->arena, driver), .fd = -1, .writeback = true };
    b->name = name ? arena_copy(vm->arena, name) : arena_printf(vm->arena, "#block%03zu", vm->blocks.count);
    if (fill(vm, b, given, err) < 0) {
        block_free(b);
        return NULL;
    }
    vector_push(&vm->blocks, b);
    return b;
}

/* ---- -drive ---- */

static const struct { const char *word; bool direct, no_flush, writeback; } cache_modes[] = {
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

int block_create_drive(struct vm *vm, const struct json *given, struct error *err)
{
    const char *id = keyval_text(given, "id"), *file = keyval_text(given, "file"),
               *format = keyval_text(given, "format");
    const char *bus = keyval_text(given, "if"), *cache = keyval_text(given, "cache");
    if (bus && !is_bus(bus))
        return fail(err, ERR_INVALID_ARG, "unsupported bus type '%s'", bus);
    if (id && block_find(vm, id))
        return fail(err, ERR_INVALID_ARG, "Duplicate ID '%s' for drive", id);
    struct block_node *b = NEW(struct block_node);
    *b = (struct block_node) { .fd = -1,
                               .writeback = true,
                               .driver = format ? arena_copy(vm->arena, format) : "raw" };
    b->drive = id ? arena_copy(vm->arena, id)
                  : arena_printf(vm->arena, "%s0-hd%zu", bus ? bus : "ide", vm->blocks.count);
    b->name = arena_printf(vm->arena, "#block%03zu", vm->blocks.count);
    b->filename = arena_copy(vm->arena, file);
    bool bad = (cache && take_cache_mode(b, cache, err) < 0) ||
               keyval_bool(given, "readonly", &b->read_only, err) < 0 ||
               keyval_bool(given, "read-only", &b->read_only, err) < 0 || (file && open_file(b, err) < 0);
    if (bad) {
        block_free(b);
        return -1;
    }
    vector_push(&vm->blocks, b);
    return 0;
}

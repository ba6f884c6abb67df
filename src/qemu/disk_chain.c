/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/disk_chain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"
#include "base/vector.h"
#include "qemu/image_header.h"

/* One walk down a chain. */
struct walk {
    struct arena *arena;
    VECTOR(struct stat) seen;
};

/* 1: read; 0: it is no file that can be read; -1 and an error: it says something that cannot be.  What a raw
 * image begins with is the guest's affair. */
static int read_header(const char *path, bool is_raw, struct stat *ret_stat, struct image_header *ret_header,
                       struct error *err)
{
    *ret_header = (struct image_header) { .format = DISK_RAW };
    owned_memory unsigned char *bytes = memory_new(IMAGE_HEADER_MAX);
    if (stat(path, ret_stat) < 0)
        return 0;
    if (!S_ISREG(ret_stat->st_mode) && !S_ISBLK(ret_stat->st_mode)) {
        errno = EINVAL;
        return 0;
    }
    owned_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t length = fd < 0 ? -1 : pread(fd, bytes, IMAGE_HEADER_MAX, 0);
    if (length < 0)
        return 0;
    return !is_raw && image_header_parse(bytes, (size_t) length, ret_header, err) < 0 ? -1 : 1;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return S_ISBLK(a->st_mode) && S_ISBLK(b->st_mode) ? a->st_rdev == b->st_rdev
                                                      : a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int remember(struct walk *walk, const char *path, const struct stat *st, struct error *err)
{
    for (size_t i = 0; i < walk->seen.count; i++)
        if (is_same_file(&walk->seen.items[i], st))
            return fail(err, ERR_OPERATION_INVALID, "the image '%s' is below itself: the chain is a loop",
                        path);
    if (walk->seen.count == DISK_IMAGES_MAX)
        return fail(err, ERR_OPERATION_INVALID, "the chain has more than %d images", DISK_IMAGES_MAX);
    vector_push(&walk->seen, *st);
    return 0;
}

/* What is not written down is guessed only where a guess does no harm: in a raw image a guest may have
 * written a header that names any file of the host. */
static int choose_format(struct disk *image, const struct image_header *above,
                         const struct image_header *header, const char *path, struct error *err)
{
    const char *word = above->backing_format;
    int format = enum_find(&disk_format_names, word);
    if (!*word && (*header->backing || header->has_data_file))
        return fail(err, ERR_OPERATION_INVALID,
                    "the format of the image '%s' is not recorded in '%s', which is above it; "
                    "'qemu-img rebase -u -F FORMAT' records it",
                    image->file, path);
    if (*word && !format)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "the image '%s' has the unknown format '%s'", image->file,
                    word);
    image->format = *word ? (enum disk_format) format : header->format;
    return 0;
}

/* The image that `header`, of the file `path`, names; NULL: refused. */
static struct disk *find_next(struct walk *walk, const char *path, struct image_header *header,
                              struct error *err)
{
    struct disk *next = ARENA_NEW(walk->arena, struct disk);
    struct image_header below;
    struct stat st;
    if (!text_is_printable(header->backing)) {
        fail(err, ERR_CONFIG_UNSUPPORTED, "the image below '%s' has a name that XML cannot hold", path);
        return NULL;
    }
    if (image_locate(path, header->backing, walk->arena, next, err) < 0) {
        fail_in(err, "image '%s'", path);
        return NULL;
    }
    int rc = read_header(next->file, text_equal(header->backing_format, "raw"), &st, &below, err);
    if (rc == 0)
        fail_errno(err, errno, "the image '%s', which is below '%s', cannot be opened", next->file, path);
    else if (rc < 0)
        fail_in(err, "image '%s'", next->file);
    if (rc <= 0 || remember(walk, next->file, &st, err) < 0 ||
        choose_format(next, header, &below, path, err) < 0)
        return NULL;
    if (S_ISBLK(st.st_mode)) {
        next->type = DISK_BLOCK;
        next->dev = next->file;
        next->file = NULL;
    }
    next->readonly = true;
    *header = below;
    return next;
}

static bool has_chain(const struct disk *image)
{
    return image->format == DISK_QCOW2 || image->format == DISK_QCOW || image->format == DISK_QED;
}

static bool is_read(const struct disk *image)
{
    return disk_path(image) && (has_chain(image) || image->format <= DISK_RAW);
}

static int walk_down(struct walk *walk, struct disk *image, struct error *err)
{
    struct image_header header = { 0 };
    struct stat st;
    const char *path = disk_path(image);
    int rc = has_chain(image) ? read_header(path, false, &st, &header, err) : 0;
    if (rc < 0)
        return fail_in(err, "image '%s'", path);
    if (rc > 0 && remember(walk, path, &st, err) < 0)
        return -1;
    if (has_chain(image) && (rc == 0 || header.format != image->format))
        return 0;                                   /* the emulator will say so */
    while (has_chain(image) && *header.backing) {
        path = disk_path(image);
        struct disk *next = find_next(walk, path, &header, err);
        if (!next)
            return -1;
        image->backing = next;
        image = next;
    }
    if (is_read(image))
        image->backing = ARENA_NEW(walk->arena, struct disk);
    return 0;
}

struct work { struct domain_def *def; struct error err; };

static void complete(void *arg)
{
    struct work *work = arg;
    for (size_t i = 0; i < work->def->disks.count; i++) {
        struct disk *disk = work->def->disks.items[i], *last = disk;
        struct walk walk = { .arena = work->def->arena };
        while (last->backing && last->backing->type)
            last = last->backing;
        if (last->backing || !is_read(last))
            continue;
        int rc = walk_down(&walk, last, &work->err);
        vector_done(&walk.seen);
        if (rc < 0) {
            fail_in(&work->err, "disk '%s'", disk->target);
            return;
        }
    }
}

static bool needs_reading(const struct domain_def *def)
{
    for (size_t i = 0; i < def->disks.count; i++)
        if (has_chain(def->disks.items[i]) || disk_below(def->disks.items[i]))
            return true;
    return false;
}

int disk_chains_complete(struct domain_def *live, struct error *err)
{
    struct work work = { .def = live };
    if (!needs_reading(live)) {
        complete(&work);                            /* which then opens nothing */
        return 0;
    }
    int rc = await_work(complete, &work, err);
    if (rc == 0 && work.err.code != ERR_NONE) {
        error_move(err, &work.err);
        rc = -1;
    }
    error_clear(&work.err);
    return rc;
}

void disk_number_images(struct disk *disk, uint32_t node)
{
    disk->source_index = (struct opt_u32) { true, node };
    for (struct disk *image = disk->backing; image && image->type; image = image->backing)
        image->source_index = (struct opt_u32) { true, ++node };
}

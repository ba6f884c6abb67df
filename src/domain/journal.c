/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "loop/loop.h"
#include "loop/process.h"

enum { LINE_MAX_BYTES = 160, IDLE_MS = 2000, FILE_MAX = 64 << 20 };

static const char *const kinds[] = { [JOURNAL_DEFINITION] = "domains", [JOURNAL_AUTOSTART] = "autostart" };

/* Which file: what is to be synced before the journal begins again. */
struct name { enum journal_kind kind; struct uuid uuid; };

struct change {
    struct name name;
    const void *bytes;                  /* NULL: it is removed */
    size_t length;
    int rc;
    struct error *err;
    bool is_done;
    struct wait wait;                   /* until it is done, or its turn to lead */
    struct change *next;
};

/* `batch` and what stands above belong to whoever leads, and to the worker that it waits for. */
struct journal {
    const struct places *places;
    char *path;
    int fd;
    uint64_t generation;
    size_t end;                         /* where the next record goes */
    bool is_usable;                     /* its first line is known to be on the disk */
    bool is_doubtful;                   /* a sync of the files failed: what the disk has is not known */
    VECTOR(struct name) touched;
    struct change *batch;
    struct error trouble;               /* of a rest */

    struct change *queue, **queue_end;
    bool led;
    struct timer *idle;
};

static char *place_of(const struct places *places, const struct name *name)
{
    return name->kind == JOURNAL_DEFINITION ? place_definition(places, &name->uuid)
                                           : place_autostart(places, &name->uuid);
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + JOURNAL_PAGE - 1) / JOURNAL_PAGE * JOURNAL_PAGE;
}

static void fill_page(struct buffer *out)
{
    size_t padding = whole_pages(out->length) - out->length;
    memset(buffer_room(out, padding), 0, padding);
    out->length += padding;
}

/* --- records --- */

static void record_add(struct buffer *out, uint64_t generation, const struct change *change)
{
    char uuid[UUID_TEXT_SIZE];
    size_t at = out->length;
    uuid_format(&change->name.uuid, uuid);
    buffer_printf(out, "%s %s %s %" PRIu64 " %zu ", change->bytes ? "put" : "drop", kinds[change->name.kind],
                  uuid, generation, change->length);
    uint64_t sum = hash_bytes(HASH_BEGIN, out->data + at, out->length - at);
    buffer_printf(out, "%016" PRIx64 "\n", hash_bytes(sum, change->bytes, change->length));
    if (change->length)
        buffer_add(out, change->bytes, change->length);
    fill_page(out);
}

static size_t record_size(const struct change *change)
{
    return whole_pages(LINE_MAX_BYTES + change->length);
}

/* The one at `at`, if it is one and of that generation (0: of any, which is returned); its end, or 0. */
static size_t record_read(const struct buffer *text, size_t at, uint64_t *generation, struct change *ret)
{
    char line[LINE_MAX_BYTES] = "", verb[5], kind[10], uuid[UUID_TEXT_SIZE];
    uint64_t number, sum;
    size_t length;
    int before_sum, end = 0;
    if (at >= text->length)
        return 0;
    size_t room = text->length - at;
    memcpy(line, text->data + at, room < sizeof line ? room : sizeof line - 1);
    if (sscanf(line, "%4s %9s %36s %" SCNu64 " %zu %n%16" SCNx64 "%n", verb, kind, uuid, &number, &length,
               &before_sum, &sum, &end) != 6 || line[end] != '\n')
        return 0;
    size_t head = (size_t) end + 1;
    bool is_put = text_equal(verb, "put"), is_definition = text_equal(kind, kinds[JOURNAL_DEFINITION]);
    if (head > room || length > room - head || (!is_put && (!text_equal(verb, "drop") || length)) ||
        (!is_definition && !text_equal(kind, kinds[JOURNAL_AUTOSTART])) || !number ||
        (*generation && number != *generation) || !uuid_parse(uuid, &ret->name.uuid))
        return 0;
    const char *bytes = text->data + at + head;
    if (hash_bytes(hash_bytes(HASH_BEGIN, line, (size_t) before_sum), bytes, length) != sum)
        return 0;
    ret->name.kind = is_definition ? JOURNAL_DEFINITION : JOURNAL_AUTOSTART;
    ret->bytes = is_put ? bytes : NULL;
    ret->length = length;
    *generation = number;
    return whole_pages(at + head + length);
}

/* --- beginning again --- */

static int begin_sync(int fd)
{
    sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    return 0;
}

/* What was removed, or is no file any more, is not ours. */
static int apply_to(const char *path, int (*fn)(int fd), struct error *err)
{
    struct stat st;
    owned_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 ? errno == ENOENT || errno == ELOOP
               : fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return 0;
    return fd >= 0 && fn(fd) == 0 ? 0 : fail_errno(err, errno, "cannot sync %s", path);
}

/* A sync that failed is not to be tried again: the kernel tells once, and then calls the pages clean. */
static int write_anew(const char *path, struct error *err)
{
    struct stat st;
    owned_buffer struct buffer text = { 0 };
    if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return 0;
    return file_read_regular(path, FILE_MAX, &text, err) < 0
               ? -1 : file_replace(path, buffer_text(&text), text.length, 0600, err);
}

static int sync_touched(const struct journal *j, int (*fn)(int fd), struct error *err)
{
    for (size_t i = 0; i < j->touched.count; i++) {
        owned_memory char *path = place_of(j->places, &j->touched.items[i]);
        if ((j->is_doubtful ? write_anew(path, err) : apply_to(path, fn, err)) < 0)
            return -1;
    }
    return 0;
}

static int sync_folders(const struct journal *j, struct error *err)
{
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        owned_memory char *folder = memory_printf("%s/%s", j->places->lib, kinds[i]);
        if (apply_to(folder, fsync, err) < 0)
            return -1;
    }
    return 0;
}

/* All are on their way before the first is waited for. */
static int sync_files(struct journal *j, struct error *err)
{
    j->is_doubtful = sync_touched(j, begin_sync, err) < 0 || sync_touched(j, fsync, err) < 0 ||
                     sync_folders(j, err) < 0;
    return j->is_doubtful ? -1 : 0;
}

static int write_at(int fd, const char *bytes, size_t length, size_t at)
{
    for (ssize_t n; length; bytes += n, length -= (size_t) n, at += (size_t) n)
        if ((n = pwrite(fd, bytes, length, (off_t) at)) < 0)
            return -1;
    return 0;
}

static int write_header(struct journal *j, uint64_t generation, struct error *err)
{
    owned_buffer struct buffer page = { 0 };
    buffer_printf(&page, "domus-journal 1 %" PRIu64 " %s ", generation, process_boot_id());
    buffer_printf(&page, "%016" PRIx64 "\n", hash_bytes(HASH_BEGIN, page.data, page.length));
    fill_page(&page);
    j->is_usable = false;               /* until we know which generation the disk has */
    if (write_at(j->fd, page.data, page.length, 0) < 0 || fdatasync(j->fd) < 0)
        return fail_errno(err, errno, "cannot write %s", j->path);
    j->is_usable = true;
    j->generation = generation;
    j->end = JOURNAL_PAGE;
    return 0;
}

/* All blocks of the file are written, so that syncing a record writes that and nothing else. */
static int open_file(struct journal *j, bool fresh, struct error *err)
{
    if (j->fd >= 0)
        return 0;
    owned_memory char *zeros = memory_new(JOURNAL_BYTES);
    if (fresh && file_replace(j->path, zeros, JOURNAL_BYTES, 0600, err) < 0)
        return -1;
    j->fd = open(j->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    return j->fd >= 0 ? 0 : fail_errno(err, errno, "cannot open %s", j->path);
}

static int begin_again(struct journal *j, struct error *err)
{
    if (!j->touched.count && j->is_usable)
        return 0;
    if (sync_files(j, err) < 0 || open_file(j, true, err) < 0 || write_header(j, j->generation + 1, err) < 0)
        return -1;
    j->touched.count = 0;
    return 0;
}

/* --- changes, on a worker's thread --- */

static size_t batch_size(const struct journal *j)
{
    size_t size = 0;
    for (const struct change *c = j->batch; c; c = c->next)
        size += record_size(c);
    return size;
}

/* False: the disk, or the journal, has no room for it. */
static bool append(struct journal *j)
{
    size_t size = batch_size(j);
    error_scope(err);
    if ((size > JOURNAL_BYTES - j->end || !j->is_usable) && begin_again(j, &err) < 0)
        return false;
    if (size > JOURNAL_BYTES - j->end)
        return false;
    owned_buffer struct buffer records = { 0 };
    for (const struct change *c = j->batch; c; c = c->next)
        record_add(&records, j->generation, c);
    if (write_at(j->fd, records.data, records.length, j->end) < 0 || fdatasync(j->fd) < 0)
        return false;
    j->end += records.length;
    return true;
}

static int write_file(const struct journal *j, struct change *c, bool synced, struct error *err)
{
    owned_memory char *path = place_of(j->places, &c->name);
    if (!c->bytes)
        return synced ? file_remove(path, err) : file_drop(path, err);
    return (synced ? file_replace : file_swap)(path, c->bytes, c->length, 0600, err);
}

/* What failed must not come back out of the journal, so that begins again. */
static void commit(void *arg)
{
    struct journal *j = arg;
    bool in_journal = append(j), all = true;
    for (struct change *c = j->batch; c; c = c->next) {
        c->rc = write_file(j, c, !in_journal, c->err);
        all = all && c->rc == 0;
        vector_push(&j->touched, c->name);
    }
    error_scope(err);
    if ((in_journal && all) || begin_again(j, &err) == 0)
        return;
    for (struct change *c = j->batch; c; c = c->next)
        if (!in_journal && c->rc == 0)
            c->rc = fail(c->err, ERR_SYSTEM, "%s", error_text(&err));
}

/* --- changes, on the loop --- */

static void on_idle(void *arg);

/* Whoever comes first leads: it makes all changes that wait, its own among them; then the next one does. */
static void pass_on(struct journal *j)
{
    j->led = j->queue != NULL;
    if (j->led)
        wait_done(&j->queue->wait, 0);
    else if (j->touched.count && !j->idle)
        j->idle = timer_start(IDLE_MS, 0, on_idle, j);
}

static WAITS void lead(struct journal *j)
{
    error_scope(cancelled);             /* it is done all the same */
    j->led = true;
    timer_free(take(j->idle));
    j->batch = take(j->queue);
    j->queue_end = &j->queue;
    await_work(commit, j, &cancelled);
    for (struct change *c = take(j->batch), *next; c; c = next) {
        next = c->next;
        c->is_done = true;
        wait_done(&c->wait, 0);
    }
    pass_on(j);
}

static WAITS int make(struct journal *j, const struct change *wanted)
{
    owned_memory struct change *change = NEW(struct change);
    *change = *wanted;
    *j->queue_end = change;
    j->queue_end = &change->next;
    if (j->led)
        wait_release(&change->wait);
    if (!change->is_done)
        lead(j);
    return change->rc;
}

int journal_put(struct journal *j, enum journal_kind kind, const struct uuid *uuid, const void *bytes,
                size_t length, struct error *err)
{
    const struct change change = { .name = { kind, *uuid }, .bytes = bytes, .length = length, .err = err };
    return make(j, &change);
}

int journal_drop(struct journal *j, enum journal_kind kind, const struct uuid *uuid, struct error *err)
{
    return make(j, &(struct change) { .name = { kind, *uuid }, .err = err });
}

static void rest(void *arg)
{
    struct journal *j = arg;
    begin_again(j, &j->trouble);
}

static void tell_trouble(struct journal *j)
{
    if (j->trouble.code)
        log_warning("the journal does not begin again: %s", error_text(&j->trouble));
    error_clear(&j->trouble);
}

static void rest_fiber(void *arg)
{
    struct journal *j = arg;
    error_scope(never);
    await_work(rest, j, &never);
    tell_trouble(j);
    pass_on(j);
}

static void on_idle(void *arg)
{
    struct journal *j = arg;
    timer_free(take(j->idle));
    j->led = fiber_start(rest_fiber, j) != NULL;
}

/* --- after a crash --- */

static time_t time_of_boot(void)
{
    struct timespec now, since;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &since);
    return now.tv_sec - since.tv_sec;
}

static bool is_as(const char *path, const struct change *record)
{
    error_scope(missing);
    owned_buffer struct buffer now = { 0 };
    if (file_read_regular(path, FILE_MAX, &now, &missing) < 0)
        return !record->bytes && access(path, F_OK) < 0;
    return record->bytes && now.length == record->length &&
           (!now.length || memcmp(now.data, record->bytes, now.length) == 0);
}

static int put_back(const struct journal *j, struct change *record, struct error *err)
{
    struct stat st;
    owned_memory char *path = place_of(j->places, &record->name);
    if (is_as(path, record))
        return 0;
    if (lstat(path, &st) == 0 && st.st_mtim.tv_sec > time_of_boot()) {
        log_warning("%s was changed since the host came up, and stays: the journal has another", path);
        return 0;
    }
    if (write_file(j, record, true, err) < 0)
        return fail_in(err, "%s was acknowledged before the host went down, and cannot be put back", path);
    log_info("%s is %s as it was when the host went down", path, record->bytes ? "put back" : "removed");
    return 0;
}

static bool is_same(const struct name *a, const struct name *b)
{
    return a->kind == b->kind && uuid_equal(&a->uuid, &b->uuid);
}

static int put_all_back(const struct journal *j, struct change *records, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        size_t later = i + 1;
        while (later < count && !is_same(&records[later].name, &records[i].name))
            later++;
        if (later == count && put_back(j, &records[i], err) < 0)
            return -1;
    }
    return 0;
}

/* A header that cannot be read was being written, so all files were synced; what its records say holds. */
static int replay(struct journal *j, const struct buffer *text, struct error *err)
{
    char boot[40] = "";
    uint64_t sum;
    int end;
    if (sscanf(buffer_text(text), "domus-journal 1 %18" SCNu64 " %36s %n%16" SCNx64 "\n", &j->generation,
               boot, &end, &sum) != 3 || hash_bytes(HASH_BEGIN, text->data, (size_t) end) != sum)
        j->generation = 0, *boot = '\0';
    VECTOR(struct change) records = { 0 };
    struct change record = { 0 };
    for (size_t at = JOURNAL_PAGE; (at = record_read(text, at, &j->generation, &record)) != 0; ) {
        vector_push(&records, record);
        vector_push(&j->touched, record.name);
    }
    bool is_earlier = !text_equal(boot, process_boot_id());
    int rc = is_earlier ? put_all_back(j, records.items, records.count, err) : 0;
    vector_done(&records);
    return rc;
}

/* A disk that is full keeps nobody from starting; then the first change tries once more. */
static int begin(struct journal *j, bool fresh, struct error *err)
{
    if (sync_files(j, err) < 0)
        return -1;
    j->touched.count = 0;
    if (open_file(j, fresh, &j->trouble) == 0)
        write_header(j, j->generation + 1, &j->trouble);
    tell_trouble(j);
    return 0;
}

struct journal *journal_open(const struct places *places, struct error *err)
{
    owned(journal) struct journal *j = NEW(struct journal);
    owned_buffer struct buffer text = { 0 };
    j->places = places;
    j->path = memory_printf("%s/journal", places->lib);
    j->queue_end = &j->queue;
    j->fd = -1;
    j->end = JOURNAL_PAGE;
    bool is_there = access(j->path, F_OK) == 0;
    if (is_there && (file_read_regular(j->path, JOURNAL_BYTES, &text, err) < 0 || replay(j, &text, err) < 0))
        return NULL;
    bool fresh = text.length != JOURNAL_BYTES || !j->generation;
    return begin(j, fresh, err) < 0 ? NULL : take(j);
}

void journal_free(struct journal *j)
{
    if (!j)
        return;
    assert(!j->led && "a change is under way");
    rest(j);
    tell_trouble(j);
    timer_free(j->idle);
    own_close_fd(&j->fd);
    vector_done(&j->touched);
    free(j->path);
    free(j);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "qemu/caps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "loop/loop.h"
#include "qemu/caps_probe.h"

enum {
    CACHE_FILE_MAX = 4 << 20,
    TIMEOUT_REMEMBERED_MS = 10000,      /* a slow answer may be the host's fault, so it is asked again soon */
};

struct caps_waiter {
    struct wait wait;
    struct caps_waiter *next;
};

/* What is known of one path.  Either caps, or why there are none; both belong to `key`. */
struct caps_entry {
    char *emulator, *key;
    struct caps *caps;
    struct error failure;
    uint64_t failed_until;              /* 0: until the key changes */
    bool probing;
    struct caps_waiter *waiters;
};

static struct map *entries;
static struct { char *folder, *caps_of, *sim_path, *sim_options; } settings;

static void settings_clear(void)
{
    free(settings.folder), free(settings.caps_of), free(settings.sim_path), free(settings.sim_options);
    memset(&settings, 0, sizeof settings);
}

void caps_init(const struct caps_settings *with)
{
    settings_clear();
    settings.folder = memory_copy_text(with->folder);
    settings.caps_of = memory_copy_text(with->caps_of);
    settings.sim_path = memory_copy_text(with->sim_path);
    settings.sim_options = memory_copy_text(with->sim_options);
    if (!entries)
        entries = map_new();
}

static void entry_clear(struct caps_entry *entry)
{
    caps_free(take(entry->caps));
    error_clear(&entry->failure);
    free(take(entry->key));
}

void caps_done(void)
{
    struct caps_entry *entry;
    for (size_t at = 0; entries && (entry = map_next(entries, &at)) != NULL; ) {
        entry_clear(entry);
        free(entry->emulator);
        free(entry);
    }
    map_free(take(entries));
    settings_clear();
}

/* --- keys --- */

static int key_add_file(struct buffer *key, const char *path, struct error *err)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return fail_errno(err, errno, "emulator '%s' cannot be looked at", path);
    if (!S_ISREG(st.st_mode))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "emulator '%s' is not a file that can be run", path);
    buffer_printf(key, "%s %ju:%ju %jd %jd.%09ld\n", path, (uintmax_t) st.st_dev, (uintmax_t) st.st_ino,
                  (intmax_t) st.st_size, (intmax_t) st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return 0;
}

static bool is_script(const char *path)
{
    char start[2] = { 0 };
    owned_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return fd >= 0 && read(fd, start, 2) == 2 && start[0] == '#' && start[1] == '!';
}

static const char *sim_options_for(const char *emulator)
{
    return text_equal(emulator, settings.sim_path) ? settings.sim_options : NULL;
}

/* Everything that the answer depends on.  A script stays as it is when the binary behind it changes, so that
 * one is looked at, too. */
static char *make_key(const char *emulator, struct error *err)
{
    owned_buffer struct buffer key = { 0 };
    if (*emulator != '/') {
        fail(err, ERR_CONFIG_UNSUPPORTED, "the emulator's path '%s' is not absolute", emulator);
        return NULL;
    }
    if (key_add_file(&key, emulator, err) < 0 ||
        (settings.caps_of && is_script(emulator) && key_add_file(&key, settings.caps_of, err) < 0))
        return NULL;
    if (sim_options_for(emulator))
        buffer_printf(&key, "-sim %s\n", sim_options_for(emulator));
    buffer_printf(&key, "kvm %s\n%s %s\n", access("/dev/kvm", R_OK | W_OK) == 0 ? "yes" : "no", PACKAGE_NAME,
                  PACKAGE_VERSION);
    return buffer_take(&key);
}

/* --- the cache folder --- */

struct cache_file {
    char *folder, *path;
    struct buffer text;
    struct error err;
    int rc;
};

static void cache_file_init(struct cache_file *file, const char *key)
{
    *file = (struct cache_file){ .folder = memory_printf("%s/caps", settings.folder) };
    uint64_t hash = hash_bytes(HASH_BEGIN, key, strlen(key));    /* the file's own key tells a collision */
    file->path = memory_printf("%s/%016" PRIx64 ".json", file->folder, hash);
}

static void cache_file_done(struct cache_file *file)
{
    free(file->folder), free(file->path);
    buffer_done(&file->text);
    error_clear(&file->err);
}

static void cache_file_read(void *arg)
{
    struct cache_file *file = arg;
    file->rc = file_read_regular(file->path, CACHE_FILE_MAX, &file->text, &file->err);
}

static void cache_file_write(void *arg)
{
    struct cache_file *file = arg;
    file->rc = folder_make(file->folder, 0755, &file->err);
    if (file->rc == 0)
        file->rc = file_swap(file->path, file->text.data, file->text.length, 0600, &file->err);
}

/* NULL if there is none, or it is not for this key: then the emulator is asked. */
static WAITS struct caps *load(const char *key)
{
    if (!settings.folder)
        return NULL;
    error_scope(err);
    struct cache_file file __attribute__((cleanup(cache_file_done)));
    cache_file_init(&file, key);
    if (await_work(cache_file_read, &file, &err) < 0 || file.rc < 0)
        return NULL;
    owned(caps) struct caps *caps = caps_from_text(file.text.data, file.text.length, &err);
    if (!caps)
        log_debug("capabilities in '%s' are not used: %s", file.path, error_text(&err));
    return caps && strcmp(caps->key, key) == 0 ? take(caps) : NULL;
}

static WAITS void save(const struct caps *caps)
{
    if (!settings.folder)
        return;
    error_scope(err);
    struct cache_file file __attribute__((cleanup(cache_file_done)));
    cache_file_init(&file, caps->key);
    caps_format(caps, &file.text);
    if (await_work(cache_file_write, &file, &err) == 0 && file.rc < 0)
        log_debug("capabilities are not kept: %s", error_text(&file.err));
}

/* --- one probe at a time --- */

static struct caps_entry *entry_get(const char *emulator)
{
    struct caps_entry *entry = map_find_text(entries, emulator);
    if (!entry) {
        entry = NEW(struct caps_entry);
        entry->emulator = memory_copy_text(emulator);
        map_set_text(entries, emulator, entry);
    }
    return entry;
}

static WAITS int wait_for_probe(struct caps_entry *entry, struct error *err)
{
    struct caps_waiter self = { .next = entry->waiters };
    entry->waiters = &self;
    if (wait_until(&self.wait, 0, err) == 0)
        return 0;
    for (struct caps_waiter **link = &entry->waiters; *link; link = &(*link)->next)
        if (*link == &self) {
            *link = self.next;
            break;
        }
    return -1;
}

static void wake_waiters(struct caps_entry *entry)
{
    struct caps_waiter *waiter = entry->waiters, *next;
    for (entry->waiters = NULL; waiter; waiter = next) {
        next = waiter->next;
        wait_done(&waiter->wait, 0);
    }
}

/* Takes `failure` over.  A cancelled probe says nothing about the emulator: who waits asks again. */
static void remember(struct caps_entry *entry, const char *key, struct caps *caps, struct error *failure)
{
    entry_clear(entry);
    if (!caps && failure->code == ERR_ABORTED)
        return;
    entry->key = memory_copy_text(key);
    entry->caps = caps ? caps_ref(caps) : NULL;
    entry->failed_until = failure->code == ERR_TIMEOUT ? loop_now() + TIMEOUT_REMEMBERED_MS : 0;
    error_move(&entry->failure, failure);
}

static WAITS struct caps *ask(struct caps_entry *entry, const char *key, struct error *err)
{
    error_scope(failure);
    entry->probing = true;
    owned(caps) struct caps *caps = load(key);
    bool asked = !caps;
    if (asked)
        caps = caps_probe(entry->emulator, sim_options_for(entry->emulator), key, &failure);
    entry->probing = false;
    if (!caps)
        fail(err, failure.code, "%s", error_text(&failure));
    remember(entry, key, caps, &failure);
    wake_waiters(entry);
    if (asked && caps)
        save(caps);
    return take(caps);
}

/* 1: *ret_caps; -1: a remembered failure; 0: it has to be asked. */
static int recall(const struct caps_entry *entry, const char *key, struct caps **ret_caps, struct error *err)
{
    if (!entry->key || strcmp(entry->key, key) != 0)
        return 0;
    if (entry->caps) {
        *ret_caps = caps_ref(entry->caps);
        return 1;
    }
    if (entry->failed_until && loop_now() >= entry->failed_until)
        return 0;
    return fail(err, entry->failure.code, "%s", error_text(&entry->failure));
}

WAITS struct caps *caps_get(const char *emulator, struct error *err)
{
    for (;;) {
        owned_memory char *key = make_key(emulator, err);
        if (!key)
            return NULL;
        struct caps_entry *entry = entry_get(emulator);
        struct caps *caps = NULL;
        if (recall(entry, key, &caps, err) != 0)
            return caps;
        if (!entry->probing)
            return ask(entry, key, err);
        if (wait_for_probe(entry, err) < 0)
            return NULL;
    }
}

struct caps *caps_known(const char *emulator)
{
    error_scope(err);
    owned_memory char *key = make_key(emulator, &err);
    struct caps *caps = NULL;
    const struct caps_entry *entry = key && entries ? map_find_text(entries, emulator) : NULL;
    if (entry)
        recall(entry, key, &caps, &err);
    return caps;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/block_check.h"

#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "simvmm/keyval.h"

static const char *const formats[] = { "raw",      "qcow2",    "qcow",       "qed",  "vmdk",
                                       "vdi",      "vpc",      "vhdx",       "luks", "copy-on-read",
                                       "throttle", "blkdebug", "preallocate" };
static const char *const protocols[] = { "file", "host_device", "host_cdrom", "null-co", "null-aio",
                                         "nbd",  "https",       "http",       "ssh",     "iscsi",
                                         "rbd",  "nfs",         "gluster",    "vvfat",   "nvme" };

static bool among(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_equal(word, words[i]))
            return true;
    return false;
}

bool block_is_format(const char *driver)
{
    return among(driver, formats, ARRAY_COUNT(formats));
}

bool block_is_driver(const char *driver)
{
    return block_is_format(driver) || among(driver, protocols, ARRAY_COUNT(protocols));
}

static const char *const common_keys[] = { "driver",         "node-name",   "read-only",
                                           "auto-read-only", "force-share", "discard",
                                           "detect-zeroes",  "cache",       "active" };
static const struct { const char *driver; const char *keys[16]; } own_keys[] = {
    { "file",
      { "filename", "aio", "locking", "pr-manager", "x-check-cache-dropped", "drop-cache",
        "aio-max-batch" } },
    { "host_device",
      { "filename", "aio", "locking", "pr-manager", "x-check-cache-dropped", "drop-cache",
        "aio-max-batch" } },
    { "host_cdrom",
      { "filename", "aio", "locking", "pr-manager", "x-check-cache-dropped", "drop-cache",
        "aio-max-batch" } },
    { "raw", { "file", "offset", "size" } },
    { "qcow2",
      { "file", "backing", "lazy-refcounts", "pass-discard-request", "pass-discard-snapshot",
        "pass-discard-other", "discard-no-unref", "overlap-check", "cache-size", "l2-cache-size",
        "l2-cache-entry-size", "refcount-cache-size", "cache-clean-interval", "encrypt", "data-file" } },
    { "luks", { "file", "key-secret", "header" } },
    { "null-co", { "size", "latency-ns", "read-zeroes" } },
    { "nbd",
      { "server", "export", "tls-creds", "tls-hostname", "x-dirty-bitmap", "reconnect-delay",
        "open-timeout" } },
};

static bool key_is_known(const char *driver, const char *key)
{
    if (among(key, common_keys, ARRAY_COUNT(common_keys)))
        return true;
    for (size_t i = 0; i < ARRAY_COUNT(own_keys); i++)
        if (text_equal(own_keys[i].driver, driver)) {
            size_t count = 0;
            while (count < ARRAY_COUNT(own_keys[i].keys) && own_keys[i].keys[count])
                count++;
            return among(key, own_keys[i].keys, count);
        }
    return true;                        /* a driver whose keys we do not know */
}

static int check_switch(const struct json *value, const char *name, bool strict, struct error *err)
{
    bool on;
    if (!value || value->type == JSON_BOOL)
        return 0;
    if (strict)
        return fail(err, ERR_INVALID_ARG, "Invalid parameter type for '%s', expected: boolean", name);
    return keyval_parse_bool(json_text(value), &on)
               ? 0
               : fail(err, ERR_INVALID_ARG, "Parameter '%s' expects 'on' or 'off'", name);
}

static int check_word(const struct json *given, const char *key, const char *const *words, size_t count,
                      struct error *err)
{
    const char *word = keyval_text(given, key);
    if (!word || among(word, words, count))
        return 0;
    return fail(err, ERR_INVALID_ARG, "Parameter '%s' does not accept value '%s'", key, word);
}

static bool name_is_good(const char *name)
{
    return ((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z')) && strlen(name) < 32
        && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") == strlen(name);
}

int block_check(const struct json *given, bool strict, struct error *err)
{
    static const char *const discards[] = { "ignore", "unmap" }, *const zeroes[] = { "off", "on", "unmap" },
                             *const aios[] = { "threads", "native", "io_uring" };
    const char *driver = keyval_text(given, "driver"), *name = keyval_text(given, "node-name");
    const struct json *cache = json_get(given, "cache");
    if (!driver)
        return fail(err, ERR_INVALID_ARG, "Parameter 'driver' is missing");
    if (!block_is_driver(driver))
        return fail(err, ERR_INVALID_ARG, "Parameter 'driver' does not accept value '%s'", driver);
    if (check_switch(json_get(cache, "direct"), "cache.direct", strict, err) < 0
        || check_switch(json_get(cache, "no-flush"), "cache.no-flush", strict, err) < 0
        || check_switch(json_get(given, "read-only"), "read-only", strict, err) < 0
        || check_switch(json_get(given, "auto-read-only"), "auto-read-only", strict, err) < 0
        || check_word(given, "discard", discards, ARRAY_COUNT(discards), err) < 0
        || check_word(given, "detect-zeroes", zeroes, ARRAY_COUNT(zeroes), err) < 0
        || check_word(given, "aio", aios, ARRAY_COUNT(aios), err) < 0)
        return -1;
    for (size_t i = 0; i < given->length; i++)
        if (!key_is_known(driver, given->members[i].key))
            return fail(err, ERR_INVALID_ARG, "Parameter '%s' is unexpected", given->members[i].key);
    if (name && !name_is_good(name))
        return fail(err, ERR_INVALID_ARG, "Invalid node-name: '%s'", name);
    return 0;
}

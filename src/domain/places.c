/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/places.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"

struct places *places_new(const char *root)
{
    struct places *p = NEW(struct places);
    if (root) {
        p->config = memory_printf("%s/etc/domusd.conf", root);
        p->lib = memory_printf("%s/lib", root);
        p->run = memory_printf("%s/run", root);
        p->log = memory_printf("%s/log", root);
        p->cache = memory_printf("%s/cache", root);
    } else {
        p->config = memory_copy_text("/etc/domus/domusd.conf");
        p->lib = memory_copy_text("/var/lib/domus");
        p->run = memory_copy_text("/run/domus");
        p->log = memory_copy_text("/var/log/domus");
        p->cache = memory_copy_text("/var/cache/domus");
    }
    return p;
}

void places_free(struct places *p)
{
    if (!p)
        return;
    free(p->config);
    free(p->lib);
    free(p->run);
    free(p->log);
    free(p->cache);
    free(p);
}

static int make_below(const char *folder, const char *name, mode_t mode, struct error *err)
{
    owned_memory char *path = memory_printf("%s/%s", folder, name);
    return folder_make(path, mode, err);
}

int places_make(const struct places *p, struct error *err)
{
    static const char *const in_lib[] = { "domains", "autostart", "save", "snapshot", "nvram" };
    static const char *const in_run[] = { "m", "status" };
    static const char *const in_cache[] = { "caps", "qom" };

    /* Whoever may connect must reach the sockets; what lies below run/ is ours alone. */
    if (folder_make(p->lib, 0700, err) < 0 || folder_make(p->run, 0755, err) < 0 ||
        folder_make(p->log, 0700, err) < 0 || folder_make(p->cache, 0700, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_COUNT(in_lib); i++) {
        if (make_below(p->lib, in_lib[i], 0700, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < ARRAY_COUNT(in_run); i++) {
        if (make_below(p->run, in_run[i], 0700, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < ARRAY_COUNT(in_cache); i++) {
        if (make_below(p->cache, in_cache[i], 0700, err) < 0)
            return -1;
    }
    return 0;
}

static char *by_uuid(const char *folder, const char *name, const struct uuid *uuid, const char *suffix)
{
    char text[UUID_TEXT_SIZE];
    uuid_format(uuid, text);
    return memory_printf("%s/%s/%s%s", folder, name, text, suffix);
}

char *place_definition(const struct places *p, const struct uuid *uuid)
{
    return by_uuid(p->lib, "domains", uuid, ".xml");
}

char *place_autostart(const struct places *p, const struct uuid *uuid)
{
    return by_uuid(p->lib, "autostart", uuid, "");
}

char *place_status(const struct places *p, const struct uuid *uuid)
{
    return by_uuid(p->run, "status", uuid, ".xml");
}

char *place_monitor(const struct places *p, int id)
{
    return memory_printf("%s/m/%d.sock", p->run, id);
}

int place_monitor_id(const char *name)
{
    int id, end = 0;
    return sscanf(name, "%d.sock%n", &id, &end) == 1 && end && !name[end] && id > 0 ? id : 0;
}

char *place_channel(const struct places *p, const struct uuid *uuid, size_t number)
{
    char text[UUID_TEXT_SIZE];
    uuid_format(uuid, text);
    return memory_printf("%s/m/%s-%zu.sock", p->run, text, number);
}

char *place_log(const struct places *p, const char *name, const struct uuid *uuid)
{
    enum { NAME_MAX_SHOWN = 64 };
    char text[UUID_TEXT_SIZE], safe[NAME_MAX_SHOWN + 1];
    size_t length = strnlen(name, NAME_MAX_SHOWN);
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        bool harmless = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                        c == '_' || c == '-' || (c == '.' && i > 0);
        safe[i] = harmless ? c : '_';
    }
    safe[length] = '\0';
    uuid_format(uuid, text);
    return memory_printf("%s/%s-%s.log", p->log, safe, text);
}

bool place_uuid_of_file(const char *name, struct uuid *ret_uuid)
{
    char text[UUID_TEXT_SIZE], again[UUID_TEXT_SIZE];
    if (strlen(name) != UUID_TEXT_SIZE - 1 + strlen(".xml") || !text_ends(name, ".xml"))
        return false;
    memcpy(text, name, UUID_TEXT_SIZE - 1);
    text[UUID_TEXT_SIZE - 1] = '\0';
    if (!uuid_parse(text, ret_uuid))
        return false;
    uuid_format(ret_uuid, again);
    return text_equal(text, again);
}

bool place_is_unfinished(const char *name)
{
    static const char ending[] = ".new";
    struct uuid uuid;
    if (!text_ends(name, ending))
        return false;
    owned_memory char *whole = memory_copy_bytes(name, strlen(name) - strlen(ending));
    return place_uuid_of_file(whole, &uuid);
}

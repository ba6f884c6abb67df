/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/definitions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crew.h"
#include "base/files.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "loop/process.h"

int definition_save(const struct registry *registry, const struct domain_def *def, struct error *err)
{
    owned_buffer struct buffer xml = { 0 };
    domain_def_format(def, DOMAIN_DEF_SECRETS, NULL, &xml);
    return journal_put(registry_journal(registry), JOURNAL_DEFINITION, &def->uuid, xml.data, xml.length, err);
}

int definition_remove(const struct registry *registry, const struct uuid *uuid, struct error *err)
{
    return journal_drop(registry_journal(registry), JOURNAL_DEFINITION, uuid, err);
}

int autostart_save(const struct registry *registry, const struct uuid *uuid, bool on, struct error *err)
{
    struct journal *journal = registry_journal(registry);
    return on ? journal_put(journal, JOURNAL_AUTOSTART, uuid, "", 0, err)
              : journal_drop(journal, JOURNAL_AUTOSTART, uuid, err);
}

/* What a file of the folder holds. */
struct stored {
    char *path;
    struct uuid uuid;                   /* by its name */
    struct domain_def *def;             /* NULL: it is damaged */
    struct error reason;
};

struct folder {
    VECTOR(struct stored) files;
    const struct conf_defaults *defaults;
};

static void folder_done(struct folder *folder)
{
    for (size_t i = 0; i < folder->files.count; i++) {
        struct stored *file = &folder->files.items[i];
        free(file->path);
        domain_def_unref(file->def);
        error_clear(&file->reason);
    }
    vector_done(&folder->files);
}

/* What a crash left unfinished is removed; what is not ours stays where it is. */
static int find_definitions(const char *path, struct folder *folder, struct error *err)
{
    char **names;
    size_t count;
    if (folder_list(path, &names, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct stored file = { .path = memory_printf("%s/%s", path, names[i]) };
        if (place_uuid_of_file(names[i], &file.uuid)) {
            vector_push(&folder->files, file);
            continue;
        }
        if (place_is_unfinished(names[i]))
            unlink(file.path);
        else
            log_warning("%s is no definition of ours; left alone", file.path);
        free(file.path);
    }
    folder_names_free(names, count);
    return 0;
}

/* By any thread: it touches nothing but this one file's entry. */
static void read_definition(void *arg, size_t index)
{
    const struct folder *folder = arg;
    struct stored *file = &folder->files.items[index];
    owned_buffer struct buffer xml = { 0 };
    if (file_read_regular(file->path, DOMAIN_XML_MAX, &xml, &file->reason) == 0)
        file->def = domain_def_parse(buffer_text(&xml), xml.length, 0, folder->defaults, NULL, &file->reason);
}

static int register_definition(struct registry *registry, struct stored *file)
{
    const struct uuid *uuid = &file->uuid;
    struct domain_def *def = file->def;
    struct error *err = &file->reason;
    if (!def)
        return -1;
    if (!uuid_equal(&def->uuid, uuid)) {
        char inside[UUID_TEXT_SIZE];
        uuid_format(&def->uuid, inside);
        return fail(err, ERR_XML, "the file's name is not the uuid inside it, %s", inside);
    }
    if (registry_match(registry, uuid, def->name, err) || err->code)
        return err->code ? -1 : fail(err, ERR_OPERATION_FAILED, "domain '%s' was loaded before", def->name);

    struct domain *dom = registry_add(registry, def);
    owned_memory char *mark = place_autostart(registry_places(registry), uuid);
    dom->persistent = true;
    dom->autostart = access(mark, F_OK) == 0;
    return 0;
}

int definitions_load(struct registry *registry, const struct conf_defaults *defaults, size_t *ret_damaged,
                     struct error *err)
{
    owned_memory char *path = memory_printf("%s/domains", registry_places(registry)->lib);
    __attribute__((cleanup(folder_done))) struct folder folder = { .defaults = defaults };
    size_t damaged = 0;
    if (find_definitions(path, &folder, err) < 0)
        return -1;
    crew_run(folder.files.count, read_definition, &folder);
    for (size_t i = 0; i < folder.files.count; i++) {
        struct stored *file = &folder.files.items[i];
        if (register_definition(registry, file) == 0)
            continue;
        log_error("%s: %s; the file is left as it is, and its domain is not known", file->path,
                  error_text(&file->reason));
        damaged++;
    }
    *ret_damaged = damaged;
    return 0;
}

int autostart_is_due(const struct places *places, bool *ret_due, struct error *err)
{
    owned_memory char *path = memory_printf("%s/autostarted", places->run);
    const char *boot = process_boot_id();
    owned_buffer struct buffer last = { 0 };
    error_scope(none_yet);
    if (file_read_regular(path, 256, &last, &none_yet) == 0 && text_equal(buffer_text(&last), boot)) {
        *ret_due = false;
        return 0;
    }
    if (file_swap(path, boot, strlen(boot), 0600, err) < 0)
        return -1;
    *ret_due = true;
    return 0;
}

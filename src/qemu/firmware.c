/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/firmware.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "conf/domain_def.h"
#include "json/json.h"
#include "qemu/emulator.h"

enum { DESCRIPTION_MAX = 256 << 10 };

/* --- what a description says --- */

static bool list_has(const struct json *list, const char *word)
{
    const struct json *item;
    for (size_t i = 0; (item = json_at(list, i)) != NULL; i++)
        if (text_equal(json_text(item), word))
            return true;
    return false;
}

static bool is_for_machine(const struct json *description, const char *arch, const char *machine)
{
    const struct json *target, *pattern;
    for (size_t i = 0; (target = json_at(json_get(description, "targets"), i)) != NULL; i++) {
        if (!text_equal(json_get_text(target, "architecture"), arch))
            continue;
        for (size_t k = 0; (pattern = json_at(json_get(target, "machines"), k)) != NULL; k++)
            if (json_text(pattern) && fnmatch(json_text(pattern), machine, 0) == 0)
                return true;
    }
    return false;
}

struct image { const char *file, *format; };

static struct image image_of(const struct json *mapping, const char *which)
{
    const struct json *image = json_get(mapping, which);
    const char *format = json_get_text(image, "format");
    return (struct image){ json_get_text(image, "filename"), format ? format : "raw" };
}

static bool fits(const char *asked, const char *there)
{
    return !asked || text_equal(asked, there);
}

static bool has_wanted(const struct os *os, const struct json *features, enum firmware_trait trait)
{
    enum yes_no wanted = os_firmware_wants(os, trait);
    bool has = list_has(features, enum_word(&firmware_trait_names, (int) trait));
    return wanted == YES_NO_ABSENT || (wanted == YES) == has;
}

/* Flash only: code that is only read, beside variables, unless it is to have none. */
static bool has_mapping(const struct os *os, const struct json *mapping)
{
    const char *mode = json_get_text(mapping, "mode");
    struct image code = image_of(mapping, "executable"), variables = image_of(mapping, "nvram-template");
    if (!text_equal(json_get_text(mapping, "device"), "flash") || !code.file)
        return false;
    if (!text_equal(mode ? mode : "split", os->loader_stateless == YES ? "stateless" : "split"))
        return false;
    if (os->loader_stateless != YES && !variables.file)
        return false;
    return fits(os->loader, code.file) && fits(os->loader_format, code.format) &&
           fits(os->nvram_template, variables.file) && fits(os->nvram_format, variables.format);
}

static bool is_wanted(const struct domain_def *def, const struct json *description, const char *machine)
{
    const struct json *features = json_get(description, "features");
    bool needs_smm = list_has(features, "requires-smm");
    if (!list_has(json_get(description, "interface-types"), "uefi") ||
        !is_for_machine(description, def->os.arch, machine) ||
        !has_mapping(&def->os, json_get(description, "mapping")))
        return false;
    if (needs_smm && (def->features.smm == OFF || def->os.loader_secure == NO))
        return false;
    if (def->os.loader_secure == YES && !needs_smm)
        return false;
    return has_wanted(&def->os, features, FIRMWARE_SECURE_BOOT) &&
           has_wanted(&def->os, features, FIRMWARE_ENROLLED_KEYS);
}

/* --- looking for one --- */

struct search {
    struct arena *arena;
    bool (*fn)(void *arg, const struct json *description);      /* true: look no further */
    void *arg;
};

static bool look_at(struct search *search, const char *folder, const char *name)
{
    error_scope(unreadable);
    owned_memory char *path = memory_printf("%s/%s", folder, name);
    owned_buffer struct buffer text = { 0 };
    if (file_read(path, DESCRIPTION_MAX, &text, &unreadable) < 0 || !text.length)
        return false;
    const struct json *description = json_parse(text.data, text.length, search->arena, &unreadable);
    return description && search->fn(search->arg, description);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* All names once, in order, each in the first folder that has it. */
static void each_description(const char *const *folders, struct search *search)
{
    error_scope(unreadable);
    owned(map) struct map *places = map_new();
    VECTOR(const char *) names = { 0 };
    for (size_t i = 0; folders[i]; i++) {
        char **list = NULL;
        size_t count = 0;
        if (folder_list(folders[i], &list, &count, &unreadable) < 0)
            error_clear(&unreadable);
        for (size_t k = 0; k < count; k++) {
            if (!text_ends(list[k], ".json") || map_find_text(places, list[k]))
                continue;
            map_set_text(places, list[k], (void *) folders[i]);
            vector_push(&names, arena_copy(search->arena, list[k]));
        }
        folder_names_free(list, count);
    }
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, compare_names);
    for (size_t i = 0; i < names.count; i++)
        if (look_at(search, map_find_text(places, names.items[i]), names.items[i]))
            break;
    vector_done(&names);
}

/* The first one that a definition may have. */
struct choosing { const struct domain_def *def; const char *machine; const struct json *found; };

static bool take_if_wanted(void *arg, const struct json *description)
{
    struct choosing *choosing = arg;
    if (is_wanted(choosing->def, description, choosing->machine))
        choosing->found = description;
    return choosing->found != NULL;
}

/* --- taking it --- */

/* Written down, so that the same one is chosen when it is looked for again. */
static void take_traits(struct domain_def *def, const struct json *features)
{
    struct os *os = &def->os;
    static const enum firmware_trait traits[] = { FIRMWARE_ENROLLED_KEYS, FIRMWARE_SECURE_BOOT };
    os->firmware = FIRMWARE_EFI;
    for (size_t i = 0; i < ARRAY_COUNT(traits); i++) {
        bool has = list_has(features, enum_word(&firmware_trait_names, (int) traits[i]));
        if (!os_firmware_wants(os, traits[i]))
            os_firmware_want(os, traits[i], has ? YES : NO, def->arena);
    }
}

static void take_description(struct domain_def *def, const struct json *description)
{
    struct os *os = &def->os;
    const struct json *mapping = json_get(description, "mapping");
    const struct json *features = json_get(description, "features");
    struct image code = image_of(mapping, "executable"), variables = image_of(mapping, "nvram-template");
    os->loader = arena_copy(def->arena, code.file);
    os->loader_format = arena_copy(def->arena, code.format);
    os->loader_readonly = YES;
    take_traits(def, features);
    if (list_has(features, "requires-smm")) {
        def->features.smm = ON;
        os->loader_secure = list_has(features, "secure-boot") ? YES : os->loader_secure;
    }
    if (os->loader_stateless == YES)
        return;
    os->nvram_template = arena_copy(def->arena, variables.file);
    os->nvram_template_format = os->nvram_format = arena_copy(def->arena, variables.format);
}

/* Firmware of which we know where its template lies, without a description. */
static void take_known_template(struct os *os)
{
    static const struct { const char *code, *variables; } known[] = {
        { "/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd" },
        { "/usr/share/OVMF/OVMF_CODE.secboot.fd", "/usr/share/OVMF/OVMF_VARS.fd" },
        { "/usr/share/OVMF/OVMF_CODE.ms.fd", "/usr/share/OVMF/OVMF_VARS.ms.fd" },
        { "/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd" },
        { "/usr/share/OVMF/OVMF_CODE_4M.secboot.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd" },
        { "/usr/share/OVMF/OVMF_CODE_4M.ms.fd", "/usr/share/OVMF/OVMF_VARS_4M.ms.fd" },
        { "/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd" },
        { "/usr/share/edk2/ovmf/OVMF_CODE.secboot.fd", "/usr/share/edk2/ovmf/OVMF_VARS.secboot.fd" },
        { "/usr/share/edk2/x64/OVMF_CODE.fd", "/usr/share/edk2/x64/OVMF_VARS.fd" },
        { "/usr/share/edk2-ovmf/x64/OVMF_CODE.fd", "/usr/share/edk2-ovmf/x64/OVMF_VARS.fd" },
        { "/usr/share/qemu/ovmf-x86_64-code.bin", "/usr/share/qemu/ovmf-x86_64-vars.bin" },
        { "/usr/share/qemu/edk2-x86_64-code.fd", "/usr/share/qemu/edk2-i386-vars.fd" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(known); i++)
        if (text_equal(known[i].code, os->loader)) {
            os->nvram_template = known[i].variables;
            os->nvram_template_format = "raw";
            if (!os->nvram_format)
                os->nvram_format = "raw";
        }
}

/* Named by uuid, so no domain name can reach a path. */
static char *own_place(const struct domain_def *def, const char *folder)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format(&def->uuid, uuid);
    return memory_printf("%s/%s_VARS.fd", folder, uuid);
}

char *firmware_variables(const struct domain_def *def)
{
    const char *folder = settings_now()->nvram_folder;
    if (def->os.nvram_type > NVRAM_FILE)
        return NULL;
    const char *named = os_nvram(&def->os);
    char *file = named ? memory_copy_text(named) : folder ? own_place(def, folder) : NULL;
    if (file && access(file, F_OK) == 0)
        return file;
    free(file);
    return NULL;
}

static int place_variables(struct domain_def *def, const char *folder, struct error *err)
{
    struct os *os = &def->os;
    if (os->nvram_type || os->nvram || os->loader_stateless == YES || !os->nvram_template)
        return 0;
    if (!folder)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "<os>: there is no folder for firmware variables; give <nvram>");
    owned_memory char *file = own_place(def, folder);
    os->nvram = arena_copy(def->arena, file);
    return 0;
}

int firmware_choose_from(const char *const *folders, struct domain_def *def, const char *machine,
                         const char *nvram_folder, struct error *err)
{
    struct os *os = &def->os;
    bool chosen = os->firmware == FIRMWARE_EFI;
    if (!os->loader_type && (chosen || (os->loader && (os_nvram(os) || os->nvram_template))))
        os->loader_type = LOADER_PFLASH;
    if (os->loader_type != LOADER_PFLASH || (!chosen && !os->loader))
        return 0;
    owned(arena) struct arena *arena = arena_new();
    struct choosing choosing = { .def = def, .machine = machine };
    struct search search = { arena, take_if_wanted, &choosing };
    bool told = os->loader && os->loader_readonly == YES;
    if (chosen || (told && !os->nvram_template))
        each_description(folders, &search);
    if (choosing.found)
        take_description(def, choosing.found);
    else if (chosen)
        return fail(err, ERR_OPERATION_FAILED,
                    "<os>: no firmware in %s and %s is an 'efi' one for machine '%s' with what is asked of "
                    "it; install one (Debian: ovmf), or name it with <loader> and <nvram>", folders[0],
                    folders[1], machine);
    else if (told && !os->nvram_template && os->loader_stateless != YES)
        take_known_template(os);
    if (told && !os->nvram_template && !os_nvram(os) && os->loader_stateless != YES)
        return fail(err, ERR_OPERATION_FAILED,
                    "<os>: nothing is known of the variables of '%s'; say <nvram template='...'>, or "
                    "stateless='yes' of <loader> if it has none", os->loader);
    return place_variables(def, nvram_folder, err);
}

static const char *const folders[] = { "/etc/qemu/firmware", "/usr/share/qemu/firmware", NULL };

static bool has_choice(const struct os *os)
{
    return os->firmware == FIRMWARE_EFI || os->loader_type == LOADER_PFLASH || os_nvram(os) ||
           os->nvram_template;
}

void firmware_fill_in(struct domain_def *def, const char *nvram_folder, struct findings *findings)
{
    error_scope(reason);
    if (!has_choice(&def->os) ||
        firmware_choose_from(folders, def, def->os.machine, nvram_folder, &reason) == 0)
        return;
    const struct finding finding = { .severity = SEVERITY_WARNING, .path = (char *) "domain/os",
                                     .text = (char *) error_text(&reason) };
    findings_add(findings, &finding);
}

/* --- all of them --- */

struct listing { const char *arch, *machine; struct firmware_list *list; };

static bool add_to_list(void *arg, const struct json *description)
{
    struct listing *listing = arg;
    const struct json *mapping = json_get(description, "mapping");
    const struct json *features = json_get(description, "features");
    const char *code = image_of(mapping, "executable").file;
    if (!code || !text_equal(json_get_text(mapping, "device"), "flash") ||
        !list_has(json_get(description, "interface-types"), "uefi") ||
        !is_for_machine(description, listing->arch, listing->machine))
        return false;
    listing->list->secure |= list_has(features, "requires-smm") && list_has(features, "secure-boot");
    for (size_t i = 0; i < listing->list->files.count; i++)
        if (text_equal(listing->list->files.items[i], code))
            return false;
    vector_push(&listing->list->files, memory_copy_text(code));
    return false;
}

static void list_all(void *arg)
{
    owned(arena) struct arena *arena = arena_new();
    struct search search = { arena, add_to_list, arg };
    each_description(folders, &search);
}

int firmware_list(const char *arch, const char *machine, struct firmware_list *ret_list, struct error *err)
{
    struct listing listing = { arch, machine, ret_list };
    return await_work(list_all, &listing, err);
}

void firmware_list_done(struct firmware_list *list)
{
    for (size_t i = 0; i < list->files.count; i++)
        free(list->files.items[i]);
    vector_done(&list->files);
}

/* --- beside the loop --- */

struct choice { struct domain_def *def; const char *machine, *nvram_folder; struct error err; int rc; };

static void choose(void *arg)
{
    struct choice *choice = arg;
    choice->rc = firmware_choose_from(folders, choice->def, choice->machine, choice->nvram_folder,
                                      &choice->err);
}

WAITS int firmware_choose(struct domain_def *def, const char *machine, const char *nvram_folder,
                          struct error *err)
{
    if (!has_choice(&def->os))
        return 0;
    struct choice choice = { .def = def, .machine = machine, .nvram_folder = nvram_folder };
    int rc = await_work(choose, &choice, err);
    if (rc == 0 && choice.rc < 0)
        error_move(err, &choice.err);
    error_clear(&choice.err);
    return rc < 0 ? rc : choice.rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/emulator.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "conf/domain_def.h"
#include "qemu/caps.h"
#include "qemu/qom_memory.h"

#define DEFAULT_NAME "qemu-system-x86_64"
enum { DEFAULT_TIMEOUT_MS = 30000, GROUPS_MAX = 64 };

static struct operations_settings now;
static char *override;                  /* override_emulator, resolved */
static struct emulator_owner owner = { .user = (uid_t) -1, .group = (gid_t) -1 };

const struct operations_settings *settings_now(void)
{
    return &now;
}

const struct emulator_owner *emulator_owner(void)
{
    return &owner;
}

static void free_text(const char *text)
{
    free((char *) text);
}

static void settings_clear(void)
{
    free_text(now.record_folder);
    free_text(now.cache_folder), free_text(now.nvram_folder), free_text(now.override_emulator);
    free_text(now.sim_path), free_text(now.sim_options);
    free_text(now.caps_of), free_text(now.emulator_user), free_text(now.emulator_group);
    memset(&now, 0, sizeof now);
    free(take(override));
    free(take(owner.groups));
    owner = (struct emulator_owner){ .user = (uid_t) -1, .group = (gid_t) -1 };
}

static void settings_copy(const struct operations_settings *from)
{
    now = *from;
    now.cache_folder = memory_copy_text(from->cache_folder);
    now.record_folder = memory_copy_text(from->record_folder);
    now.nvram_folder = memory_copy_text(from->nvram_folder);
    now.override_emulator = memory_copy_text(from->override_emulator);
    now.sim_path = memory_copy_text(from->sim_path);
    now.sim_options = memory_copy_text(from->sim_options);
    now.caps_of = memory_copy_text(from->caps_of);
    now.emulator_user = memory_copy_text(from->emulator_user);
    now.emulator_group = memory_copy_text(from->emulator_group);
    if (!now.start_timeout_ms)
        now.start_timeout_ms = DEFAULT_TIMEOUT_MS;
}

static int find_group(struct error *err)
{
    if (!now.emulator_group)
        return 0;
    const struct group *group = getgrnam(now.emulator_group);
    if (!group)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "emulator_group: there is no group '%s'",
                    now.emulator_group);
    owner.group = group->gr_gid;
    return 0;
}

/* Looked up once, here, since it may block. */
static int find_owner(struct error *err)
{
    if (!now.emulator_user && now.emulator_group)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "emulator_group needs emulator_user");
    if (!now.emulator_user)
        return 0;
    const struct passwd *user = getpwnam(now.emulator_user);
    if (!user)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "emulator_user: there is no user '%s'", now.emulator_user);
    owner.user = user->pw_uid;
    owner.group = user->pw_gid;
    if (find_group(err) < 0)
        return -1;
    int count = GROUPS_MAX;
    owner.groups = memory_new(GROUPS_MAX * sizeof *owner.groups);
    if (getgrouplist(now.emulator_user, owner.group, owner.groups, &count) < 0)
        count = GROUPS_MAX;
    owner.groups_count = (size_t) count;
    return 0;
}

int operations_init(const struct operations_settings *settings, struct error *err)
{
    settings_clear();
    settings_copy(settings);
    const struct caps_settings caps = { now.cache_folder, now.caps_of, now.sim_path, now.sim_options };
    caps_init(&caps);
    if (now.override_emulator && emulator_resolve(now.override_emulator, &override, err) < 0)
        return fail_in(err, "override_emulator");
    return find_owner(err);
}

void emulator_settings_done(void)
{
    caps_done();
    qom_memory_done();
    settings_clear();
}

/* --- which program --- */

static char *search_path(const char *name)
{
    const char *path = getenv("PATH");
    owned_memory char *folders = memory_copy_text(path ? path : "/usr/local/bin:/usr/bin:/bin");
    char *rest = folders;
    for (const char *folder; (folder = strsep(&rest, ":")) != NULL; ) {
        char *file = memory_printf("%s/%s", folder, name);
        if (*folder == '/' && access(file, X_OK) == 0)
            return file;
        free(file);
    }
    return NULL;
}

static int resolve_sim(char **ret_path, struct error *err)
{
    if (!now.sim_path || access(now.sim_path, X_OK) < 0)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "the simulator '%s' is not there: build or install simvmm",
                    now.sim_path ? now.sim_path : "simvmm");
    *ret_path = memory_copy_text(now.sim_path);
    return 0;
}

int emulator_resolve(const char *setting, char **ret_path, struct error *err)
{
    if (text_equal(setting, "sim"))
        return resolve_sim(ret_path, err);
    if (*setting == '/') {
        *ret_path = memory_copy_text(setting);
        return 0;
    }
    if (!text_equal(setting, "auto"))
        return fail(err, ERR_INVALID_ARG, "an emulator is 'auto', 'sim' or an absolute path, not '%s'",
                    setting);
    char *path = search_path(DEFAULT_NAME);
    if (!path)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "there is no " DEFAULT_NAME " on PATH: install it (Debian: "
                    "qemu-system-x86), or choose the simulator with --emulator sim (emulator = sim)");
    *ret_path = path;
    return 0;
}

const char *emulator_of(const struct domain_def *def, struct error *err)
{
    const char *emulator = override ? override : def->emulator;
    if (!emulator)
        fail(err, ERR_CONFIG_UNSUPPORTED,
             "domain '%s' has no <emulator>, and there is no " DEFAULT_NAME " on PATH: "
             "install it, or choose the simulator with --emulator sim (emulator = sim)",
             def->name);
    else if (*emulator != '/') {
        fail(err, ERR_CONFIG_UNSUPPORTED, "<emulator>: '%s' is not an absolute path", emulator);
        emulator = NULL;
    }
    return emulator;
}

bool emulator_is_sim(const char *emulator)
{
    return now.sim_path && text_equal(emulator, now.sim_path);
}

const char *emulator_sim_options(const char *emulator)
{
    return emulator_is_sim(emulator) ? now.sim_options : NULL;
}

const char *emulator_canonical_machine(void *arg, const char *emulator, const char *machine)
{
    const char *program = override ? override : emulator;
    owned(caps) struct caps *caps = program ? caps_known(program) : NULL;
    if (!caps)
        return NULL;
    const struct caps_machine *found = machine ? caps_machine_find(caps, machine)
                                               : caps_default_machine(caps);
    return found ? found->name : NULL;          /* the cache still has a reference */
}

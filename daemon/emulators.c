/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/emulators.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "daemon/settings.h"
#include "domain/places.h"
#include "qemu/caps.h"
#include "qemu/emulator.h"
#include "qemu/firmware.h"
#include "qemu/operations.h"

/* Beside domusd, where it is in the built tree, or where it is installed. */
static char *find_sim(void)
{
    static const char *const beside[] = { "simvmm", "../simvmm/simvmm" };
    owned_memory char *self = realpath("/proc/self/exe", NULL);
    for (size_t i = 0; self && i < ARRAY_COUNT(beside); i++) {
        int folder = (int) (strrchr(self, '/') - self);
        owned_memory char *path = memory_printf("%.*s/%s", folder, self, beside[i]);
        char *found = access(path, X_OK) == 0 ? realpath(path, NULL) : NULL;
        if (found)
            return found;
    }
    return memory_copy_text(LIBEXECDIR "/simvmm");
}

static const char *or_null(const char *text)
{
    return text && *text ? text : NULL;
}

static int resolve(const char *setting, char **ret_path, struct error *err)
{
    owned_memory char *path = NULL;
    if (emulator_resolve(setting, &path, err) < 0)
        return -1;
    if (access(path, X_OK) < 0)
        return fail_errno(err, errno, "emulator '%s' (%s) cannot be run", setting, path);
    *ret_path = take(path);
    return 0;
}

static int resolve_given(struct emulators *e, const struct settings *settings, struct error *err)
{
    error_scope(reason);
    if (resolve(settings->emulator, &e->given, &reason) == 0)
        return 0;
    if (text_equal(settings->emulator, "auto")) {
        e->why_none = memory_copy_text(error_text(&reason));
        log_warning("%s", e->why_none);
        return 0;
    }
    error_move(err, &reason);
    return -1;
}

static int resolve_override(struct emulators *e, const char *override, struct error *err)
{
    if (!override)
        return 0;
    if (resolve(override, &e->override, err) < 0)
        return fail_in(err, "override_emulator");
    log_warning("override_emulator: every guest is run by %s, whatever its definition says", e->override);
    return 0;
}

int emulators_init(struct emulators *e, const struct settings *settings, const struct places *places,
                   struct error *err)
{
    struct emulators fresh = { .sim = find_sim() };
    owned_memory char *nvram = memory_printf("%s/nvram", places->lib);
    const struct operations_settings told = {
        .cache_folder = places->cache,
        .nvram_folder = nvram,
        .override_emulator = or_null(settings->override_emulator),
        .sim_path = fresh.sim,
        .sim_options = or_null(settings->sim_options),
        .record_folder = or_null(settings->record_folder),
        .caps_of = or_null(settings->caps_of),
        .emulator_user = or_null(settings->emulator_user),
        .emulator_group = or_null(settings->emulator_group),
        .classic_drives = settings->disk_syntax == DISK_SYNTAX_DRIVE,
        .start_timeout_ms = settings->start_timeout * 1000,
        .read_ahead = settings->read_ahead,
    };
    if (operations_init(&told, err) < 0 || resolve_given(&fresh, settings, err) < 0 ||
        resolve_override(&fresh, told.override_emulator, err) < 0) {
        emulators_done(&fresh);
        return -1;
    }
    emulators_done(e);
    *e = fresh;
    return 0;
}

void emulators_done(struct emulators *e)
{
    free(e->given);
    free(e->why_none);
    free(e->override);
    free(e->sim);
    memset(e, 0, sizeof *e);
}

struct caps *emulators_caps(const struct emulators *e, struct error *err)
{
    const char *path = e->override ? e->override : e->given;
    if (!path) {
        fail(err, ERR_INTERNAL, "%s", e->why_none);
        return NULL;
    }
    owned_memory char *held = memory_copy_text(path);   /* a SIGHUP may replace it while we wait */
    return caps_get(held, err);
}

/* The parse runs on a worker thread, where nobody may ask an emulator anything.  So it gets the
 * capabilities that we expect it to need; if it needs those of another program, it says which, and is run
 * again with them. */
struct reading {
    const char *xml;
    unsigned flags;
    const char *given, *override, *nvram_folder;
    struct caps *caps;
    const char *caps_of;                /* the path whose capabilities these are */
    char *wanted;
    struct findings *findings;
    struct domain_def *def;
    struct error *err;
};

static const char *canonical_machine(void *arg, const char *emulator, const char *machine)
{
    struct reading *r = arg;
    const char *runs = r->override ? r->override : emulator;
    if (!runs)
        return NULL;
    if (!text_equal(runs, r->caps_of)) {
        free(r->wanted);
        r->wanted = memory_copy_text(runs);
        return NULL;
    }
    if (!r->caps)
        return NULL;
    const struct caps_machine *found =
        machine ? caps_machine_find(r->caps, machine) : caps_default_machine(r->caps);
    return found ? found->name : NULL;
}

static void read_in_thread(void *arg)
{
    struct reading *r = arg;
    const struct conf_defaults defaults = {
        .arch = r->caps ? r->caps->arch : "x86_64",
        .emulator = r->given,
        .canonical_machine = canonical_machine,
        .arg = r,
    };
    r->def = domain_def_parse(r->xml, strlen(r->xml), r->flags, &defaults, r->findings, r->err);
    if (r->def && !(r->flags & DOMAIN_DEF_LIVE))
        firmware_fill_in(r->def, r->nvram_folder, r->findings);
}

/* An emulator that cannot be asked is not the definition's fault: its machine then keeps its name until a
 * start. */
static WAITS void learn(struct reading *r, const char *path)
{
    error_scope(reason);
    r->caps_of = path;
    r->caps = path ? caps_get(path, &reason) : NULL;
    if (path && !r->caps)
        log_debug("a definition is read without the capabilities of %s: %s", path, error_text(&reason));
}

struct domain_def *emulators_read_definition(const struct emulators *e, const char *xml, unsigned flags,
                                             struct findings *findings, struct error *err)
{
    owned_memory char *given = memory_copy_text(e->given), *override = memory_copy_text(e->override);
    owned_memory char *nvram_folder = memory_copy_text(settings_now()->nvram_folder);
    struct reading r = {
        .xml = xml, .flags = flags, .given = given, .override = override, .nvram_folder = nvram_folder,
        .findings = findings, .err = err
    };
    size_t max = flags & DOMAIN_DEF_LIVE ? DOMAIN_XML_LIVE_MAX : DOMAIN_XML_MAX;
    if (strlen(xml) > max) {
        fail(err, ERR_XML, "the XML has %zu bytes; at most %zu are read", strlen(xml), max);
        return NULL;
    }
    learn(&r, override ? override : given);
    int rc = await_work(read_in_thread, &r, err);
    if (rc == 0 && r.def && r.wanted) {
        owned_memory char *wanted = take(r.wanted);
        domain_def_unref(take(r.def));
        findings_done(findings);
        memset(findings, 0, sizeof *findings);
        caps_free(r.caps);
        learn(&r, wanted);
        rc = await_work(read_in_thread, &r, err);
    }
    caps_free(r.caps);
    free(r.wanted);
    if (rc < 0) {
        domain_def_unref(r.def);
        return NULL;
    }
    return r.def;
}

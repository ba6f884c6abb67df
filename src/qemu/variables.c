/* SPDX-License-Identifier: Apache-2.0 */
/* A firmware's variables: a file of the guest's own, made from a template. */
#include "qemu/firmware.h"

#include <errno.h>
#include <libgen.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "conf/domain_def.h"
#include "qemu/emulator.h"

enum { TEMPLATE_MAX = 64 << 20 };

static const char *format_of(const char *format)
{
    return format ? format : "raw";
}

/* Only folders above it that are ours to make: the last one. */
static int make_folder(const char *file, struct error *err)
{
    owned_memory char *copy = memory_copy_text(file);
    const char *folder = dirname(copy);
    return access(folder, F_OK) == 0 ? 0 : folder_make(folder, 0711, err);
}

static int give_to_owner(const char *file, struct error *err)
{
    const struct emulator_owner *owner = emulator_owner();
    if (owner->user != (uid_t) -1 && chown(file, owner->user, owner->group) < 0)
        return fail_errno(err, errno, "cannot give %s to emulator_user", file);
    return 0;
}

int firmware_copy_template(const struct domain_def *def, struct error *err)
{
    const struct os *os = &def->os;
    const char *file = os_nvram(os);
    if (os->loader_type != LOADER_PFLASH || os->nvram_type > NVRAM_FILE || !file || access(file, F_OK) == 0)
        return 0;
    if (!os->nvram_template)
        return fail(err, ERR_OPERATION_FAILED,
                    "<os>: '%s' is not there, and nothing is known that it could be copied from; "
                    "give <nvram template='...'>", file);
    if (!text_equal(format_of(os->nvram_format), format_of(os->nvram_template_format)) &&
        os->nvram_template_format)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "<os>: a template in format '%s' cannot become variables in '%s'",
                    os->nvram_template_format, format_of(os->nvram_format));
    owned_buffer struct buffer bytes = { 0 };
    if (file_read(os->nvram_template, TEMPLATE_MAX, &bytes, err) < 0)
        return fail_in(err, "<os>: the template of the firmware's variables");
    if (make_folder(file, err) < 0 || file_replace(file, bytes.data, bytes.length, 0600, err) < 0)
        return fail_in(err, "<os>: the firmware's variables");
    return give_to_owner(file, err);
}

struct copying { const struct domain_def *def; struct error err; int rc; };

static void copy(void *arg)
{
    struct copying *copying = arg;
    copying->rc = firmware_copy_template(copying->def, &copying->err);
}

WAITS int firmware_make_variables(const struct domain_def *def, struct error *err)
{
    if (def->os.loader_type != LOADER_PFLASH || !os_nvram(&def->os))
        return 0;
    struct copying copying = { .def = def };
    int rc = await_work(copy, &copying, err);
    if (rc == 0 && copying.rc < 0)
        error_move(err, &copying.err);
    error_clear(&copying.err);
    return rc < 0 ? rc : copying.rc;
}

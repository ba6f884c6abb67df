/* SPDX-License-Identifier: Apache-2.0 */
/* What a guest is served with: entropy, a watchdog, a TPM, folders, sockets, and somebody who hears it panic.
 */
#include "qemu/line.h"

#include "base/memory.h"
#include "base/text.h"

/* The models of a virtio device are listed alike: virtio, virtio-transitional, virtio-non-transitional. */
static char *virtio_driver(const char *driver, unsigned model)
{
    static const char *const suffixes[] = { "", "", "-transitional", "-non-transitional" };
    return memory_printf("%s%s", driver, model < ARRAY_COUNT(suffixes) ? suffixes[model] : "");
}

/* --- entropy --- */

static int add_entropy(struct line *line, const struct rng *rng, const char *id, struct error *err)
{
    static const char *const types[] = {
        [RNG_RANDOM] = "rng-random", [RNG_EGD] = "rng-egd", [RNG_BUILTIN] = "rng-builtin",
    };
    owned_memory char *chardev = memory_printf("char%s", rng->alias);
    if (line_check_type(line, types[rng->backend], "its backend", err) < 0)
        return -1;
    if (rng->backend == RNG_EGD && line_chardev_backend(line, &rng->egd, chardev, NULL, err) < 0)
        return -1;
    owned_props struct props object;
    props_begin(&object, "qom-type", types[rng->backend]);
    props_text(&object, "id", id);
    props_text(&object, "filename", rng->backend == RNG_RANDOM ? rng->device : NULL);
    props_text(&object, "chardev", rng->backend == RNG_EGD ? chardev : NULL);
    line_object(line, &object);
    return 0;
}

static int add_rng(struct line *line, const struct rng *rng, struct error *err)
{
    enum { DEFAULT_PERIOD = 1000 };
    owned_memory char *driver = virtio_driver("virtio-rng-pci", rng->model);
    owned_memory char *object = memory_printf("obj%s", rng->alias);
    if (line_check_type(line, driver, "it", err) < 0 || add_entropy(line, rng, object, err) < 0)
        return -1;
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    line_virtio(&device, &rng->virtio);
    props_text(&device, "rng", object);
    props_text(&device, "id", rng->alias);
    if (rng->rate_bytes) {
        props_u64(&device, "max-bytes", rng->rate_bytes);
        props_u64(&device, "period", rng->rate_period ? rng->rate_period : DEFAULT_PERIOD);
    }
    if (line_address(line, &device, rng->address, err) < 0)
        return -1;
    line_device(line, &device);
    return 0;
}

int line_rng(struct line *line, size_t index, struct error *err)
{
    const struct rng *rng = line->def->rngs.items[index];
    return add_rng(line, rng, err) < 0 ? fail_in(err, "rng '%s'", rng->alias) : 0;
}

int line_rngs(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->rngs.count; i++)
        if (line_rng(line, i, err) < 0)
            return -1;
    return 0;
}

/* --- watchdog --- */

static int add_watchdog(struct line *line, const struct watchdog *watchdog, struct error *err)
{
    if (watchdog->model == WATCHDOG_ITCO && !line_is_q35(line))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "only q35 machines have an itco");
    if (watchdog->model == WATCHDOG_ITCO) {
        argv_add_pair(line->argv, "-global", "ICH9-LPC.noreboot=off");
        return 0;
    }
    const char *driver = enum_word(&watchdog_model_names, watchdog->model);
    if (line_check_type(line, driver, "it", err) < 0)
        return -1;
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    props_text(&device, "id", watchdog->alias);
    if (line_address(line, &device, watchdog->address, err) < 0)
        return -1;
    line_device(line, &device);
    return 0;
}

/* There is one action for all of them. */
static int add_action(struct line *line, enum watchdog_action action, struct error *err)
{
    if (action == WATCHDOG_DUMP)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "watchdog: action 'dump' is not supported");
    argv_add_pair(line->argv, "-watchdog-action", enum_word(&watchdog_action_names, action));
    return 0;
}

int line_watchdogs(struct line *line, struct error *err)
{
    const struct domain_def *def = line->def;
    for (size_t i = 0; i < def->watchdogs.count; i++) {
        const struct watchdog *watchdog = def->watchdogs.items[i];
        if (watchdog->action != def->watchdogs.items[0]->action)
            return fail(err, ERR_CONFIG_UNSUPPORTED, "watchdog: all of them must have the same action");
        if (add_watchdog(line, watchdog, err) < 0)
            return fail_in(err, "watchdog '%s'", watchdog->alias);
    }
    return def->watchdogs.count ? add_action(line, def->watchdogs.items[0]->action, err) : 0;
}

/* --- trusted platform modules --- */

static int add_tpm(struct line *line, const struct tpm *tpm, struct error *err)
{
    const char *driver = enum_word(&tpm_model_names, tpm->model);
    if (tpm->backend == TPM_EMULATOR)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "backend type 'emulator' is not supported: no TPM emulator is started by this daemon; "
                    "'external' takes the socket of one that runs, 'passthrough' the host's own");
    if (line_check_type(line, driver, "it", err) < 0)
        return -1;
    owned_buffer struct buffer backend = { 0 }, chardev = { 0 };
    owned_memory char *id = memory_printf("tpm-%s", tpm->alias);
    option_add(&backend, NULL, tpm->backend == TPM_EXTERNAL ? "emulator" : "passthrough");
    option_add(&backend, "id", id);
    if (tpm->backend == TPM_EXTERNAL) {
        option_add(&chardev, NULL, "socket");
        option_add(&chardev, "id", "chrtpm");
        option_add(&chardev, "path", tpm->source_path);
        line_option(line, "-chardev", &chardev);
        option_add(&backend, "chardev", "chrtpm");
    } else {
        option_add(&backend, "path", tpm->device);
    }
    line_option(line, "-tpmdev", &backend);
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    props_text(&device, "tpmdev", id);
    props_text(&device, "id", tpm->alias);
    line_device(line, &device);
    return 0;
}

int line_tpms(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->tpms.count; i++)
        if (add_tpm(line, line->def->tpms.items[i], err) < 0)
            return fail_in(err, "tpm '%s'", line->def->tpms.items[i]->alias);
    return 0;
}

/* --- folders --- */

static int check_filesystem(const struct filesystem *filesystem, struct error *err)
{
    if (filesystem->driver == FILESYSTEM_VIRTIOFS)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "driver 'virtiofs' is not supported: no virtiofsd is started by this daemon; "
                    "without <driver> the folder is shared by 9p");
    if (filesystem->type != FILESYSTEM_MOUNT || !filesystem->source)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "type '%s' is not supported, only 'mount' of a folder is",
                    enum_word(&filesystem_type_names, filesystem->type));
    if (filesystem->driver > FILESYSTEM_PATH)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "driver '%s' is not supported, only 'path' is",
                    enum_word(&filesystem_driver_names, filesystem->driver));
    return 0;
}

static int add_filesystem(struct line *line, const struct filesystem *filesystem, struct error *err)
{
    static const char *const security[] = {
        [ACCESS_PASSTHROUGH] = "passthrough", [ACCESS_MAPPED] = "mapped", [ACCESS_SQUASH] = "none",
    };
    owned_memory char *driver = virtio_driver("virtio-9p-pci", filesystem->model);
    owned_memory char *id = memory_printf("fsdev-%s", filesystem->alias);
    if (check_filesystem(filesystem, err) < 0 || line_check_type(line, driver, "it", err) < 0)
        return -1;
    owned_buffer struct buffer folder = { 0 };
    option_add(&folder, NULL, "local");
    option_add(&folder, "security_model", security[filesystem->access]);
    option_add(&folder, "multidevs", enum_word(&multidevs_names, filesystem->multidevs));
    option_add(&folder, "fmode", filesystem->file_mode);
    option_add(&folder, "dmode", filesystem->folder_mode);
    option_add(&folder, "writeout", filesystem->write_policy);
    option_add(&folder, "id", id);
    option_add(&folder, "path", filesystem->source);
    option_add(&folder, "readonly", filesystem->readonly ? "on" : NULL);
    line_option(line, "-fsdev", &folder);
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    line_virtio(&device, &filesystem->virtio);
    props_text(&device, "id", filesystem->alias);
    props_text(&device, "fsdev", id);
    props_text(&device, "mount_tag", filesystem->target);
    if (line_address(line, &device, filesystem->address, err) < 0)
        return -1;
    line_device(line, &device);
    return 0;
}

int line_filesystems(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->filesystems.count; i++)
        if (add_filesystem(line, line->def->filesystems.items[i], err) < 0)
            return fail_in(err, "filesystem '%s'", line->def->filesystems.items[i]->alias);
    return 0;
}

/* --- sockets and panics --- */

int line_vsock(struct line *line, struct error *err)
{
    const struct vsock *vsock = line->def->vsock;
    if (!vsock)
        return 0;
    owned_memory char *driver = virtio_driver("vhost-vsock-pci", vsock->model);
    if (!vsock->cid)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "vsock: <cid auto='yes'/> is not supported; <cid address='NUMBER'/> (from 3) is");
    if (line_check_type(line, driver, "vsock", err) < 0)
        return -1;
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    line_virtio(&device, &vsock->virtio);
    props_text(&device, "id", vsock->alias);
    props_u64(&device, "guest-cid", vsock->cid);
    if (line_address(line, &device, vsock->address, err) < 0)
        return fail_in(err, "vsock");
    line_device(line, &device);
    return 0;
}

/* With model hyperv the guest says it through the processor (-cpu), so there is no device. */
int line_panics(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->panics.count; i++) {
        const struct panic *panic = line->def->panics.items[i];
        bool pci = panic->model == PANIC_PVPANIC;
        if (panic->model == PANIC_HYPERV)
            continue;
        if (!pci && panic->model != PANIC_ISA)
            return fail(err, ERR_CONFIG_UNSUPPORTED, "panic: model '%s' is not supported",
                        enum_word(&panic_model_names, panic->model));
        if (line_check_type(line, pci ? "pvpanic-pci" : "pvpanic", "panic", err) < 0)
            return -1;
        owned_props struct props device;
        props_begin(&device, "driver", pci ? "pvpanic-pci" : "pvpanic");
        if (!pci && panic->address && panic->address->type == ADDRESS_ISA)
            props_positive(&device, "ioport", panic->address->isa.iobase);
        if (pci && line_address(line, &device, panic->address, err) < 0)
            return fail_in(err, "panic");
        line_device(line, &device);
    }
    return 0;
}

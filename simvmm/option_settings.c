/* SPDX-License-Identifier: Apache-2.0 */
/* Options that only set something, or that are checked and then make no difference to a simulated guest. */
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/uuid.h"
#include "simvmm/descriptors.h"
#include "simvmm/keyval.h"
#include "simvmm/message.h"
#include "simvmm/migrate_uri.h"
#include "simvmm/option.h"
#include "simvmm/run.h"

int option_bare(struct error *err)
{
    err->number = OPTION_BARE_ERROR;
    return -1;
}

int option_raw(struct error *err)
{
    err->number = OPTION_RAW_ERROR;
    return -1;
}

/* The list is QEMU's own (query-command-line-options), so it is the version's. */
bool option_group_has(struct vm *vm, const char *group, const char *key)
{
    if (!vm->option_groups) {
        const char *text = data_reply(vm->data, "query-command-line-options");
        error_scope(err);
        vm->option_groups = json_parse(text, strlen(text), vm->arena, &err);
    }
    for (size_t i = 0; vm->option_groups && i < vm->option_groups->length; i++) {
        const struct json *entry = vm->option_groups->items[i], *parameters = json_get(entry, "parameters");
        if (!text_equal(json_get_text(entry, "option"), group))
            continue;
        for (size_t k = 0; parameters && k < parameters->length; k++)
            if (text_equal(json_get_text(parameters->items[k], "name"), key))
                return true;
        return false;
    }
    return true;
}

int option_check_keys(struct vm *vm, const struct given_option *given, const char *group, struct error *err)
{
    for (size_t i = 0; i < given->object->length; i++) {
        const char *key = given->object->members[i].key;
        if (!text_equal(key, "id") && !option_group_has(vm, group, key))
            return fail(err, ERR_INVALID_ARG, "Invalid parameter '%s'", key);
    }
    return 0;
}

int option_ignore(struct vm *vm, const struct given_option *given, struct error *err)
{
    (void) vm;
    (void) given;
    (void) err;
    return 0;
}

int option_ignore_word(struct vm *vm, const struct given_option *given, struct error *err)
{
    return option_ignore(vm, given, err);
}

int option_keep(struct vm *vm, const struct given_option *given, struct error *err)
{
    return option_ignore(vm, given, err);
}

int option_stopped(struct vm *vm, const struct given_option *given, struct error *err)
{
    vm->stopped = true;
    return option_ignore(vm, given, err);
}

int option_no_shutdown(struct vm *vm, const struct given_option *given, struct error *err)
{
    vm->policy.word[POLICY_SHUTDOWN] = "pause";
    return option_ignore(vm, given, err);
}

int option_no_reboot(struct vm *vm, const struct given_option *given, struct error *err)
{
    vm->policy.word[POLICY_REBOOT] = "shutdown";
    return option_ignore(vm, given, err);
}

int option_daemonize(struct vm *vm, const struct given_option *given, struct error *err)
{
    vm->daemonize = true;
    return option_ignore(vm, given, err);
}

int option_pidfile(struct vm *vm, const struct given_option *given, struct error *err)
{
    vm->pidfile = given->text;
    return option_ignore(vm, given, err);
}

int option_uuid(struct vm *vm, const struct given_option *given, struct error *err)
{
    struct uuid uuid;
    if (!uuid_parse(given->text, &uuid))
        return fail(err, ERR_INVALID_ARG, "failed to parse UUID string: wrong format");
    char *text = arena_alloc(vm->arena, UUID_TEXT_SIZE);
    uuid_format(&uuid, text);
    vm->uuid = text;
    return 0;
}

int option_name(struct vm *vm, const struct given_option *given, struct error *err)
{
    bool threads = false;
    if (option_check_keys(vm, given, "name", err) < 0 ||
        keyval_bool(given->object, "debug-threads", &threads, err) < 0)
        return -1;
    vm->name = keyval_text(given->object, "guest");
    return 0;
}

int option_msg(struct vm *vm, const struct given_option *given, struct error *err)
{
    bool name = false;
    if (option_check_keys(vm, given, "msg", err) < 0 ||
        keyval_bool(given->object, "guest-name", &name, err) < 0)
        return -1;
    return keyval_bool(given->object, "timestamp", &vm->timestamps, err);
}

int option_overcommit(struct vm *vm, const struct given_option *given, struct error *err)
{
    bool on = false;
    const char *lock = keyval_text(given->object, "mem-lock");
    if (option_check_keys(vm, given, "overcommit", err) < 0)
        return -1;
    if (lock && !keyval_parse_bool(lock, &on) && !(vm_is(vm, 11) && text_equal(lock, "on-fault")))
        return vm_is(vm, 11)
                   ? fail(err, ERR_INVALID_ARG, "parameter 'mem-lock' expects one of 'on', 'off', 'on-fault'")
                   : keyval_bool(given->object, "mem-lock", &on, err);
    return keyval_bool(given->object, "cpu-pm", &on, err);
}

int option_rtc(struct vm *vm, const struct given_option *given, struct error *err)
{
    if (option_check_keys(vm, given, "rtc", err) < 0)
        return -1;
    const char *base = keyval_text(given->object, "base"), *drift = keyval_text(given->object, "driftfix");
    if (base && !text_equal(base, "utc") && !text_equal(base, "localtime") && strlen(base) != 10 &&
        strlen(base) != 19) {
        fail(err, ERR_INVALID_ARG,
             "invalid datetime format\nvalid formats: '2006-06-17T16:01:21' or '2006-06-17'");
        return option_bare(err);
    }
    if (drift && !text_equal(drift, "slew") && !text_equal(drift, "none")) {
        fail(err, ERR_INVALID_ARG, "invalid option '%s'", drift);
        return option_bare(err);
    }
    return 0;
}

int option_boot(struct vm *vm, const struct given_option *given, struct error *err)
{
    static const char *const keys[] = { "order",       "once",           "menu",   "splash",
                                        "splash-time", "reboot-timeout", "strict", NULL };
    for (size_t i = 0; i < given->object->length; i++) {
        size_t k = 0;
        while (keys[k] && !text_equal(keys[k], given->object->members[i].key))
            k++;
        if (!keys[k]) {
            fail(err, ERR_INVALID_ARG, "Parameter 'boot.%s' is unexpected", given->object->members[i].key);
            return option_bare(err);
        }
    }
    for (int i = 0; i < 2; i++) {
        const char *order = keyval_text(given->object, keys[i]);
        for (const char *c = order; c && *c; c++)
            if (*c < 'a' || *c > 'p') {
                fail(err, ERR_INVALID_ARG, "Invalid boot device '%c'", *c);
                return option_bare(err);
            }
    }
    vm->boot = given->object;
    return 0;
}

int option_sandbox(struct vm *vm, const struct given_option *given, struct error *err)
{
    bool on = false;
    if (option_check_keys(vm, given, "sandbox", err) < 0)
        return -1;
    return keyval_bool(given->object, "enable", &on, err);
}

int option_global(struct vm *vm, const struct given_option *given, struct error *err)
{
    const char *driver = keyval_text(given->object, "driver"),
               *property = keyval_text(given->object, "property");
    const char *value = keyval_text(given->object, "value");
    if (!driver && given->object->length == 1) {
        const char *key = given->object->members[0].key, *dot = strchr(key, '.');
        if (!dot || given->short_form)
            return fail(err, ERR_INVALID_ARG, "Invalid parameter '%s'", key);
        driver = arena_copy_bytes(vm->arena, key, (size_t) (dot - key));
        property = dot + 1;
        value = json_text(given->object->members[0].value);
    }
    if (!driver || !property || !value)
        return fail(err, ERR_INVALID_ARG, "Parameter 'driver' is missing");
    vector_push(&vm->globals, ((struct global) { driver, property, value }));
    return 0;
}

int option_action(struct vm *vm, const struct given_option *given, struct error *err)
{
    if (option_check_keys(vm, given, "action", err) < 0)
        return -1;
    for (int i = 0; i < POLICY_EVENTS; i++) {
        const char *word = keyval_text(given->object, policy_event_name(i));
        if (word && policy_set(&vm->policy, i, word, err) < 0)
            return -1;
    }
    return 0;
}

int option_watchdog_action(struct vm *vm, const struct given_option *given, struct error *err)
{
    return policy_set(&vm->policy, POLICY_WATCHDOG, given->text, err);
}

int option_incoming(struct vm *vm, const struct given_option *given, struct error *err)
{
    struct migrate_uri uri;
    vm->incoming_deferred = text_equal(given->text, "defer");
    if (!vm->incoming_deferred && migrate_uri_parse(vm, given->text, vm->arena, &uri, err) < 0)
        return -1;
    if (!vm->incoming_deferred)
        vm->incoming_uri = given->text;
    vm->state = RUN_INMIGRATE;
    return 0;
}

/* -serial, -parallel, -monitor, -net: with -nodefaults they only ever say "none". */
int option_nothing_only(struct vm *vm, const struct given_option *given, struct error *err)
{
    (void) vm;
    if (text_equal(given->text, "none"))
        return 0;
    return fail(err, ERR_NO_SUPPORT, "only 'none' is simulated; use -chardev and -device");
}

int option_display(struct vm *vm, const struct given_option *given, struct error *err)
{
    static const char *const types[] = { "none", "egl-headless", "dbus", "curses", "vnc" };
    const char *type = keyval_text(given->object, "type");
    (void) vm;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++)
        if (text_equal(types[i], type))
            return 0;
    return fail(err, ERR_INVALID_ARG, "Parameter 'type' does not accept value '%s'", type ? type : "");
}

int option_vga(struct vm *vm, const struct given_option *given, struct error *err)
{
    static const struct { const char *word, *driver; } kinds[] = {
        { "none", NULL },           { "std", "VGA" }, { "cirrus", "cirrus-vga" }, { "vmware", "vmware-svga" },
        { "virtio", "virtio-vga" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
        if (text_equal(kinds[i].word, given->text)) {
            vm->vga = kinds[i].driver;
            return 0;
        }
    fail(err, ERR_INVALID_ARG, "unknown vga type: %s", given->text);
    return option_bare(err);
}

/* ---- options of which only the form is checked ---- */

int option_add_fd(struct vm *vm, const struct given_option *given, struct error *err)
{
    uint64_t fd = 0, set = 0;
    if (option_check_keys(vm, given, "add-fd", err) < 0)
        return -1;
    if (!json_get(given->object, "fd") || !json_get(given->object, "set"))
        return fail(err, ERR_INVALID_ARG, "fd and set are required");
    if (keyval_number(given->object, "fd", &fd, err) < 0)
        return -1;
    if (fd <= STDERR_FILENO || fcntl((int) fd, F_GETFD) < 0)
        return fail(err, ERR_INVALID_ARG, "fd is not valid or already in use");
    fcntl((int) fd, F_SETFD, FD_CLOEXEC);
    if (keyval_number(given->object, "set", &set, err) < 0)
        return -1;
    (void) descriptors_add(vm->descriptors, (int64_t) set, (int) fd, keyval_text(given->object, "opaque"));
    return 0;
}

int option_fw_cfg(struct vm *vm, const struct given_option *given, struct error *err)
{
    int contents = 0;
    static const char *const keys[] = { "file", "string", "gen_id" };
    if (option_check_keys(vm, given, "fw_cfg", err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
        contents += json_get(given->object, keys[i]) != NULL;
    if (!json_get(given->object, "name") || contents != 1)
        return fail(err, ERR_INVALID_ARG, "name, plus exactly one of file, string and gen_id, are needed");
    return 0;
}

int option_smbios(struct vm *vm, const struct given_option *given, struct error *err)
{
    uint64_t type = 0;
    (void) vm;
    return keyval_number(given->object, "type", &type, err);
}

int option_numa(struct vm *vm, const struct given_option *given, struct error *err)
{
    static const char *const types[] = { "node", "dist", "cpu", "hmat-lb", "hmat-cache" };
    const char *type = keyval_text(given->object, "type");
    vm->memory_in_cells |= keyval_text(given->object, "memdev") != NULL;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++)
        if (text_equal(types[i], type))
            return 0;
    return fail(err, ERR_INVALID_ARG, "Parameter 'type' does not accept value '%s'", type ? type : "");
}

/* Whose rights a real one would take on: there has to be such a user. */
int option_runas(struct vm *vm, const struct given_option *given, struct error *err)
{
    unsigned user, group;
    (void) vm;
    if (getpwnam(given->text) || sscanf(given->text, "%u:%u", &user, &group) == 2)
        return 0;
    return fail(err, ERR_INVALID_ARG, "User \"%s\" doesn't exist (and is not <uid>:<gid>)", given->text);
}

int option_loadvm(struct vm *vm, const struct given_option *given, struct error *err)
{
    (void) vm;
    (void) given;
    fail(err, ERR_INVALID_ARG, "no block device can store vmstate for snapshot");
    return option_bare(err);
}

/* ---- files of a direct boot ---- */

/* QEMU's loaders print by themselves, and call themselves "qemu". */
static int check_file(const char *path, const char *what, bool reason, struct error *err)
{
    if (access(path, R_OK) == 0)
        return 0;
    fail(err, ERR_INVALID_ARG, "qemu: could not %s '%s'%s", what, path,
         reason ? ": No such file or directory" : "");
    return option_raw(err);
}

int option_kernel(struct vm *vm, const struct given_option *given, struct error *err)
{
    vm->kernel = given->text;
    return check_file(given->text, "open kernel file", true, err);
}

int option_initrd(struct vm *vm, const struct given_option *given, struct error *err)
{
    vm->initrd = given->text;
    return check_file(given->text, "load initrd", false, err);
}

int option_append(struct vm *vm, const struct given_option *given, struct error *err)
{
    vm->append = given->text;
    return option_ignore(vm, given, err);
}

int option_bios(struct vm *vm, const struct given_option *given, struct error *err)
{
    vm->firmware = given->text;
    if (!strchr(given->text, '/'))
        return 0;                       /* looked for among QEMU's own files, which we do not have */
    return check_file(given->text, "load PC BIOS", false, err);
}

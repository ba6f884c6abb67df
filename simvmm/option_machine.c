/* SPDX-License-Identifier: Apache-2.0 */
/* Options that say what the machine is. */
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/keyval.h"
#include "simvmm/message.h"
#include "simvmm/option.h"
#include "simvmm/value.h"

static void merge(struct vm *vm, const struct json *from)
{
    if (!vm->machine_options)
        vm->machine_options = value_object(vm->arena);
    for (size_t i = 0; i < from->length; i++)
        value_set(vm->arena, (struct json *) vm->machine_options, from->members[i].key,
                  from->members[i].value);
}

static int take_accel(struct vm *vm, const char *list, struct error *err)
{
    if (strstr(list, "tcg") || text_equal(list, "qtest")) {
        vm->accel = text_equal(list, "qtest") ? "qtest" : "tcg";
        return 0;
    }
    if (text_starts(list, "kvm")) {
        vm->accel = "kvm";
        if (access("/dev/kvm", R_OK | W_OK) == 0)
            return 0;
        fail(err, ERR_INVALID_ARG,
             "Could not access KVM kernel module: No such file or directory\n%s: failed to initialize kvm: "
             "No such file or directory",
             vm->program);
        return option_bare(err);
    }
    return fail(err, ERR_INVALID_ARG, "invalid accelerator %s", list);
}

int option_machine(struct vm *vm, const struct given_option *given, struct error *err)
{
    const char *type = keyval_text(given->object, "type"), *accel = keyval_text(given->object, "accel");
    if (type)
        vm->machine = type;
    merge(vm, given->object);
    if (accel && take_accel(vm, accel, err) < 0)
        return option_bare(err);
    return 0;
}

int option_accel(struct vm *vm, const struct given_option *given, struct error *err)
{
    static const char *const known[] = { "accel",           "thread",          "tb-size",
                                         "split-wx",        "one-insn-per-tb", "kernel-irqchip",
                                         "dirty-ring-size", "notify-vmexit",   "kvm-shadow-mem",
                                         "honor-guest-pat" };
    const char *accel = keyval_text(given->object, "accel");
    if (take_accel(vm, accel ? accel : "", err) < 0)
        return -1;
    for (size_t i = 0; i < given->object->length; i++) {
        size_t k = 0;
        while (k < ARRAY_COUNT(known) && !text_equal(known[k], given->object->members[i].key))
            k++;
        if (k == ARRAY_COUNT(known))
            return fail(err, ERR_INVALID_ARG, "Property '%s-accel.%s' not found", accel,
                        given->object->members[i].key);
    }
    return 0;
}

int option_enable_kvm(struct vm *vm, const struct given_option *given, struct error *err)
{
    (void) given;
    return take_accel(vm, "kvm", err);
}

int option_no_hpet(struct vm *vm, const struct given_option *given, struct error *err)
{
    error_scope(ignored);
    merge(vm, keyval_parse(vm->arena, "hpet=off", NULL, KEYVAL_FLAT, false, NULL, &ignored));
    (void) given;
    (void) err;
    return 0;
}

int option_no_acpi(struct vm *vm, const struct given_option *given, struct error *err)
{
    error_scope(ignored);
    merge(vm, keyval_parse(vm->arena, "acpi=off", NULL, KEYVAL_FLAT, false, NULL, &ignored));
    (void) given;
    (void) err;
    return 0;
}

/* "qemu64", "Haswell,hle=off,+x": the model must exist, and be able to have those features. */
int option_cpu(struct vm *vm, const struct given_option *given, struct error *err)
{
    size_t length = strcspn(given->text, ",");
    char *model = arena_copy_bytes(vm->arena, given->text, length);
    char *type = arena_printf(vm->arena, "%s-x86_64-cpu", model);
    if (!data_type_exists(vm->data, type) || data_type_is_abstract(vm->data, type)) {
        fail(err, ERR_INVALID_ARG, "unable to find CPU model '%s'", model);
        return option_bare(err);
    }
    vm->cpu_model = model;
    vm->cpu_features = given->text[length] ? given->text + length + 1 : "";
    return 0;
}

int option_memory(struct vm *vm, const struct given_option *given, struct error *err)
{
    const char *size = keyval_text(given->object, "size");
    if (option_check_keys(vm, given, "memory", err) < 0)
        return -1;
    if (size && !keyval_parse_size(size, 1 << 20, &vm->memory))
        return keyval_size(given->object, "size", &vm->memory, err);
    if (keyval_number(given->object, "slots", &vm->memory_slots, err) < 0
        || keyval_size(given->object, "maxmem", &vm->memory_max, err) < 0)
        return -1;
    if (vm->memory == 0)
        vm->memory = 128 << 20;
    if (vm->memory_slots && !vm->memory_max) {
        fail(err, ERR_INVALID_ARG, "slots specified but no max-size");
        return option_bare(err);
    }
    if (vm->memory_max && vm->memory_max < vm->memory) {
        fail(
            err, ERR_INVALID_ARG,
            "invalid value of maxmem: maximum memory size (0x%llx) must be at least the initial memory "
             "size (0x%llx)",
            (unsigned long long) vm->memory_max, (unsigned long long) vm->memory);
        return option_bare(err);
    }
    return 0;
}

int option_smp(struct vm *vm, const struct given_option *given, struct error *err)
{
    struct { const char *key; unsigned *value; } rows[] = {
        { "cpus", &vm->cpus },       { "maxcpus", &vm->cpus_max }, { "sockets", &vm->sockets },
        { "dies", &vm->dies },       { "modules", &vm->modules },  { "cores", &vm->cores },
        { "threads", &vm->threads }, { "clusters", NULL },         { "books", NULL },
        { "drawers", NULL },
    };
    static const char positive[] = "CPU topology parameters must be greater than zero";
    for (size_t i = 0; i < given->object->length; i++) {
        const char *key = given->object->members[i].key, *text = keyval_text(given->object, key);
        size_t k = 0;
        while (k < ARRAY_COUNT(rows) && !text_equal(rows[k].key, key))
            k++;
        uint64_t number = 1;
        if (k == ARRAY_COUNT(rows))
            fail(err, ERR_INVALID_ARG, "Parameter 'smp.%s' is unexpected", key);
        else if (!keyval_parse_number(text, &number))
            fail(err, ERR_INVALID_ARG, "Parameter 'smp.%s' expects integer", key);
        else if (number == 0 && vm_is(vm, 11))
            fail(err, ERR_INVALID_ARG, "Invalid CPU topology: %s", positive);
        else if (number == 0)
            message_print(vm, "warning: Deprecated CPU topology (considered invalid): %s", positive);
        if (err->code != ERR_NONE)
            return option_bare(err);
        if (rows[k].value)
            *rows[k].value = (unsigned) (number > 100000 ? 100000 : number);
    }
    return 0;
}

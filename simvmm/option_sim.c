/* SPDX-License-Identifier: Apache-2.0 */
/* -sim: what is ours, not QEMU's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/clock.h"
#include "simvmm/control.h"
#include "simvmm/faults.h"
#include "simvmm/guest.h"
#include "simvmm/keyval.h"
#include "simvmm/option.h"
#include "simvmm/replay.h"

const char option_sim_help[] =
    "  -sim qemu=11.1|7.2           whose version, commands, events and tree to show (11.1)\n"
    "  -sim qom=getv|get|tree|none  which commands read many objects at once (getv; none with qemu=7.2)\n"
    "  -sim slow=MS                 every command takes that long\n"
    "  -sim mute=greeting|replies   connect, and hear nothing\n"
    "  -sim dirty=BYTES             what the guest writes to its memory in a second, for migrations (0)\n"
    "  -sim exit=CODE,stderr=TEXT   print the text and end before anything else\n"
    "  -sim clock=real|virtual|stepped\n"
    "                               the host's time; one that jumps to what is due; one moved by hand\n"
    "  -sim script=FILE, -sim do=LINE\n"
    "                               what the guest does, and when; see simvmm(1)\n"
    "  -sim control=PATH            a socket that takes such lines while all runs\n"
    "  -sim replay=FILE             say what was recorded there, and check what is asked; see simvmm(1)\n"
    "  -sim start=MS                be slow to start\n"
    "  -sim ACTION=TARGET[:NTH[:ARGUMENT]]\n"
    "                               go wrong on the nth use (0 or none: every one) of a command, an\n"
    "                               event, 'greeting', 'events' or '*' (any command); see simvmm(1)\n";

static int take_qemu(struct vm *vm, const char *value, struct error *err)
{
    if (!text_equal(value, "11.1") && !text_equal(value, "7.2"))
        return fail(err, ERR_INVALID_ARG, "qemu='%s': expected 11.1 or 7.2", value);
    vm->version = value;
    if (!vm->bulk_given)
        vm->bulk = *value == '1' ? BULK_GETV | BULK_GET : 0;
    return 0;
}

static int take_qom(struct vm *vm, const char *value, struct error *err)
{
    static const struct { const char *word; unsigned bulk; } words[] = {
        { "getv", BULK_GETV | BULK_GET },
        { "get", BULK_GET },
        { "tree", BULK_GETV | BULK_GET | BULK_TREE },
        { "none", 0 },
    };
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (text_equal(words[i].word, value)) {
            vm->bulk = words[i].bulk;
            vm->bulk_given = true;
            return 0;
        }
    return fail(err, ERR_INVALID_ARG, "qom='%s': expected getv, get, tree or none", value);
}

static int take_slow(struct vm *vm, const char *value, struct error *err)
{
    uint64_t ms;
    if (!text_to_u64(value, 3600000, &ms))
        return fail(err, ERR_INVALID_ARG, "slow='%s': expected milliseconds", value);
    faults_set_slow(vm->faults, (unsigned long) ms);
    return 0;
}

static int take_mute(struct vm *vm, const char *value, struct error *err)
{
    if (text_equal(value, "greeting"))
        return faults_add(vm->faults, "hang", "greeting", err);
    if (text_equal(value, "replies"))
        return faults_add(vm->faults, "hang", "*", err);
    return fail(err, ERR_INVALID_ARG, "mute='%s': expected greeting or replies", value);
}

static int take_dirty(struct vm *vm, const char *value, struct error *err)
{
    if (!keyval_parse_size(value, 1, &vm->dirty_bytes))
        return fail(err, ERR_INVALID_ARG, "dirty='%s': expected a number of bytes", value);
    return 0;
}

static int take_exit(struct vm *vm, const char *value, struct error *err)
{
    uint64_t code;
    if (*value < '0' || *value > '9')
        return faults_add(vm->faults, "exit", value, err);
    if (!text_to_u64(value, 255, &code))
        return fail(err, ERR_INVALID_ARG, "exit='%s': expected a status from 0 to 255", value);
    vm->early_exit = (int) code + 1;
    return 0;
}

static int take_stderr(struct vm *vm, const char *value, struct error *err)
{
    (void) err;
    vm->early_text = value;
    return 0;
}

static int take_start(struct vm *vm, const char *value, struct error *err)
{
    uint64_t ms;
    if (!text_to_u64(value, 3600000, &ms))
        return fail(err, ERR_INVALID_ARG, "start='%s': expected milliseconds", value);
    vm->early_delay = (unsigned) ms;
    return 0;
}

static int take_clock(struct vm *vm, const char *value, struct error *err)
{
    return clock_choose(vm->clock, value, err);
}

static int take_script(struct vm *vm, const char *value, struct error *err)
{
    return script_read(value, guest_take_line, vm, err);
}

static int take_line(struct vm *vm, const char *value, struct error *err)
{
    struct script_line *line = script_line_parse(value, strlen(value), err);
    if (!line && err->code != ERR_NONE)
        return fail_in(err, "do='%s'", value);
    if (line)
        guest_take_line(vm, line);
    return 0;
}

static int take_control(struct vm *vm, const char *value, struct error *err)
{
    return control_listen(vm, value, err);
}

static int take_replay(struct vm *vm, const char *value, struct error *err)
{
    replay_free(vm->replay);
    vm->replay = replay_new(value, err);
    return vm->replay ? 0 : -1;
}

static const struct {
    const char *key;
    int (*set)(struct vm *vm, const char *value, struct error *err);
} keys[] = {
    { "qemu", take_qemu }, { "qom", take_qom },   { "slow", take_slow },
    { "mute", take_mute }, { "exit", take_exit }, { "stderr", take_stderr },
    { "clock", take_clock }, { "script", take_script }, { "do", take_line },
    { "control", take_control }, { "start", take_start },
    { "dirty", take_dirty }, { "replay", take_replay },
};

static int take_key(struct vm *vm, const char *key, const char *value, struct error *err)
{
    for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
        if (text_equal(keys[i].key, key))
            return keys[i].set(vm, value, err);
    if (faults_is_action(key))
        return faults_add(vm->faults, key, value, err);
    owned_buffer struct buffer legal = { 0 };
    for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
        if (!faults_is_action(keys[i].key))
            buffer_printf(&legal, "%s, ", keys[i].key);
    faults_add_words(&legal);
    return fail(err, ERR_INVALID_ARG, "there is no '%s'; known are %s", key, buffer_text(&legal));
}

int option_sim(struct vm *vm, const struct given_option *given, struct error *err)
{
    for (size_t i = 0; i < given->object->length; i++)
        if (take_key(vm, given->object->members[i].key, json_text(given->object->members[i].value), err) < 0)
            return -1;
    return 0;
}

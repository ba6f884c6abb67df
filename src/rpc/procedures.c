/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/procedures.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/own.h"
#include "rpc/codec.h"
#include "rpc/domus_xdr.h"
#include "rpc/qemu_xdr.h"
#include "rpc/remote_xdr.h"

/* Two rows with one number are an error in every build. */
#ifdef __clang__
#pragma GCC diagnostic error "-Winitializer-overrides"
#else
#pragma GCC diagnostic error "-Woverride-init"
#endif

static bool_t xdr_nothing(XDR *x, nothing *value)
{
    return TRUE;
}

/* The codecs of each row. */
#define CODECS(name, arguments, reply) \
    DEFINE_CODEC(args_of_##name, arguments); \
    DEFINE_CODEC(reply_to_##name, reply);
#define PROC(number, name, subject, right, job, arguments, reply) CODECS(name, arguments, reply)
#define EMPTY(number, name, right, arguments, reply) CODECS(name, arguments, reply)
#define EVENT(number, name, message) DEFINE_CODEC(message_##name, message);
#include "rpc/procedures.def"

/* A subject's word promises where it stands in the arguments. */
#define FIRST_CLIENT(type)
#define FIRST_CONNECT(type)
#define FIRST_DOMAIN(type) _Static_assert(offsetof(type, dom) == 0, #type ": `dom` must come first");
#define FIRST_BY_ID(type) _Static_assert(offsetof(type, id) == 0, #type ": `id` must come first");
#define FIRST_BY_NAME(type) _Static_assert(offsetof(type, name) == 0, #type ": `name` must come first");
#define FIRST_BY_UUID(type) _Static_assert(offsetof(type, uuid) == 0, #type ": `uuid` must come first");
#define PROC(number, name, subject, right, job, arguments, reply) FIRST_##subject(arguments)
#include "rpc/procedures.def"

/* The tables, one a program, by number. */
#define ROW_(program, number, name, subject, right, job, empty) \
    [number] = { PROGRAM_##program, number, #name, SUBJECT_##subject, RIGHT_##right, JOB_##job, empty, \
                 &args_of_##name, &reply_to_##name },

static const struct procedure remote_procedures[] = {
#define PROC(number, name, subject, right, job, args, ret) \
    ROW_(REMOTE, number, name, subject, right, job, false)
#define EMPTY(number, name, right, args, ret) ROW_(REMOTE, number, name, CONNECT, right, NONE, true)
#define QEMU_PROC(...)
#define DOMUS_PROC(...)
#include "rpc/procedures.def"
};

static const struct procedure qemu_procedures[] = {
#define PROC(...)
#define QEMU_PROC(number, name, subject, right, job, args, ret) \
    ROW_(QEMU, number, name, subject, right, job, false)
#define DOMUS_PROC(...)
#include "rpc/procedures.def"
};

static const struct procedure domus_procedures[] = {
#define PROC(...)
#define QEMU_PROC(...)
#define DOMUS_PROC(number, name, subject, right, job, args, ret) \
    ROW_(DOMUS, number, name, subject, right, job, false)
#include "rpc/procedures.def"
};

static const struct codec *const remote_events[] = {
#define PROC(...)
#define EVENT(number, name, message) [number] = &message_##name,
#include "rpc/procedures.def"
};

static const char *const remote_apis[] = {
#define REMOTE_API(number, name) [number] = #name,
#define QEMU_API(...)
#include "rpc/apis.def"
};

static const char *const qemu_apis[] = {
#define REMOTE_API(...)
#define QEMU_API(number, name) [number] = #name,
#include "rpc/apis.def"
};

#define TABLE_(array) array, ARRAY_COUNT(array)

static const struct {
    uint32_t number;
    const struct procedure *procedures;
    size_t procedures_count;
    const char *const *apis;
    size_t apis_count;
} programs[] = {
    { PROGRAM_REMOTE, TABLE_(remote_procedures), TABLE_(remote_apis) },
    { PROGRAM_QEMU, TABLE_(qemu_procedures), TABLE_(qemu_apis) },
    { PROGRAM_DOMUS, TABLE_(domus_procedures), NULL, 0 },
};

/* Bits of an argument that need another right. */
static const struct flag_right {
    int number;                         /* in the remote program */
    size_t offset;                      /* of an unsigned int */
    unsigned bits;
    enum right right;
} flag_rights[] = {
#define PROC(...)
#define WITH_FLAG(number, name, member, bits, right) \
    { number, offsetof(remote_##name##_args, member), bits, RIGHT_##right },
#include "rpc/procedures.def"
};

bool program_is_known(uint32_t program)
{
    for (size_t i = 0; i < ARRAY_COUNT(programs); i++)
        if (programs[i].number == program)
            return true;
    return false;
}

const struct procedure *procedure_find(uint32_t program, int number)
{
    for (size_t i = 0; i < ARRAY_COUNT(programs); i++) {
        if (programs[i].number != program || number < 0 || (size_t) number >= programs[i].procedures_count)
            continue;
        const struct procedure *p = &programs[i].procedures[number];
        return p->name ? p : NULL;
    }
    return NULL;
}

const char *procedure_api(uint32_t program, int number)
{
    for (size_t i = 0; i < ARRAY_COUNT(programs); i++)
        if (programs[i].number == program && number >= 0 && (size_t) number < programs[i].apis_count)
            return programs[i].apis[number];
    const struct procedure *p = procedure_find(program, number);
    return p ? p->name : NULL;
}

const struct codec *event_codec(uint32_t program, int number)
{
    if (program != PROGRAM_REMOTE || number < 0 || (size_t) number >= ARRAY_COUNT(remote_events))
        return NULL;
    return remote_events[number];
}

unsigned procedure_rights(const struct procedure *p, const void *args)
{
    unsigned rights = 1u << p->right;
    for (size_t i = 0; p->program == PROGRAM_REMOTE && i < ARRAY_COUNT(flag_rights); i++) {
        const struct flag_right *row = &flag_rights[i];
        if (row->number == p->number && *(const unsigned *) ((const char *) args + row->offset) & row->bits)
            rights |= 1u << row->right;
    }
    return rights;
}

const char *right_word(enum right right)
{
#define RIGHT_WORD_(word) #word,
    static const char *const words[] = { RIGHTS(RIGHT_WORD_) };
    return words[right];
}

void procedure_free_reply(const struct procedure *p, void *reply)
{
    codec_release(p->reply, reply);
}

remote_string remote_string_new(const char *text)
{
    if (!text)
        return NULL;
    remote_string string = memory_new(sizeof *string);
    *string = memory_copy_text(text);
    return string;
}

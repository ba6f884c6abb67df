/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/deliver.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "simvmm/chardev.h"
#include "simvmm/event.h"
#include "simvmm/run.h"

enum { FLOOD_COUNT = 1000, DUPLICATES_MAX = 1000 };

static bool hang(struct vm *vm, struct chardev *c, const struct buffer *line, const struct fault *fault)
{
    (void) vm, (void) c, (void) line, (void) fault;
    return false;
}

static bool drop(struct vm *vm, struct chardev *c, const struct buffer *line, const struct fault *fault)
{
    (void) vm, (void) c, (void) line, (void) fault;
    return true;
}

static bool garbage(struct vm *vm, struct chardev *c, const struct buffer *line, const struct fault *fault)
{
    (void) vm, (void) line;
    owned_buffer struct buffer text = { 0 };
    buffer_printf(&text, "%s\r\n", fault->text ? fault->text : "{\"return\": {\"half\": [1, }, nonsense");
    chardev_write(c, text.data, text.length);
    return true;
}

static bool truncate_line(struct vm *vm, struct chardev *c, const struct buffer *line,
                          const struct fault *fault)
{
    (void) vm;
    size_t length = fault->number && fault->number < line->length ? fault->number : line->length / 2;
    chardev_write(c, line->data, length);
    return true;
}

/* The wrong bytes stand at equal distances, and are no part of any JSON. */
static bool garble(struct vm *vm, struct chardev *c, const struct buffer *line, const struct fault *fault)
{
    (void) vm;
    owned_buffer struct buffer text = { 0 };
    size_t length = line->length - 2, count = fault->number && fault->number < length ? fault->number : 1;
    buffer_add(&text, line->data, line->length);
    for (size_t i = 0; i < count; i++)
        text.data[length * (2 * i + 1) / (2 * count)] = '\x01';
    chardev_write(c, text.data, text.length);
    return true;
}

static bool duplicate(struct vm *vm, struct chardev *c, const struct buffer *line, const struct fault *fault)
{
    (void) vm;
    unsigned long times = fault->number ? fault->number : 2;
    for (unsigned long i = 0; i < times && i < DUPLICATES_MAX; i++)
        chardev_write(c, line->data, line->length);
    return true;
}

static bool close_client(struct vm *vm, struct chardev *c, const struct buffer *line,
                         const struct fault *fault)
{
    (void) vm, (void) fault;
    chardev_write(c, line->data, line->length / 2);
    chardev_hang_up(c);
    return true;
}

static bool crash(struct vm *vm, struct chardev *c, const struct buffer *line, const struct fault *fault)
{
    (void) vm, (void) c, (void) line;
    int number = fault->number && fault->number < 32 ? (int) fault->number : SIGKILL;
    signal(number, SIG_DFL);
    kill(getpid(), number);
    return false;
}

static bool leave(struct vm *vm, struct chardev *c, const struct buffer *line, const struct fault *fault)
{
    (void) c, (void) line;
    if (fault->text)
        fprintf(stderr, "%s\n", fault->text);
    vm->exit_status = (int) (fault->number & 255);
    vm->quitting = true;
    run_end(vm);
    return false;
}

static bool speak(struct vm *vm, struct chardev *c, const struct buffer *line, const struct fault *fault)
{
    (void) vm;
    fprintf(stderr, "%s\n", fault->text ? fault->text : "simvmm was asked to say this");
    chardev_write(c, line->data, line->length);
    return true;
}

static bool flood(struct vm *vm, struct chardev *c, const struct buffer *line, const struct fault *fault)
{
    unsigned long count = fault->number ? fault->number : FLOOD_COUNT;
    event_flood(vm, count, count / FLOOD_COUNT, "BALLOON_CHANGE", "{\"actual\": 134217728}");
    chardev_write(c, line->data, line->length);
    return true;
}

static bool (*const ways[FAULT_ACTIONS])(struct vm *vm, struct chardev *c, const struct buffer *line,
                                         const struct fault *fault) = {
    [FAULT_HANG] = hang,           [FAULT_DROP] = drop,           [FAULT_GARBAGE] = garbage,
    [FAULT_GARBLE] = garble,       [FAULT_DUPLICATE] = duplicate, [FAULT_TRUNCATE] = truncate_line,
    [FAULT_CLOSE] = close_client,  [FAULT_CRASH] = crash,         [FAULT_EXIT] = leave,
    [FAULT_SAY] = speak,        [FAULT_FLOOD] = flood,
};

bool deliver(struct vm *vm, struct chardev *chardev, const struct buffer *line, const struct fault *fault)
{
    if (ways[fault->action])
        return ways[fault->action](vm, chardev, line, fault);
    chardev_write(chardev, line->data, line->length);
    return true;
}

bool deliver_skips(const struct fault *fault)
{
    return fault->action == FAULT_ERROR || fault->action == FAULT_CRASH || fault->action == FAULT_EXIT;
}

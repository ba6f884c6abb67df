/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/descriptors.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/chardev.h"
#include "simvmm/command.h"
#include "simvmm/monitor.h"
#include "simvmm/value.h"

struct named {
    const struct monitor *monitor;
    char *name;
    int fd;
};
struct member {
    int fd;
    char *opaque;
};
struct set {
    int64_t id;
    VECTOR(struct member) members;
};

struct descriptors {
    VECTOR(struct named) named;
    VECTOR(struct set) sets; /* by id */
};

struct descriptors *descriptors_new(void)
{
    return NEW(struct descriptors);
}

static void named_done(struct named *n)
{
    close(n->fd);
    free(n->name);
}

static void set_done(struct set *set)
{
    for (size_t i = 0; i < set->members.count; i++) {
        close(set->members.items[i].fd);
        free(set->members.items[i].opaque);
    }
    vector_done(&set->members);
}

void descriptors_free(struct descriptors *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->named.count; i++)
        named_done(&d->named.items[i]);
    for (size_t i = 0; i < d->sets.count; i++)
        set_done(&d->sets.items[i]);
    vector_done(&d->named);
    vector_done(&d->sets);
    free(d);
}

/* ---- by name ---- */

static struct named *named_find(struct descriptors *d, const struct monitor *monitor, const char *name)
{
    for (size_t i = 0; i < d->named.count; i++)
        if (d->named.items[i].monitor == monitor && text_equal(d->named.items[i].name, name))
            return &d->named.items[i];
    return NULL;
}

static void named_forget(struct descriptors *d, struct named *n)
{
    free(n->name);
    vector_remove(&d->named, (size_t) (n - d->named.items));
}

int descriptors_take_named(struct vm *vm, const struct monitor *monitor, const char *name, struct error *err)
{
    struct named *n = named_find(vm->descriptors, monitor, name);
    if (!n)
        return fail(err, ERR_INVALID_ARG, "File descriptor named '%s' has not been found", name);
    int fd = n->fd;
    named_forget(vm->descriptors, n);
    return fd;
}

int descriptors_take(struct vm *vm, const struct monitor *monitor, const char *what, struct error *err)
{
    uint64_t number;
    if (!isdigit((unsigned char) *what))
        return descriptors_take_named(vm, monitor, what, err);
    if (!text_to_u64(what, INT32_MAX, &number) || fcntl((int) number, F_GETFD) < 0)
        return fail(err, ERR_INVALID_ARG, "Unable to parse file descriptor number '%s'", what);
    fcntl((int) number, F_SETFD, FD_CLOEXEC);
    return (int) number;
}

static int received(struct call *call, struct error *err)
{
    int fd = chardev_take_fd(monitor_chardev(call->monitor));
    return fd >= 0 ? fd : fail(err, ERR_INVALID_ARG, "No file descriptor supplied via SCM_RIGHTS");
}

static int getfd(struct call *call, struct error *err)
{
    struct descriptors *d = call->vm->descriptors;
    const char *name = json_get_text(call->arguments, "fdname");
    int fd = received(call, err);
    if (fd < 0)
        return -1;
    if (isdigit((unsigned char) *name)) {
        close(fd);
        return fail(err, ERR_INVALID_ARG, "Parameter 'fdname' expects a name not starting with a digit");
    }
    struct named *there = named_find(d, call->monitor, name);
    if (there) {
        close(there->fd);
        there->fd = fd;
        return 0;
    }
    vector_push(&d->named, ((struct named) { call->monitor, memory_copy_text(name), fd }));
    return 0;
}

static int closefd(struct call *call, struct error *err)
{
    const char *name = json_get_text(call->arguments, "fdname");
    struct named *n = named_find(call->vm->descriptors, call->monitor, name);
    if (!n)
        return fail(err, ERR_INVALID_ARG, "File descriptor named '%s' not found", name);
    close(n->fd);
    named_forget(call->vm->descriptors, n);
    return 0;
}

/* ---- sets ---- */

static struct set *set_find(struct descriptors *d, int64_t id)
{
    for (size_t i = 0; i < d->sets.count; i++)
        if (d->sets.items[i].id == id)
            return &d->sets.items[i];
    return NULL;
}

static int64_t lowest_free(struct descriptors *d)
{
    int64_t id = 0;
    while (set_find(d, id))
        id++;
    return id;
}

int64_t descriptors_add(struct descriptors *d, int64_t id, int fd, const char *opaque)
{
    if (id < 0)
        id = lowest_free(d);
    struct set *set = set_find(d, id);
    if (!set) {
        size_t at = 0;
        while (at < d->sets.count && d->sets.items[at].id < id)
            at++;
        vector_insert(&d->sets, at, ((struct set) { .id = id }));
        set = &d->sets.items[at];
    }
    vector_insert(&set->members, 0, ((struct member) { fd, opaque ? memory_copy_text(opaque) : NULL }));
    return id;
}

int descriptors_open(struct vm *vm, const char *path, int flags, mode_t mode)
{
    static const char prefix[] = "/dev/fdset/";
    uint64_t id;
    if (!text_starts(path, prefix) || !text_to_u64(path + sizeof prefix - 1, INT64_MAX, &id))
        return open(path, flags | O_CLOEXEC, mode);
    struct set *set = set_find(vm->descriptors, (int64_t) id);
    for (size_t i = 0; set && i < set->members.count; i++)
        if ((fcntl(set->members.items[i].fd, F_GETFL) & O_ACCMODE) == (flags & O_ACCMODE))
            return fcntl(set->members.items[i].fd, F_DUPFD_CLOEXEC, 0);
    errno = set ? EACCES : ENOENT;
    return -1;
}

static int add_fd(struct call *call, struct error *err)
{
    const struct json *given = json_get(call->arguments, "fdset-id");
    int64_t id = -1;
    int fd = received(call, err);
    if (fd < 0)
        return -1;
    if (given && (!json_to_i64(given, &id) || id < 0)) {
        close(fd);
        return fail(err, ERR_INVALID_ARG, "Parameter 'fdset-id' expects a non-negative value");
    }
    id = descriptors_add(call->vm->descriptors, id, fd, json_get_text(call->arguments, "opaque"));
    struct json *reply = value_object(call->arena);
    value_set_number(call->arena, reply, "fdset-id", id);
    value_set_number(call->arena, reply, "fd", fd);
    call_return(call, reply);
    return 0;
}

static void set_remove(struct descriptors *d, struct set *set)
{
    set_done(set);
    vector_remove(&d->sets, (size_t) (set - d->sets.items));
}

static int remove_fd(struct call *call, struct error *err)
{
    struct descriptors *d = call->vm->descriptors;
    const struct json *one = json_get(call->arguments, "fd");
    int64_t id = -1, fd = -1;
    bool numbers = json_to_i64(json_get(call->arguments, "fdset-id"), &id) && (!one || json_to_i64(one, &fd));
    struct set *set = numbers ? set_find(d, id) : NULL;
    if (set && !one)
        return set_remove(d, set), 0;
    for (size_t i = 0; set && i < set->members.count; i++) {
        if (set->members.items[i].fd != fd)
            continue;
        close(set->members.items[i].fd);
        free(set->members.items[i].opaque);
        vector_remove(&set->members, i);
        if (!set->members.count)
            set_remove(d, set);
        return 0;
    }
    return one ? fail(err, ERR_INVALID_ARG, "File descriptor named 'fdset-id:%lld, fd:%lld' not found",
                      (long long) id, (long long) fd)
               : fail(err, ERR_INVALID_ARG, "File descriptor named 'fdset-id:%lld' not found",
                      (long long) id);
}

static int query_fdsets(struct call *call, struct error *err)
{
    (void) err;
    struct arena *a = call->arena;
    struct json *list = value_array(a);
    const struct descriptors *d = call->vm->descriptors;
    for (size_t i = d->sets.count; i-- > 0;) {
        const struct set *set = &d->sets.items[i];
        struct json *entry = value_object(a), *members = value_array(a);
        for (size_t k = set->members.count; k-- > 0;) {
            struct json *member = value_object(a);
            value_set_number(a, member, "fd", set->members.items[k].fd);
            value_set_text(a, member, "opaque", set->members.items[k].opaque);
            value_push(a, members, member);
        }
        value_set_number(a, entry, "fdset-id", set->id);
        value_set(a, entry, "fds", members);
        value_push(a, list, entry);
    }
    call_return(call, list);
    return 0;
}

static const struct argument name_args[] = { { "fdname", ARG_TEXT, false }, { NULL, 0, false } };
static const struct argument add_args[] = { { "fdset-id", ARG_NUMBER, true },
                                            { "opaque", ARG_TEXT, true },
                                            { NULL, 0, false } };
static const struct argument remove_args[] = { { "fdset-id", ARG_NUMBER, false },
                                               { "fd", ARG_NUMBER, true },
                                               { NULL, 0, false } };

const struct command fd_commands[] = {
    { "getfd", ALWAYS, getfd, name_args },          { "closefd", ALWAYS, closefd, name_args },
    { "add-fd", ALWAYS, add_fd, add_args },         { "remove-fd", ALWAYS, remove_fd, remove_args },
    { "query-fdsets", ALWAYS, query_fdsets, NULL }, { NULL, ALWAYS, NULL, NULL },
};

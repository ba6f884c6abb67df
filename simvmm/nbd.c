/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/nbd.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/block.h"
#include "simvmm/nbd_private.h"

struct nbd {
    struct vm *vm;
    struct listener *listener;
    char *path;
    unsigned clients_max;
    VECTOR(struct nbd_client *) clients;
};

struct vm *nbd_vm(const struct nbd *n)
{
    return n->vm;
}

const struct export *nbd_find(const struct nbd *n, const char *name, size_t length)
{
    for (size_t i = 0; i < n->vm->exports.count; i++) {
        const struct export *e = n->vm->exports.items[i];
        if (strlen(e->name) == length && memcmp(e->name, name, length) == 0)
            return e;
    }
    return NULL;
}

/* What the export can do, as a set of the protocol's flags. */
uint16_t nbd_flags(const struct nbd_client *c, const struct export *e)
{
    enum {
        HAS_FLAGS = 1,
        READ_ONLY = 2,
        FLUSH = 4,
        FUA = 8,
        TRIM = 32,
        WRITE_ZEROES = 64,
        DF = 128,
        MULTI = 256,
        CACHE = 1024,
        FAST_ZERO = 2048
    };
    int flags = HAS_FLAGS | FLUSH | FUA | CACHE | (c->structured ? DF : 0);
    flags |= e->writable ? TRIM | WRITE_ZEROES | FAST_ZERO : READ_ONLY | MULTI;
    if (e->writable && vm_is(c->server->vm, 11))
        flags |= MULTI;
    return (uint16_t) flags;
}

/* ---- clients ---- */

static void client_free(struct nbd_client *c)
{
    struct nbd *n = c->server;
    for (size_t i = 0; i < n->clients.count; i++)
        if (n->clients.items[i] == c) {
            vector_remove(&n->clients, i);
            break;
        }
    stream_free(c->stream);
    buffer_done(&c->in);
    free(c);
}

/* A client that does not take what it asked for is not read. */
static void work(struct nbd_client *c)
{
    while (!c->closing && stream_pending(c->stream) < NBD_OUTPUT_MAX)
        if (!(c->export ? nbd_take_request(c) : nbd_take_option(c)))
            break;
    if (stream_pending(c->stream) >= NBD_OUTPUT_MAX)
        stream_pause(c->stream);
    else
        stream_resume(c->stream);
    if (c->closing && !stream_pending(c->stream))
        client_free(c);
}

static void on_input(void *arg, const char *bytes, size_t length)
{
    struct nbd_client *c = arg;
    buffer_add(&c->in, bytes, length);
    work(c);
}

static void on_drained(void *arg)
{
    work(arg);
}

static void on_closed(void *arg, const char *reason)
{
    (void) reason;
    client_free(arg);
}

static void on_accepted(void *arg, int fd)
{
    static const struct stream_handler handler = { .input = on_input,
                                                   .closed = on_closed,
                                                   .drained = on_drained };
    struct nbd *n = arg;
    owned_buffer struct buffer hello = { 0 };
    if (n->clients.count >= n->clients_max) {
        close(fd);
        return;
    }
    struct nbd_client *c = NEW(struct nbd_client);
    c->server = n;
    c->stream = stream_new(fd, &handler, c);
    vector_push(&n->clients, c);
    buffer_add_text(&hello, "NBDMAGICIHAVEOPT");
    be_add(&hello, 3, 2); /* fixed newstyle, no zeroes */
    stream_write(c->stream, hello.data, hello.length);
}

/* ---- the server ---- */

struct nbd *nbd_new(struct vm *vm, int listening, const char *path, unsigned clients_max)
{
    struct nbd *n = NEW(struct nbd);
    *n = (struct nbd) { .vm = vm, .path = memory_copy_text(path), .clients_max = clients_max };
    n->listener = listener_new(listening, on_accepted, n);
    return n;
}

unsigned nbd_clients(const struct nbd *n, const struct export *e)
{
    unsigned count = 0;
    for (size_t i = 0; i < n->clients.count; i++)
        count += n->clients.items[i]->export == e;
    return count;
}

void nbd_cut_off(struct nbd *n, const struct export *e)
{
    for (size_t i = n->clients.count; i-- > 0;)
        if (n->clients.items[i]->export == e)
            client_free(n->clients.items[i]);
}

void nbd_free(struct nbd *n)
{
    if (!n)
        return;
    while (n->clients.count)
        client_free(n->clients.items[0]);
    vector_done(&n->clients);
    listener_free(n->listener);
    if (n->path)
        unlink(n->path);
    free(n->path);
    free(n);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The handshake: a client looks around, and chooses an export. */
#include "simvmm/block.h"
#include "simvmm/nbd_private.h"

enum {
    EXPORT_NAME = 1,
    ABORT = 2,
    LIST = 3,
    STARTTLS = 5,
    INFO = 6,
    GO = 7,
    STRUCTURED = 8,
    LIST_META = 9,
    SET_META = 10
};
enum { ACK = 1, SERVER = 2, INFO_REPLY = 3, META = 4 };
#define UNSUPPORTED 0x80000001u
#define INVALID 0x80000003u
#define UNKNOWN 0x80000006u
enum { INFO_EXPORT = 0, INFO_NAME = 1, INFO_DESCRIPTION = 2, INFO_BLOCK_SIZE = 3 };
enum { HEAD = 16, ALLOCATION_ID = 1 };

static const char allocation[] = "base:allocation";

static void reply(struct nbd_client *c, uint32_t option, uint32_t type, const struct buffer *data)
{
    owned_buffer struct buffer out = { 0 };
    be_add(&out, 0x0003e889045565a9, 8);
    be_add(&out, option, 4);
    be_add(&out, type, 4);
    be_add(&out, data ? data->length : 0, 4);
    if (data)
        buffer_add(&out, data->data, data->length);
    stream_write(c->stream, out.data, out.length);
}

static void refuse(struct nbd_client *c, uint32_t option, uint32_t type, const char *text)
{
    owned_buffer struct buffer data = { 0 };
    buffer_add_text(&data, text);
    reply(c, option, type, &data);
}

static void list(struct nbd_client *c)
{
    const struct vm *vm = nbd_vm(c->server);
    for (size_t i = 0; i < vm->exports.count; i++) {
        owned_buffer struct buffer data = { 0 };
        const struct export *e = vm->exports.items[i];
        be_add(&data, strlen(e->name), 4);
        buffer_add_text(&data, e->name);
        buffer_add_text(&data, e->description ? e->description : "");
        reply(c, LIST, SERVER, &data);
    }
    reply(c, LIST, ACK, NULL);
}

/* A name with its length in front, at *at; NULL if there is none. */
static const char *take_name(const char *data, uint32_t length, uint32_t *at, uint32_t *ret_length)
{
    if (length - *at < 4)
        return NULL;
    *ret_length = (uint32_t) be_at(data + *at, 4);
    if (*ret_length > length - *at - 4)
        return NULL;
    const char *name = data + *at + 4;
    *at += 4 + *ret_length;
    return name;
}

static const struct export *find(struct nbd_client *c, uint32_t option, const char *name, uint32_t length)
{
    const struct export *e = nbd_find(c->server, name, length);
    owned_buffer struct buffer text = { 0 };
    if (e)
        return e;
    buffer_add_text(&text, "export '");
    buffer_add(&text, name, length);
    buffer_add_text(&text, "' not present");
    reply(c, option, UNKNOWN, &text);
    return NULL;
}

static void tell(struct nbd_client *c, uint32_t option, const struct export *e)
{
    owned_buffer struct buffer name = { 0 }, about = { 0 }, sizes = { 0 }, main = { 0 };
    be_add(&name, INFO_NAME, 2);
    buffer_add_text(&name, e->name);
    reply(c, option, INFO_REPLY, &name);
    if (e->description) {
        be_add(&about, INFO_DESCRIPTION, 2);
        buffer_add_text(&about, e->description);
        reply(c, option, INFO_REPLY, &about);
    }
    be_add(&sizes, INFO_BLOCK_SIZE, 2);
    be_add(&sizes, 1, 4);
    be_add(&sizes, 4096, 4);
    be_add(&sizes, NBD_PAYLOAD_MAX, 4);
    reply(c, option, INFO_REPLY, &sizes);
    be_add(&main, INFO_EXPORT, 2);
    be_add(&main, e->node->size, 8);
    be_add(&main, nbd_flags(c, e), 2);
    reply(c, option, INFO_REPLY, &main);
    reply(c, option, ACK, NULL);
}

static void info(struct nbd_client *c, uint32_t option, const char *data, uint32_t length)
{
    uint32_t at = 0, name_length;
    const char *name = take_name(data, length, &at, &name_length);
    if (!name || length - at < 2) {
        refuse(c, option, INVALID, "the option's length is wrong");
        return;
    }
    const struct export *e = find(c, option, name, name_length);
    if (!e)
        return;
    tell(c, option, e);
    if (option == GO)
        c->export = e;
}

static void meta(struct nbd_client *c, uint32_t option, const char *data, uint32_t length)
{
    uint32_t at = 0, name_length, query_length;
    const char *name = take_name(data, length, &at, &name_length);
    if (!name || length - at < 4 || !c->structured) {
        refuse(c, option, INVALID, "request option '%s' when structured reply is not negotiated");
        return;
    }
    if (!find(c, option, name, name_length))
        return;
    uint32_t queries = (uint32_t) be_at(data + at, 4);
    bool wanted = queries == 0 && option == LIST_META;
    at += 4;
    for (; queries; queries--) {
        const char *query = take_name(data, length, &at, &query_length);
        if (!query)
            break;
        wanted |= (query_length == 5 && option == LIST_META && memcmp(query, allocation, 5) == 0) ||
                  (query_length == sizeof allocation - 1 && memcmp(query, allocation, query_length) == 0);
    }
    owned_buffer struct buffer found = { 0 };
    be_add(&found, option == SET_META ? ALLOCATION_ID : 0, 4);
    buffer_add_text(&found, allocation);
    if (wanted)
        reply(c, option, META, &found);
    if (option == SET_META)
        c->allocation = wanted;
    reply(c, option, ACK, NULL);
}

/* The old way to choose: without an answer if it fails. */
static void export_name(struct nbd_client *c, const char *name, uint32_t length)
{
    static const char zeroes[124];
    owned_buffer struct buffer out = { 0 };
    c->export = nbd_find(c->server, name, length);
    c->closing = !c->export;
    if (c->closing)
        return;
    be_add(&out, c->export->node->size, 8);
    be_add(&out, nbd_flags(c, c->export), 2);
    if (!c->no_zeroes)
        buffer_add(&out, zeroes, sizeof zeroes);
    stream_write(c->stream, out.data, out.length);
}

static void answer(struct nbd_client *c, uint32_t option, const char *data, uint32_t length)
{
    switch (option) {
    case EXPORT_NAME:
        export_name(c, data, length);
        break;
    case ABORT:
        reply(c, option, ACK, NULL);
        c->closing = true;
        break;
    case LIST:
        list(c);
        break;
    case INFO:
    case GO:
        info(c, option, data, length);
        break;
    case STRUCTURED:
        c->structured = true;
        reply(c, option, ACK, NULL);
        break;
    case LIST_META:
    case SET_META:
        meta(c, option, data, length);
        break;
    default:
        refuse(c, option, UNSUPPORTED, option == STARTTLS ? "TLS is not simulated" : "Unsupported option");
    }
}

bool nbd_take_option(struct nbd_client *c)
{
    if (!c->greeted) {
        if (c->in.length < 4)
            return false;
        c->no_zeroes = be_at(c->in.data, 4) & 2;
        c->greeted = true;
        buffer_drop(&c->in, 4);
    }
    if (c->in.length < HEAD)
        return false;
    uint32_t option = (uint32_t) be_at(c->in.data + 8, 4), length = (uint32_t) be_at(c->in.data + 12, 4);
    if (memcmp(c->in.data, "IHAVEOPT", 8) != 0 || length > NBD_OPTION_MAX) {
        c->closing = true;
        return false;
    }
    if (c->in.length < HEAD + length)
        return false;
    answer(c, option, c->in.data + HEAD, length);
    buffer_drop(&c->in, HEAD + length);
    return true;
}

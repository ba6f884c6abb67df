/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/migrate_stream.h"

#include <arpa/inet.h>
#include <string.h>

static const char file_magic[] = "QEVM";
static const char own_section[] = "\4\0\0\0\0\6simvmm\0\0\0\0\0\0\0\1";
enum { FILE_VERSION = 3, CONFIGURATION = 7, OWN_LENGTH = sizeof own_section - 1 };

static void add_number(struct buffer *out, uint32_t number)
{
    uint32_t swapped = htonl(number);
    buffer_add(out, &swapped, sizeof swapped);
}

static uint32_t number_at(const char *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return ntohl(number);
}

void migrate_stream_add_header(struct buffer *out, const char *machine)
{
    buffer_add(out, file_magic, 4);
    add_number(out, FILE_VERSION);
    buffer_add_char(out, CONFIGURATION);
    add_number(out, (uint32_t) strlen(machine));
    buffer_add_text(out, machine);
    buffer_add(out, own_section, OWN_LENGTH);
}

void migrate_stream_add_record(struct buffer *out, char kind, const void *bytes, size_t length)
{
    buffer_add_char(out, kind);
    add_number(out, (uint32_t) length);
    buffer_add(out, bytes, length);
}

void migrate_stream_add_filler(struct buffer *out, size_t length)
{
    static const char zeroes[4096];
    buffer_add_char(out, 'D');
    add_number(out, (uint32_t) length);
    for (; length > sizeof zeroes; length -= sizeof zeroes)
        buffer_add(out, zeroes, sizeof zeroes);
    buffer_add(out, zeroes, length);
}

long migrate_stream_read_header(const char *bytes, size_t length, char ret_machine[MIGRATE_MACHINE_MAX + 1],
                                struct error *err)
{
    enum { FIXED = 13 };
    if (length >= 4 && memcmp(bytes, file_magic, 4) != 0)
        return fail(err, ERR_INVALID_ARG, "Not a migration stream");
    if (length < FIXED)
        return 0;
    size_t name = number_at(bytes + 9);
    if (number_at(bytes + 4) != FILE_VERSION || bytes[8] != CONFIGURATION || name > MIGRATE_MACHINE_MAX)
        return fail(err, ERR_INVALID_ARG, "Unsupported migration stream version");
    if (length < FIXED + name + OWN_LENGTH)
        return 0;
    memcpy(ret_machine, bytes + FIXED, name);
    ret_machine[name] = '\0';
    if (memcmp(bytes + FIXED + name, own_section, OWN_LENGTH) != 0)
        return fail(err, ERR_INVALID_ARG,
                    "this stream is a real QEMU's, and simvmm has no memory to load it into");
    return (long) (FIXED + name + OWN_LENGTH);
}

long migrate_stream_read_record(const char *bytes, size_t length, struct migrate_record *ret_record,
                                struct error *err)
{
    enum { FIXED = 5 };
    if (length < FIXED)
        return 0;
    size_t size = number_at(bytes + 1);
    if (!strchr("CDPRE", bytes[0]) || !bytes[0] || size > MIGRATE_RECORD_MAX)
        return fail(err, ERR_INVALID_ARG, "Unknown savevm section type %d", bytes[0]);
    if (length < FIXED + size)
        return 0;
    *ret_record = (struct migrate_record) { bytes[0], bytes + FIXED, size };
    return (long) (FIXED + size);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/line.h"

#include <string.h>

#include "base/memory.h"

/* The card that QEMU makes up from the host's reader, or from certificates. */
static int add_emulated(struct line *line, const struct smartcard *card, struct props *device,
                        struct error *err)
{
    static const char *const keys[] = { "cert1", "cert2", "cert3" };
    bool certificates = card->mode == SMARTCARD_CERTIFICATES;
    if (line_check_type(line, "ccid-card-emulated", "it", err) < 0)
        return -1;
    props_begin(device, "driver", "ccid-card-emulated");
    props_text(device, "backend", certificates ? "certificates" : "nss-emulated");
    for (size_t i = 0; i < card->certificates.count && i < 3 && certificates; i++)
        props_text(device, keys[i], card->certificates.items[i]->name);
    if (certificates)
        props_text(device, "db", card->database ? card->database : "/etc/pki/nssdb");
    return 0;
}

static int add_passed_through(struct line *line, const struct smartcard *card, struct props *device,
                              struct error *err)
{
    owned_memory char *chardev = memory_printf("char%s", card->alias);
    if (line_check_type(line, "ccid-card-passthru", "it", err) < 0 ||
        line_chardev_backend(line, &card->source, chardev, "smartcard", err) < 0)
        return -1;
    props_begin(device, "driver", "ccid-card-passthru");
    props_text(device, "chardev", chardev);
    return 0;
}

static int add_smartcard(struct line *line, const struct smartcard *card, struct error *err)
{
    owned_props struct props device = { 0 };
    const struct controller *bus =
        card->address ? line_controller(line, CONTROLLER_CCID, card->address->ccid.controller) : NULL;
    if (!bus || card->address->ccid.slot != 0)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "it needs a ccid controller of its own");
    if ((card->mode == SMARTCARD_PASSTHROUGH ? add_passed_through : add_emulated)(line, card, &device,
                                                                                  err) < 0)
        return -1;
    props_text(&device, "id", card->alias);
    props_printf(&device, "bus", "%s.0", bus->alias);
    line_device(line, &device);
    return 0;
}

int line_smartcards(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->smartcards.count; i++)
        if (add_smartcard(line, line->def->smartcards.items[i], err) < 0)
            return fail_in(err, "smartcard '%s'", line->def->smartcards.items[i]->alias);
    return 0;
}

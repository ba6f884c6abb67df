/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/smartcard.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(smartcard_mode, SMARTCARD_MODES);
BORROW_ENUM_CODEC(chardev_type);
BORROW_ENUM_CODEC(chardev_protocol);

static void smartcard_check(void *self, struct xml_context *x)
{
    enum { CERTIFICATES = 3 };
    struct smartcard *card = self;
    if (card->mode == SMARTCARD_CERTIFICATES && card->certificates.count != CERTIFICATES)
        xml_refuse(x, card, ERR_XML, NULL, "a card of mode 'host-certificates' has three certificates");
    if (card->mode == SMARTCARD_PASSTHROUGH && !card->source.type)
        xml_refuse(x, card, ERR_XML, "type='spicevmc', say", "a card that is passed through needs a type");
    else if (card->mode == SMARTCARD_PASSTHROUGH)
        chardev_check_source(&card->source, x);
    if (card->address && card->address->type != ADDRESS_CCID)
        xml_refuse(x, &card->address->type, ERR_XML, "ccid", "a card has an address of type 'ccid'");
}

#define SELF struct certificate
PART(certificate_element, "certificate", "A certificate in the database.",
    TEXT(name, string, "its name", REQUIRED));
#undef SELF

#define SELF struct smartcard
PART(source, "source", "Who has the card.",
    ATTR("mode", source.mode, end_mode, "which end listens"),
    ATTR("path", source.path, string, "file, device or socket"),
    ATTR("host", source.host, string, "address"),
    ATTR("service", source.service, string, "port"));
PART(protocol, "protocol", "How it is spoken to.",
    ATTR("type", source.protocol, chardev_protocol, "raw", REQUIRED));
ALIAS_PART;

const struct element smartcard_element = ELEMENT_CHECKED("smartcard", "A smart card.", smartcard_check,
    ATTR("mode", mode, smartcard_mode, "whose card", REQUIRED),
    ATTR("type", source.type, chardev_type, "kind of connection", IF(mode, SMARTCARD_PASSTHROUGH)),
    LIST(certificates, certificate_element, IF(mode, SMARTCARD_CERTIFICATES)),
    LEAF("database", database, string, "folder of the certificates", IF(mode, SMARTCARD_CERTIFICATES)),
    INLINE(source, IF(mode, SMARTCARD_PASSTHROUGH)),
    INLINE(protocol, IF(mode, SMARTCARD_PASSTHROUGH), AND_IF(source.type, CHARDEV_TCP)),
    INLINE(alias), CHILD(address, address_element));

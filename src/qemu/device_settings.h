/* SPDX-License-Identifier: Apache-2.0 */
/* device_settings.h - private to the report: one device, and where it is said what it is like. */
#pragma once
#include "conf/domain_def.h"
#include "qemu/device_report.h"

struct device_view {
    struct arena *arena; /* the report's */
    const struct asked *asked;
    const struct qom_store *store;
    const struct asked_option *option;  /* its -device; NULL: it is none of the command line's */
    const struct asked_option *backend; /* what that refers to; NULL */
    uint32_t object;                    /* QOM_NONE: it is not in the tree */
    const struct disk *disk;            /* NULL: it is none */
    const struct json *block;           /* its entry in query-block; NULL */
    const struct json *chardev;         /* its entry in query-chardev; NULL */
};

/* What the -device of `option` hands its data to; NULL if there is nothing of the kind. */
const struct asked_option *device_backend(const struct asked *asked, const struct asked_option *option);
const char *device_backend_text(const struct device_view *view); /* NULL without one */
const char *device_address_text(const struct device_view *view); /* NULL without one */
void device_add_settings(const struct device_view *view, struct device_item *item);

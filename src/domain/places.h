/* SPDX-License-Identifier: Apache-2.0 */
/* places.h - where files are: under one root, or in the system's folders.
 *
 * Files are named by uuid or number, so no domain name reaches a path (the log's is reduced to harmless
 * letters).  place_x() return allocated text.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "base/own.h"
#include "base/uuid.h"

struct places {
    char *config;                       /* ROOT/etc/domusd.conf         /etc/domus/domusd.conf */
    char *lib;                          /* ROOT/lib                     /var/lib/domus */
    char *run;                          /* ROOT/run                     /run/domus */
    char *log;                          /* ROOT/log                     /var/log/domus */
    char *cache;                        /* ROOT/cache                   /var/cache/domus */
};

struct places *places_new(const char *root);            /* NULL: the system's */
void places_free(struct places *places);
DEFINE_OWNED(places)
int places_make(const struct places *places, struct error *err);   /* the folders, once, at startup */

char *place_definition(const struct places *p, const struct uuid *uuid);    /* lib/domains/UUID.xml */
char *place_autostart(const struct places *p, const struct uuid *uuid);     /* lib/autostart/UUID */
char *place_status(const struct places *p, const struct uuid *uuid);        /* run/status/UUID.xml */
char *place_monitor(const struct places *p, int id);                        /* run/m/ID.sock */
int place_monitor_id(const char *name);                                     /* of "ID.sock"; 0: it is not */
/* run/m/UUID-NUMBER.sock, of a channel whose owner left its place to us */
char *place_channel(const struct places *p, const struct uuid *uuid, size_t number);
char *place_log(const struct places *p, const char *name, const struct uuid *uuid);    /* log/NAME-UUID.log */

/* The uuid in "UUID.xml"; false unless it is spelt exactly as we write it. */
bool place_uuid_of_file(const char *name, struct uuid *ret_uuid);
/* "UUID.xml.new": what file_replace() was writing when we died; the old file still holds. */
bool place_is_unfinished(const char *name);

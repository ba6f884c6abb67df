/* SPDX-License-Identifier: Apache-2.0 */
/* qom_saved.h - trees on disk: what a domain's last start, and the one before, left.
 *
 * FOLDER/UUID.jsonl and FOLDER/UUID.previous.jsonl: a heading {"version", "objects": how many}, then a line
 * for each object as qom_store_write() says, parents first.  They are a convenience: not synced, at most
 * QOM_SAVED_MAX of them, and one that is damaged counts as none and says why.
 *
 * All of these block (await_work).
 */
#pragma once
#include "qemu/qom_store.h"

enum { QOM_SAVED_MAX = 2000, QOM_SAVED_BYTES_MAX = 256 << 20 };

char *qom_saved_folder(const char *cache_folder); /* CACHE/qom/trees, allocated; NULL for NULL */
char *qom_saved_path(const char *folder, const char *uuid, bool previous); /* allocated */
/* A start begins: what there is of the last one is the previous one's from now on. */
void qom_saved_rotate(const char *folder, const char *uuid);
int qom_saved_write(const char *path, const struct qom_store *store, struct error *err);
/* NULL, with ERR_NONE if there is no such file. */
struct qom_store *qom_saved_read(const char *path, struct error *err);
void qom_saved_remove(const char *folder, const char *uuid);

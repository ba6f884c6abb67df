/* SPDX-License-Identifier: Apache-2.0 */
/* journal.h - what a client was promised survives a power cut, at the price of one sync.
 *
 * The files in lib/domains and lib/autostart are the truth; people read, copy and edit them.  But a new
 * file is on disk only when it and its folder were synced, and a file system with a journal of its own
 * writes that each time.  So a change goes into lib/journal first, a file whose blocks are all there and
 * written once, and only that is synced: one write.  Then the file itself is replaced without a sync, and
 * the change is acknowledged.  When nothing has happened for a while, when the journal is full, and at the
 * end, the files are synced (on a worker's thread), and the journal begins again.  Changes that come while
 * a sync is under way share the next one.
 *
 * Format: pages of 4096 bytes.  The first one says
 *
 *     domus-journal 1 GENERATION BOOT-ID CHECKSUM
 *
 * and each record begins on a page of its own, so that no write touches what was acknowledged before:
 *
 *     put domains UUID GENERATION LENGTH CHECKSUM         or "drop", or "autostart"; then LENGTH bytes
 *
 * What counts are the records from page 1 on, one behind the other, that are of the first line's
 * generation and have the right checksum (of the line up to it, and the bytes).  A first line that is
 * damaged was being written, so the generation is that of the first record.
 *
 * Invariants:
 *   - A change is acknowledged when its record is synced and its file is in place.
 *   - The generation is a new one only when all files that the records name are synced.  So is what was
 *     written past the journal, because it was too large for it or the disk refused: that is acknowledged
 *     after the new generation, since an older record must not come back over it.
 *   - Hence, in the boot that wrote it, a journal has nothing to say after our death: the files are as we
 *     left them, or as a person has edited them since.  In a later boot the last record of each file is
 *     put in place, unless somebody changed the file since that boot; to do it twice is to do it once.
 *   - A change of one file ends before the next of the same begins (the domain's job sees to that).
 */
#pragma once
#include "domain/places.h"
#include "loop/fiber.h"

enum { JOURNAL_PAGE = 4096, JOURNAL_BYTES = 4 << 20 };

enum journal_kind { JOURNAL_DEFINITION, JOURNAL_AUTOSTART };

struct journal;

/* At startup, blocking, before anything is read: brings the files up to date, and logs what it puts back. */
struct journal *journal_open(const struct places *places, struct error *err);
/* Blocks while the files are synced.  No change may be under way. */
void journal_free(struct journal *journal);
DEFINE_OWNED(journal)

/* Replaces the file.  Done even if the calling fiber is cancelled meanwhile, and then no error. */
WAITS int journal_put(struct journal *journal, enum journal_kind kind, const struct uuid *uuid,
                      const void *bytes, size_t length, struct error *err);
/* Removes it; a missing one is no error. */
WAITS int journal_drop(struct journal *journal, enum journal_kind kind, const struct uuid *uuid,
                       struct error *err);

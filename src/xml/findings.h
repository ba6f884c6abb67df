/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - everything that was wrong or strange in a document, in the order in which it was found.
 *
 * A parser goes on after a mistake, so that its author sees all of them at once.  At most FINDINGS_MAX are
 * kept; the rest is only counted.  A zeroed struct is an empty list.
 */
#pragma once
#include "base/error.h"

enum { FINDINGS_MAX = 100 };

enum severity { SEVERITY_WARNING, SEVERITY_ERROR };

struct finding {
    enum severity severity;
    enum error_code code;       /* of an error: what the call fails with if this is the first one */
    unsigned line;              /* 0: nowhere in particular */
    char *path;                 /* "domain/devices/disk[2]/driver/@cache" */
    char *value;                /* what stood there, or NULL */
    char *expected;             /* what may stand there, or NULL */
    char *text;                 /* the sentence */
};

struct findings {
    struct finding *items;
    size_t count;
    size_t errors, warnings;    /* with those that were not kept */
};

/* The strings are copied; texts are cut at 1 KiB. */
void findings_add(struct findings *f, const struct finding *finding);
/* The first error and the number of further ones, as one error; returns -1.  There must be an error. */
int findings_fail(const struct findings *f, struct error *err);
/* "line 7: domain/devices/disk/driver/@cache: SENTENCE" */
char *finding_describe(const struct finding *finding);
void findings_done(struct findings *f);

#define owned_findings __attribute__((cleanup(findings_done)))

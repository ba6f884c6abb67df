/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - one failure, described once, handed up by value.
 *
 * What can fail returns an int (0, or -1) or a pointer (or NULL) and takes `struct error *err` last.  Whoever
 * detects the failure sets it, once; callers pass it on, or put their context in front with fail_in().
 * Outcomes that are no failures are no errors: "not found" is NULL from a function named find.
 *
 *     error_scope(err);
 *     if (disk_check(disk, &err) < 0)
 *         log_warning("%s", error_text(&err));
 *
 * It is never thread-local, since fibers share the thread.  The text is allocated, and at most 4 KiB.
 * Whatever words of a client, a guest or a file it quotes, it is fit for a terminal: control bytes but the
 * newline and what is not UTF-8 become \xNN.
 * Codes follow libvirt's VIR_ERR_*, which is what a client sees in the end (the table in src/rpc/errors.c).
 */
#pragma once
#include <stddef.h>

enum error_code {
    ERR_NONE,
    ERR_INTERNAL,               /* our fault, or the VMM's; the text says which */
    ERR_NO_SUPPORT,             /* this call is not built */
    ERR_INVALID_ARG,
    ERR_OPERATION_FAILED,       /* name or uuid clash, too */
    ERR_NO_NAME,
    ERR_XML,                    /* well-formed, but wrong */
    ERR_XML_SYNTAX,             /* not well-formed */
    ERR_DENIED,                 /* read-only connection */
    ERR_SYSTEM,                 /* errno in `number` */
    ERR_RPC,
    ERR_NO_DOMAIN,
    ERR_OPERATION_INVALID,      /* not in this state */
    ERR_NO_METADATA,
    ERR_CONFIG_UNSUPPORTED,     /* understood, and cannot be had */
    ERR_TIMEOUT,
    ERR_ABORTED,                /* cancelled by another call */
    ERR_UNSUPPORTED,            /* operation not supported on this object */
    ERR_AGENT,                  /* guest agent does not answer */
    ERR_BUSY,
    ERR_DEVICE_MISSING,
    ERR_XML_SCHEMA,             /* refused because VALIDATE was asked for */
    ERR_VMM,                    /* the emulator refused, died or babbled; reported as internal error */
    ERR_CODES
};

struct error {
    enum error_code code;
    int number;                 /* errno of ERR_SYSTEM, else 0 */
    char *text;
};

enum { ERROR_TEXT_MAX = 4096 };

/* Records the failure and returns -1, so that a failing step is one line.  One already there is replaced. */
int fail(struct error *err, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same from errno: "FORMAT: strerror". */
int fail_errno(struct error *err, int number, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Puts "CONTEXT: " in front of what is there; returns -1. */
int fail_in(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

const char *error_text(const struct error *err);        /* never NULL */
void error_clear(struct error *err);
void error_move(struct error *to, struct error *from);

#define error_scope(name) __attribute__((cleanup(error_clear))) struct error name = { ERR_NONE, 0, NULL }

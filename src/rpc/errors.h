/* SPDX-License-Identifier: Apache-2.0 */
/* errors.h - our errors in the words and numbers that libvirt's clients know, and back. */
#pragma once
#include "base/error.h"
#include "rpc/remote.h"

/* VIR_ERR_*; 0 for ERR_NONE. */
int errors_number(enum error_code code);
/* The whole sentence, "Domain not found: no domain with ..."; malloc'ed. */
char *errors_message(const struct error *err);
/* What goes on the wire; its pointers are malloc'ed. */
void errors_encode(const struct error *err, remote_error *ret_error);
/* What came from the wire.  A number that we have no code for becomes ERR_OPERATION_FAILED. */
void errors_decode(const remote_error *remote, struct error *ret_error);

/* SPDX-License-Identifier: Apache-2.0 */
/* bounded.h - what the generated code calls instead of libtirpc's functions that allocate.
 *
 * libtirpc allocates what a count asks for before it looks whether so many bytes are there.  Each of these
 * first compares the count with what is left of the message, so a frame of 40 bytes cannot ask for megabytes.
 */
#pragma once
#include <rpc/rpc.h>

bool_t bounded_array(XDR *x, char **items, u_int *count, u_int max, u_int item_size, xdrproc_t item);
bool_t bounded_bytes(XDR *x, char **bytes, u_int *count, u_int max);
bool_t bounded_string(XDR *x, char **text, u_int max);

#define xdr_array bounded_array
#define xdr_bytes bounded_bytes
#define xdr_string bounded_string

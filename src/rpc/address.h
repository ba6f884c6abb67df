/* SPDX-License-Identifier: Apache-2.0 */
/* address.h - what people write to say which daemon they mean.
 *
 * A word with a slash and no colon is a socket's path.  A URI is qemu:///system or qemu:///session, with
 * +unix or not, and ?socket=PATH if it is not the usual place.  NULL or "" is $DOMUS_URI, and without that
 * the usual place.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

#define ADDRESS_SOCKET "/run/domus/domus-sock"

/* The socket's path, and the name to open ("qemu:///system", or NULL for the daemon's choice); malloc'ed. */
int address_resolve(const char *where, bool read_only, char **ret_path, char **ret_name, struct error *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* stop.h - the way out: nobody new, let calls end, cancel those that do not, leave the loop.  No guest is
 * touched. */
#pragma once

/* A signal's callback; its argument is the struct daemon.  The second signal does not wait. */
void stop(void *daemon);

/* SPDX-License-Identifier: Apache-2.0 */
/* states.h - the words for a domain's states, reasons and lifecycle events, by libvirt's numbers.
 *
 * A number that is not known here is "no state", "unknown" or "event".
 */
#pragma once

const char *state_word(int state);
const char *state_reason(int state, int reason);
const char *event_word(int event);
const char *event_detail(int event, int detail);

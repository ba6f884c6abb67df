/* SPDX-License-Identifier: Apache-2.0 */
/* mailbox.h - what a VMM reports on its own, while a job may be under way.
 *
 * Monitor callbacks never touch a domain; they post.  MAIL_STATE (STOP, RESUME, RESET, a new balloon size) is
 * applied at once.  MAIL_LATER (a device is gone, a block job completed) is applied in order of arrival
 * between the waits of a job, where the job says so by mailbox_run(), at the job's end, or at once when no
 * job runs.  A VMM's death is no mail: it fails the wait of whoever talks to the VMM, and its clean-up is a
 * job of its own (job.h).
 */
#pragma once
#include "base/own.h"

struct domain;

enum mail_kind { MAIL_STATE, MAIL_LATER };

/* apply(dom, arg) runs once, then drop(arg) (may be NULL).  If the domain goes inactive before, only drop
 * runs. */
void mailbox_post(struct domain *dom, enum mail_kind kind, void (*apply)(struct domain *dom, void *arg),
                  void (*drop)(void *arg), void *arg);
void mailbox_run(struct domain *dom);
void mailbox_empty(struct domain *dom);

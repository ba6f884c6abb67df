/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/mailbox.h"

#include <stdlib.h>

#include "base/memory.h"
#include "domain/domain.h"

struct mail {
    struct mail *next;
    void (*apply)(struct domain *dom, void *arg);
    void (*drop)(void *arg);
    void *arg;
};

static void mail_free(struct mail *mail)
{
    if (mail->drop)
        mail->drop(mail->arg);
    free(mail);
}

static struct mail *mail_take(struct domain *dom)
{
    struct mail *mail = dom->first_mail;
    if (mail && !(dom->first_mail = mail->next))
        dom->last_mail = NULL;
    return mail;
}

void mailbox_post(struct domain *dom, enum mail_kind kind, void (*apply)(struct domain *dom, void *arg),
                  void (*drop)(void *arg), void *arg)
{
    struct mail *mail = NEW(struct mail);
    *mail = (struct mail) { .apply = apply, .drop = drop, .arg = arg };
    if (kind == MAIL_STATE || !dom->job.what) {
        mail->apply(dom, mail->arg);
        mail_free(mail);
        return;
    }
    if (dom->last_mail)
        dom->last_mail->next = mail;
    else
        dom->first_mail = mail;
    dom->last_mail = mail;
}

void mailbox_run(struct domain *dom)
{
    struct mail *mail;
    while ((mail = mail_take(dom))) {
        mail->apply(dom, mail->arg);
        mail_free(mail);
    }
}

void mailbox_empty(struct domain *dom)
{
    struct mail *mail;
    while ((mail = mail_take(dom)))
        mail_free(mail);
}

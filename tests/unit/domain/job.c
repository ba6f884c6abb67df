/* SPDX-License-Identifier: Apache-2.0 */
#include "make.h"

#include "domain/mailbox.h"

/* A call: begins a job, stays in it for a while, and notes what became of it. */
struct caller {
    struct domain *dom;
    const char *what;
    unsigned flags, stay_ms;
    int rc, stayed;
    enum error_code code;
    char text[256];
    int *clock, began, ended;
};

static void note(struct caller *c, struct error *err)
{
    c->code = err->code;
    snprintf(c->text, sizeof c->text, "%s", error_text(err));
}

static WAITS void call(void *arg)
{
    struct caller *c = arg;
    error_scope(err);
    c->rc = job_begin(c->dom, c->what, "client 1", c->flags, &err);
    if (c->rc < 0) {
        note(c, &err);
        return;
    }
    owned(job) struct job *job UNUSED = &c->dom->job;
    c->began = ++*c->clock;
    c->stayed = c->stay_ms ? await_sleep(c->stay_ms, &err) : 0;
    note(c, &err);
    c->ended = ++*c->clock;
}

struct scene { char root[64]; struct registry *registry; struct domain *dom; int clock; };

static void scene_begin(struct scene *s)
{
    loop_init();
    s->registry = make_registry(s->root);
    s->dom = make_domain(s->registry, "vm", UUID_A);
    s->clock = 0;
}

static void scene_run(struct scene *s)
{
    loop_run();
    registry_free(s->registry);
    loop_done();
    remove_root(s->root);
}

static void start(struct scene *s, struct caller *c)
{
    c->dom = s->dom;
    c->clock = &s->clock;
    cr_assert_not_null(fiber_start(call, c));
}

Test(job, calls_take_their_turn_in_order)
{
    struct scene s;
    struct caller callers[3] = { { .what = "a", .stay_ms = 20 },
                                 { .what = "b", .stay_ms = 5 },
                                 { .what = "c" } };
    scene_begin(&s);
    for (size_t i = 0; i < 3; i++)
        start(&s, &callers[i]);
    scene_run(&s);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(callers[i].rc, 0, "%s", callers[i].text);
        cr_assert_eq(callers[i].began, 2 * i + 1);
        cr_assert_eq(callers[i].ended, 2 * i + 2);
    }
}

Test(job, destroy_cancels_the_running_one_and_goes_next)
{
    struct scene s;
    struct caller running = { .what = "start", .stay_ms = 10000 }, waiting = { .what = "suspend" };
    struct caller destroy = { .what = "destroy", .flags = JOB_FIRST | JOB_CANCEL, .stay_ms = 1 };
    scene_begin(&s);
    start(&s, &running);
    start(&s, &waiting);
    start(&s, &destroy);
    scene_run(&s);
    cr_assert_eq(running.code, ERR_ABORTED);
    cr_assert_str_eq(running.text, "'start' of domain 'vm' was cancelled by 'destroy' of client 1");
    cr_assert_eq(destroy.rc, 0);
    cr_assert_eq(destroy.code, ERR_NONE, "%s", destroy.text);
    cr_assert_lt(destroy.began, waiting.began);
}

Test(job, a_second_destroy_lets_the_first_one_end)
{
    struct scene s;
    struct caller first = { .what = "destroy", .flags = JOB_FIRST | JOB_CANCEL, .stay_ms = 20 },
                  second = first;
    scene_begin(&s);
    start(&s, &first);
    start(&s, &second);
    scene_run(&s);
    cr_assert_eq(first.code, ERR_NONE, "%s", first.text);
    cr_assert_eq(second.code, ERR_NONE, "%s", second.text);
    cr_assert_lt(first.ended, second.began);
}

Test(job, the_thirty_third_waiter_is_told_who_runs_and_for_how_long)
{
    struct scene s;
    struct caller running = { .what = "start", .stay_ms = 30 };
    static struct caller waiting[JOB_WAITERS_MAX + 1];
    scene_begin(&s);
    start(&s, &running);
    for (size_t i = 0; i < ARRAY_COUNT(waiting); i++) {
        waiting[i].what = "suspend";
        start(&s, &waiting[i]);
    }
    scene_run(&s);
    for (size_t i = 0; i < JOB_WAITERS_MAX; i++)
        cr_assert_eq(waiting[i].rc, 0, "%s", waiting[i].text);
    const struct caller *refused = &waiting[JOB_WAITERS_MAX];
    cr_assert_eq(refused->rc, -1);
    cr_assert_eq(refused->code, ERR_TIMEOUT);
    cr_assert_not_null(strstr(refused->text, "'start' of client 1, running for 0."), "%s", refused->text);
}

static WAITS void remove_later(void *arg)
{
    struct domain *dom = arg;
    error_scope(err);
    cr_assert_eq(await_sleep(5, &err), 0);
    registry_remove(dom);
}

Test(job, who_waits_for_a_removed_domain_is_told_so)
{
    struct scene s;
    struct caller running = { .what = "undefine", .stay_ms = 500 }, waiting = { .what = "start" };
    scene_begin(&s);
    start(&s, &running);
    start(&s, &waiting);
    cr_assert_not_null(fiber_start(remove_later, s.dom));
    scene_run(&s);
    cr_assert_eq(running.code, ERR_NONE, "%s", running.text);
    cr_assert_eq(waiting.code, ERR_NO_DOMAIN, "%s", waiting.text);
}

Test(job, a_domain_that_is_neither_active_nor_persistent_goes_with_its_job)
{
    struct scene s;
    struct caller creation = { .what = "create", .stay_ms = 1 };
    scene_begin(&s);
    s.dom->persistent = false;
    domain_ref(s.dom);
    start(&s, &creation);
    loop_run();
    cr_assert(s.dom->removed);
    cr_assert_eq(registry_count(s.registry), 0);
    domain_unref(s.dom);
    scene_run(&s);
}

/* --- mailbox --- */

static char applied[16], a[] = "a", b[] = "b", c[] = "c", zero[] = "0";
static int dropped;

static void apply(struct domain *dom, void *arg)
{
    strncat(applied, arg, sizeof applied - strlen(applied) - 1);
}

static void drop(void *arg)
{
    dropped++;
}

static WAITS void post_under_a_job(void *arg)
{
    struct domain *dom = arg;
    error_scope(err);
    cr_assert_eq(job_begin(dom, "start", NULL, 0, &err), 0);
    owned(job) struct job *job UNUSED = &dom->job;
    mailbox_post(dom, MAIL_LATER, apply, drop, a);
    mailbox_post(dom, MAIL_STATE, apply, drop, b);
    cr_assert_str_eq(applied, "b", "a state is applied at once, a removal between the waits");
    mailbox_run(dom);
    cr_assert_str_eq(applied, "ba");
    mailbox_post(dom, MAIL_LATER, apply, drop, c);
}

Test(mailbox, what_must_wait_for_a_job_waits_at_most_until_its_end)
{
    struct scene s;
    scene_begin(&s);
    mailbox_post(s.dom, MAIL_LATER, apply, drop, zero);
    cr_assert_str_eq(applied, "0", "no job, no wait");
    applied[0] = '\0';
    cr_assert_not_null(fiber_start(post_under_a_job, s.dom));
    scene_run(&s);
    cr_assert_str_eq(applied, "bac");
    cr_assert_eq(dropped, 4);
}

/* --- events --- */

struct ear { struct event_listener *self; int heard, last_id; };

static void hear_once(void *arg, const struct domain_event *event)
{
    struct ear *ear = arg;
    ear->heard++;
    ear->last_id = event->domain->id;
    event_listener_free(take(ear->self));
}

Test(events, a_listener_may_leave_while_it_hears)
{
    char root[64];
    owned(registry) struct registry *r = make_registry(root);
    struct domain *dom = make_domain(r, "vm", UUID_A);
    struct ear ears[3] = { 0 };
    for (size_t i = 0; i < 3; i++)
        ears[i].self = event_listener_new(registry_events(r), hear_once, &ears[i]);
    domain_emit_lifecycle(dom, EVENT_DEFINED, DEFINED_ADDED);
    domain_emit_lifecycle(dom, EVENT_DEFINED, DEFINED_UPDATED);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(ears[i].heard, 1);
        cr_assert_eq(ears[i].last_id, -1);
    }
    remove_root(root);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* event: tells what happens to domains, as it happens. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/uuid.h"
#include "json/json.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/event_kinds.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    { "domain", PARAMETER_DOMAIN, .position = true, .help = "only this domain's events" },
    { "event", PARAMETER_TEXT, .value = "kind", .help = "which kind of event; --list prints them" },
    { "all", PARAMETER_FLAG, .help = "all kinds" },
    { "loop", PARAMETER_FLAG, .help = "do not stop after the first event" },
    { "timeout", PARAMETER_NUMBER, .value = "seconds", .help = "stop after so long" },
    { "timestamp", PARAMETER_FLAG, .help = "print when each event arrived" },
    { "list", PARAMETER_FLAG, .help = "print the kinds of events" },
    JSON_PARAMETER,
    { 0 },
};

struct watch {
    struct teller teller;
    bool json, timestamp;
    unsigned long received;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    interrupted = 1;
}

static void add_member(struct json_writer *w, const char *key, const char *text)
{
    if (!text)
        return;
    json_key(w, key);
    json_string(w, text);
}

static void print_json(const struct happening *h)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format((const struct uuid *) h->dom->uuid, uuid);
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    json_open(&w, '{');
    json_key(&w, "time"), json_u64(&w, (uint64_t) time(NULL));
    add_member(&w, "kind", h->kind);
    add_member(&w, "name", h->dom->name);
    add_member(&w, "uuid", uuid);
    add_member(&w, "disk", h->disk);
    add_member(&w, "event", h->event);
    add_member(&w, "detail", h->detail);
    json_close(&w, '}');
    puts(buffer_text(&out));
}

static void print_time(void)
{
    char now[40];
    struct timespec t;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &t);
    gmtime_r(&t.tv_sec, &tm);
    strftime(now, sizeof now, "%Y-%m-%d %H:%M:%S", &tm);
    printf("%s.%03ld+0000: ", now, t.tv_nsec / 1000000);
}

static void print_text(const struct happening *h)
{
    printf("event '%s' for domain '%s'", h->kind, h->dom->name);
    if (h->disk)
        printf(" disk %s", h->disk);
    if (h->detail)
        printf(": %s%s%s", h->event ? h->event : "", h->event ? " " : "", h->detail);
    putchar('\n');
}

static void tell(struct teller *teller, const struct happening *h)
{
    struct watch *watch = (struct watch *) teller;
    watch->received++;
    if (watch->json) {
        print_json(h);
    } else {
        if (watch->timestamp)
            print_time();
        print_text(h);
    }
    fflush(stdout);
}

static double elapsed(const struct timespec *since)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) (now.tv_sec - since->tv_sec) + (double) (now.tv_nsec - since->tv_nsec) / 1e9;
}

/* Until an event came (with --loop: for ever), time is up, or the user interrupts; says which of these. */
static int wait_for_events(struct session *session, struct client *client, const struct arguments *arguments,
                           const struct watch *watch, struct error *err)
{
    enum { SLICE = 100 };                       /* milliseconds: how long an interrupt may go unnoticed */
    uint64_t seconds = argument_number(arguments, "timeout", 0);
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (!interrupted && (argument_flag(arguments, "loop") || !watch->received)) {
        if (client_read(client, SLICE, err) < 0)
            return -1;
        if (seconds && elapsed(&start) >= (double) seconds) {
            session_confirm(session, "event loop timed out\n");
            return 0;
        }
    }
    if (interrupted)
        session_confirm(session, "event loop interrupted\n");
    return 0;
}

/* Registers for the kinds that were asked for; their numbers, for taking them back, go to `ids`. */
static int register_kinds(struct client *client, const char *kind, remote_nonnull_domain *dom, int *ids,
                          size_t *ret_count, struct error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < event_kinds_count; i++) {
        remote_connect_domain_event_callback_register_any_args args = { .eventID = event_kinds[i].number,
                                                                        .dom = dom };
        reply_scope(connect_domain_event_callback_register_any, registered);
        if (kind && !text_equal(kind, event_kinds[i].name))
            continue;
        if (client_connect_domain_event_callback_register_any(client, &args, &registered, err) < 0)
            return fail_in(err, "Failed to register for %s events", event_kinds[i].name);
        ids[count++] = registered.callbackID;
    }
    *ret_count = count;
    return 0;
}

static void deregister_kinds(struct client *client, const int *ids, size_t count)
{
    error_scope(ignored);                       /* the connection may be gone */
    for (size_t i = 0; i < count; i++) {
        remote_connect_domain_event_callback_deregister_any_args args = { .callbackID = ids[i] };
        client_connect_domain_event_callback_deregister_any(client, &args, NULL, &ignored);
    }
}

static int watch_domain(struct session *session, const struct arguments *arguments, struct client *client,
                        remote_nonnull_domain *dom, struct error *err)
{
    struct watch watch = {
        .teller = { tell },
        .json = argument_flag(arguments, "json"),
        .timestamp = argument_flag(arguments, "timestamp"),
    };
    struct sigaction action = { .sa_handler = on_interrupt }, before;
    int ids[EVENT_KINDS_MAX];
    size_t count = 0;
    client_on_events(client, &event_handlers, &watch.teller);
    if (register_kinds(client, argument_text(arguments, "event"), dom, ids, &count, err) < 0)
        return COMMAND_FAILED;
    interrupted = 0;
    sigaction(SIGINT, &action, &before);
    int result = wait_for_events(session, client, arguments, &watch, err);
    sigaction(SIGINT, &before, NULL);
    deregister_kinds(client, ids, count);
    client_on_events(client, NULL, NULL);
    session->spoke_json = watch.json;
    if (!watch.json)
        session_confirm(session, "events received: %lu\n", watch.received);
    return result < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

static int misused(const struct arguments *arguments, struct error *err)
{
    const char *kind = argument_text(arguments, "event"), *names[EVENT_KINDS_MAX];
    if (!kind && !argument_flag(arguments, "all")) {
        fail(err, ERR_INVALID_ARG, "event wants --event KIND or --all; --list prints the kinds");
        return COMMAND_MISUSED;
    }
    for (size_t i = 0; i < event_kinds_count; i++) {
        names[i] = event_kinds[i].name;
        if (!kind || text_equal(kind, event_kinds[i].name))
            return 0;
    }
    const char *near = text_nearest(kind, names, event_kinds_count);
    fail(err, ERR_INVALID_ARG, "unknown kind of event '%s'%s%s", kind, near ? "; did you mean " : "",
         near ? near : "");
    return COMMAND_MISUSED;
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    if (argument_flag(arguments, "list")) {
        for (size_t i = 0; i < event_kinds_count; i++)
            puts(event_kinds[i].name);
        return COMMAND_DONE;
    }
    int wrong = misused(arguments, err);
    if (wrong)
        return wrong;
    reply_scope(domain_lookup_by_name, found);
    bool one = argument_text(arguments, "domain") != NULL;
    struct client *client =
        one ? session_domain(session, arguments, &found, err) : session_client(session, err);
    if (!client)
        return COMMAND_FAILED;
    return watch_domain(session, arguments, client, one ? &found.dom : NULL, err);
}

const struct command event_command = {
    .name = "event",
    .group = "Domains",
    .summary = "tell what happens to domains, as it happens",
    .about = "With --json each event is an object on a line of its own.",
    .parameters = parameters,
    .run = run,
};

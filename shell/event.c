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
#include "shell/session.h"
#include "shell/states.h"

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

/* libvirt's numbers of the kinds that this shell can tell. */
static const struct { const char *name; int number; } kinds[] = { { "lifecycle", 0 } };

struct watch {
    bool json, timestamp;
    unsigned long received;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    interrupted = 1;
}

static void print_json(const remote_domain_event_lifecycle_msg *m)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format((const struct uuid *) m->dom.uuid, uuid);
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    json_open(&w, '{');
    json_key(&w, "time"), json_u64(&w, (uint64_t) time(NULL));
    json_key(&w, "kind"), json_string(&w, "lifecycle");
    json_key(&w, "name"), json_string(&w, m->dom.name);
    json_key(&w, "uuid"), json_string(&w, uuid);
    json_key(&w, "event"), json_string(&w, event_word(m->event));
    json_key(&w, "detail"), json_string(&w, event_detail(m->event, m->detail));
    json_close(&w, '}');
    puts(buffer_text(&out));
}

static void print_text(const struct watch *watch, const remote_domain_event_lifecycle_msg *m)
{
    char now[40] = "";
    if (watch->timestamp) {
        struct timespec t;
        struct tm tm;
        clock_gettime(CLOCK_REALTIME, &t);
        gmtime_r(&t.tv_sec, &tm);
        size_t length = strftime(now, sizeof now, "%Y-%m-%d %H:%M:%S", &tm);
        snprintf(now + length, sizeof now - length, ".%03ld+0000: ", t.tv_nsec / 1000000);
    }
    printf("%sevent 'lifecycle' for domain '%s': %s %s\n", now, m->dom.name, event_word(m->event),
           event_detail(m->event, m->detail));
}

static void on_lifecycle(void *arg, const remote_domain_event_callback_lifecycle_msg *m)
{
    struct watch *watch = arg;
    watch->received++;
    if (watch->json)
        print_json(&m->msg);
    else
        print_text(watch, &m->msg);
    fflush(stdout);
}

static const struct client_events handlers = { .domain_event_callback_lifecycle = on_lifecycle };

static double elapsed(const struct timespec *since)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) (now.tv_sec - since->tv_sec) + (double) (now.tv_nsec - since->tv_nsec) / 1e9;
}

/* Until an event came (or, with --loop, for ever), time is up, or the user interrupts.  Says what ended it. */
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

static int watch_domain(struct session *session, const struct arguments *arguments, struct client *client,
                        remote_nonnull_domain *dom, struct error *err)
{
    struct watch watch = { argument_flag(arguments, "json"), argument_flag(arguments, "timestamp"), 0 };
    struct sigaction action = { .sa_handler = on_interrupt }, before;
    remote_connect_domain_event_callback_register_any_args args = { .eventID = kinds[0].number, .dom = dom };
    reply_scope(connect_domain_event_callback_register_any, registered);
    client_on_events(client, &handlers, &watch);
    if (client_connect_domain_event_callback_register_any(client, &args, &registered, err) < 0)
        return COMMAND_FAILED;
    interrupted = 0;
    sigaction(SIGINT, &action, &before);
    int result = wait_for_events(session, client, arguments, &watch, err);
    sigaction(SIGINT, &before, NULL);
    client_on_events(client, NULL, NULL);
    if (result < 0)
        return COMMAND_FAILED;
    remote_connect_domain_event_callback_deregister_any_args done = { .callbackID = registered.callbackID };
    session->spoke_json = watch.json;
    if (!watch.json)
        session_confirm(session, "events received: %lu\n", watch.received);
    return client_connect_domain_event_callback_deregister_any(client, &done, NULL, err);
}

static int misused(const struct arguments *arguments, struct error *err)
{
    const char *kind = argument_text(arguments, "event"), *names[ARRAY_COUNT(kinds)];
    if (!kind && !argument_flag(arguments, "all")) {
        fail(err, ERR_INVALID_ARG, "event wants --event KIND or --all; --list prints the kinds");
        return COMMAND_MISUSED;
    }
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        names[i] = kinds[i].name;
        if (!kind || text_equal(kind, kinds[i].name))
            return 0;
    }
    const char *near = text_nearest(kind, names, ARRAY_COUNT(names));
    fail(err, ERR_INVALID_ARG, "unknown kind of event '%s'%s%s", kind, near ? "; did you mean " : "",
         near ? near : "");
    return COMMAND_MISUSED;
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    if (argument_flag(arguments, "list")) {
        for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
            puts(kinds[i].name);
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

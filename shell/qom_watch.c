/* SPDX-License-Identifier: Apache-2.0 */
/* qom-watch: the value of one property, whenever it is another one. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "shell/arguments.h"
#include "shell/qom.h"
#include "shell/session.h"

enum { INTERVAL_MS = 1000, INTERVAL_MIN_MS = 100, SLICE_MS = 100 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    OBJECT_PARAMETER,
    PROPERTY_PARAMETER,
    { "interval", PARAMETER_NUMBER, .value = "ms",
      .help = "how often to look; 1000 if not given, at least 100" },
    { "count", PARAMETER_NUMBER, .value = "n",
      .help = "stop after so many values; the first is the one now" },
    { "timeout", PARAMETER_NUMBER, .value = "seconds", .help = "stop after so long" },
    JSON_PARAMETER,
    { 0 },
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    interrupted = 1;
}

static uint64_t now_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t) t.tv_sec * 1000 + (uint64_t) t.tv_nsec / 1000000;
}

/* With --json each value is an object on a line of its own. */
static void print_value(bool json, const char *value)
{
    uint64_t at = now_ms(CLOCK_REALTIME);
    time_t seconds = (time_t) (at / 1000);
    struct tm tm;
    char date[40];
    gmtime_r(&seconds, &tm);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &tm);
    if (json)
        printf("{\"time\": \"%s.%03u+0000\", \"value\": %s}\n", date, (unsigned) (at % 1000), value);
    else
        printf("%s.%03u+0000: %s\n", date, (unsigned) (at % 1000), value);
    fflush(stdout);
}

/* Until it is time to look again; meanwhile nobody is kept from anything.  -1: the daemon has gone. */
static int pause_until(struct client *client, uint64_t when, struct error *err)
{
    uint64_t now;
    while (!interrupted && (now = now_ms(CLOCK_MONOTONIC)) < when) {
        int slice = when - now < SLICE_MS ? (int) (when - now) : SLICE_MS;
        if (client_read(client, slice, err) < 0)
            return -1;
    }
    return 0;
}

static int watch(const struct arguments *arguments, struct client *client, const domus_qom_get_args *args,
                 struct error *err)
{
    owned_memory char *last = NULL;
    uint64_t interval = argument_number(arguments, "interval", INTERVAL_MS), shown = 0;
    uint64_t count = argument_number(arguments, "count", 0), next = now_ms(CLOCK_MONOTONIC);
    uint64_t seconds = argument_number(arguments, "timeout", 0);
    uint64_t end = seconds && seconds < UINT32_MAX ? next + seconds * 1000 : UINT64_MAX;
    while (!interrupted && next <= end) {
        reply_scope(domus_qom_get, reply);
        if (client_domus_qom_get(client, args, &reply, err) < 0)
            return -1;
        if (!text_equal(last, reply.value)) {
            print_value(argument_flag(arguments, "json"), reply.value);
            free(last);
            last = take(reply.value);
            reply.value = memory_copy_text("");
            if (++shown == count)
                return 0;
        }
        next += interval;
        if (pause_until(client, next < end ? next : end, err) < 0)
            return -1;
    }
    return 0;
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    if (argument_number(arguments, "interval", INTERVAL_MS) < INTERVAL_MIN_MS ||
        argument_number(arguments, "interval", INTERVAL_MS) > INT32_MAX) {
        fail(err, ERR_INVALID_ARG, "--interval is from %d milliseconds to %d", INTERVAL_MIN_MS, INT32_MAX);
        return COMMAND_MISUSED;
    }
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    owned_memory char *path = qom_full_path(argument_text(arguments, "path"));
    const domus_qom_get_args args = { .dom = found.dom,
                                      .path = path,
                                      .property = (char *) argument_text(arguments, "property") };
    struct sigaction action = { .sa_handler = on_interrupt }, before;
    interrupted = 0;
    sigaction(SIGINT, &action, &before);
    int rc = watch(arguments, client, &args, err);
    sigaction(SIGINT, &before, NULL);
    session->spoke_json = argument_flag(arguments, "json");
    return rc < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command qom_watch_command = {
    .name = "qom-watch",
    .group = "Emulator",
    .summary = "print a property of a running emulator whenever it has changed",
    .about = "With --json each value is an object on a line of its own.",
    .parameters = parameters,
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/monitor.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "loop/loop.h"

#define GREETING \
    "{\"QMP\": {\"version\": {\"qemu\": {\"micro\": 3, \"minor\": 1, \"major\": 11}, " \
    "\"package\": \"Debian\"}, " \
    "\"capabilities\": [\"oob\"]}}\r\n"
#define NEGOTIATION "{\"execute\":\"qmp_capabilities\",\"id\":1}"

/* A monitor, what its owner was told, and the other end of its socket. */
struct scene {
    struct monitor *m;
    int peer;
    struct buffer events;               /* names, each with a space */
    int breaks;
    enum monitor_end end;
    char reason[300];
    bool free_on_event, free_on_break;
};

static void on_event(void *arg, const char *name, const struct json *event, struct arena *arena)
{
    struct scene *s = arg;
    buffer_printf(&s->events, "%s ", name);
    cr_assert_not_null(json_get(event, "event"));
    arena_free(arena);
    if (s->free_on_event)
        monitor_free(take(s->m));
}

static void on_broken(void *arg, enum monitor_end end, const char *reason)
{
    struct scene *s = arg;
    s->breaks++;
    s->end = end;
    snprintf(s->reason, sizeof s->reason, "%s", reason);
    if (s->free_on_break)
        monitor_free(take(s->m));
}

static const struct monitor_handler handler = { on_event, on_broken };

static void scene_open(struct scene *s)
{
    int fds[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    s->peer = fds[1];
    s->m = monitor_open(fds[0], "domain 'vm1'", &handler, s);
}

static void scene_close(struct scene *s)
{
    monitor_free(take(s->m));
    if (s->peer >= 0)
        close(s->peer);
    buffer_done(&s->events);
}

static void scene_end(struct scene *s)
{
    scene_close(s);
    *s = (struct scene) { .peer = -1 };
}

/* A few turns of the loop: on a busy machine a sleep of its own may end after the first of them. */
WAITS static void settle(void)
{
    error_scope(err);
    await_sleep(3, &err);
    for (int i = 0; i < 10; i++)
        await_sleep(0, &err);
}

/* The peer's side: says, and hears exactly this since it last listened. */
static void says_bytes(struct scene *s, const char *text, size_t length)
{
    cr_assert_eq(write(s->peer, text, length), (ssize_t) length);
}

static void says(struct scene *s, const char *text)
{
    says_bytes(s, text, strlen(text));
}

WAITS static void hears(struct scene *s, const char *wanted)
{
    char heard[2048];
    settle();
    ssize_t got = read(s->peer, heard, sizeof heard - 1);
    heard[got > 0 ? got : 0] = 0;
    cr_assert_str_eq(heard, wanted);
}

WAITS static void negotiates(struct scene *s)
{
    error_scope(err);
    scene_open(s);
    hears(s, NEGOTIATION);
    says(s, GREETING "{\"return\": {}, \"id\": 1}\r\n");
    cr_assert_eq(monitor_handshake(s->m, 0, &err), 0, "%s", error_text(&err));
}

static void run_scene(void (*fn)(void *arg))
{
    struct scene s = { .peer = -1 };
    loop_init();
    fiber_start(fn, &s);
    loop_run();
    scene_close(&s);
    cr_assert_eq(fiber_count(), 0, "a fiber is left waiting");
    loop_done();
}

#define SCENE(name) \
    static void play_##name(struct scene *s); \
    static void start_##name(void *s) { play_##name(s); scene_end(s); } \
    Test(monitor, name) { run_scene(start_##name); cr_assert(true); } \
    static void play_##name(struct scene *s)

SCENE(answers_that_an_earlier_daemon_waited_for_are_dropped)
{
    int fds[2];
    unsigned id = 0;
    char heard[256];
    error_scope(err);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    s->peer = fds[1];
    s->m = monitor_open_again(fds[0], "domain 'vm1'", &handler, s);
    settle();
    heard[read(s->peer, heard, sizeof heard - 1)] = 0;
    cr_assert_eq(sscanf(heard, "{\"execute\":\"qmp_capabilities\",\"id\":%u}", &id), 1, "%s", heard);
    cr_assert_gt(id, 1000);
    says(s, GREETING
         "{\"return\": {}, \"id\": 1}\r\n{\"id\": 4, \"error\": {\"class\": \"X\", \"desc\": \"y\"}}\r\n");
    settle();
    cr_assert_not(monitor_is_broken(s->m));
    owned_memory char *answer = memory_printf("{\"return\": {}, \"id\": %u}\r\n", id);
    says(s, answer);
    cr_assert_eq(monitor_handshake(s->m, 0, &err), 0, "%s", error_text(&err));
    says(s, answer);                            /* one of our own, twice, is nonsense as ever */
    settle();
    cr_assert(monitor_is_broken(s->m));
}

SCENE(negotiates_and_learns_the_version)
{
    error_scope(err);
    scene_open(s);
    cr_assert_null(monitor_version(s->m));
    hears(s, NEGOTIATION);
    says(s, GREETING);
    settle();
    cr_assert_not_null(monitor_version(s->m));
    says(s, "{\"return\": {}, \"id\": 1}\r\n");
    cr_assert_eq(monitor_handshake(s->m, 0, &err), 0, "%s", error_text(&err));
    cr_assert_eq(monitor_version(s->m)->major, 11);
    cr_assert_eq(monitor_version(s->m)->minor, 1);
    cr_assert_eq(monitor_version(s->m)->micro, 3);
    cr_assert_str_eq(monitor_version(s->m)->package, "Debian");
    cr_assert_eq(monitor_handshake(s->m, 0, &err), 0, "again, at once");
}

static void write_down(void *arg, enum json_event event, const char *text, size_t length)
{
    json_heard(arg, event, text, length);
}

SCENE(an_answer_is_told_while_it_comes_and_only_to_who_still_listens)
{
    error_scope(err);
    owned_buffer struct buffer text = { 0 };
    struct json_writer w = { .out = &text };
    const struct json_listener ear = { write_down, &w };
    owned_call struct monitor_call first = { 0 }, second = { 0 }, third = { 0 };
    negotiates(s);
    monitor_call_start_told(s->m, &first, "a", NULL, &ear);
    monitor_call_start_told(s->m, &second, "b", NULL, &ear);
    monitor_call_start(s->m, &third, "c", NULL);
    says(s, "{\"return\": [1, {\"x\"");
    settle();
    cr_assert_str_eq(buffer_text(&text), "[1,{\"x\":");
    says(s, ": []}], \"id\": 2}\r\n{\"timestamp\": {}, \"event\": \"STOP\"}\r\n{\"return\": [1, ");
    cr_assert_eq(monitor_call_wait(&first, &err), 0, "%s", error_text(&err));
    cr_assert_eq(first.reply.value->type, JSON_NULL);
    settle();
    cr_assert_str_eq(buffer_text(&text), "[1,{\"x\":[]}],[1");
    monitor_call_done(&second);
    says(s, "2], \"id\": 3}{\"return\": {\"y\": 1}, \"id\": 4}");
    cr_assert_eq(monitor_call_wait(&third, &err), 0, "%s", error_text(&err));
    cr_assert_not_null(json_get(third.reply.value, "y"), "who asked as usual gets a value");
    cr_assert_str_eq(buffer_text(&text), "[1,{\"x\":[]}],[1");
}

SCENE(what_was_told_to_the_wrong_one_is_nonsense)
{
    error_scope(err);
    owned_buffer struct buffer text = { 0 };
    struct json_writer w = { .out = &text };
    const struct json_listener ear = { write_down, &w };
    owned_call struct monitor_call first = { 0 }, second = { 0 };
    negotiates(s);
    monitor_call_start_told(s->m, &first, "a", NULL, &ear);
    monitor_call_start(s->m, &second, "b", NULL);
    says(s, "{\"return\": [], \"id\": 3}");
    cr_assert_eq(monitor_call_wait(&first, &err), -1);
    cr_assert_not_null(strstr(error_text(&err), "did not answer 'a' when it was its turn"), "%s",
                       error_text(&err));
    cr_assert(monitor_is_broken(s->m));
}

SCENE(enables_out_of_band_commands_where_it_is_to_read_ahead)
{
    int fds[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    s->peer = fds[1];
    s->m = monitor_open_ahead(fds[0], "domain 'vm1'", &handler, s);
    cr_assert(monitor_reads_ahead(s->m));
    hears(s, "{\"execute\":\"qmp_capabilities\",\"arguments\":{\"enable\":[\"oob\"]},\"id\":1}");
}

SCENE(sends_many_before_it_waits_and_matches_answers_by_id)
{
    error_scope(err);
    scene_open(s);
    owned_call struct monitor_call a = { 0 }, b = { 0 };
    monitor_call_start(s->m, &a, "query-status", NULL);
    monitor_call_start(s->m, &b, "qom-get", "{\"path\":\"/machine\",\"property\":\"type\"}");
    hears(s, NEGOTIATION "{\"execute\":\"query-status\",\"id\":2}"
          "{\"execute\":\"qom-get\",\"arguments\":{\"path\":\"/machine\",\"property\":\"type\"},\"id\":3}");
    says(s, GREETING "{\"return\": {}, \"id\": 1}\r\n{\"return\": \"second\", \"id\": 3}\r\n");
    cr_assert_eq(monitor_call_wait(&b, &err), 0);
    cr_assert_str_eq(json_text(b.reply.value), "second");
    cr_assert_null(a.reply.value);
    const char *reply = "{\"return\": {\"status\": \"running\", \"big\": 18446744073709551615}, \"id\": 2}";
    says(s, reply);
    cr_assert_eq(monitor_call_wait(&a, &err), 0);
    cr_assert_str_eq(json_get_text(a.reply.value, "status"), "running");
    cr_assert_str_eq(json_get(a.reply.value, "big")->text, "18446744073709551615");
    cr_assert_eq(a.reply.request_bytes, strlen("{\"execute\":\"query-status\",\"id\":2}"));
    cr_assert_geq(a.reply.reply_bytes, strlen(reply));
}

SCENE(hands_on_events_wherever_they_come)
{
    error_scope(err);
    negotiates(s);
    owned_call struct monitor_call stop = { 0 };
    monitor_call_start(s->m, &stop, "stop", NULL);
    hears(s, "{\"execute\":\"stop\",\"id\":2}");
    says(s, "{\"timestamp\": {\"seconds\": 1, \"microseconds\": 2}, \"event\": \"STOP\"}\r\n{\"return");
    settle();
    cr_assert_str_eq(buffer_text(&s->events), "STOP ");
    says(s, "\": {}, \"id\": 2}\r\n{\"event\": \"POWERDOWN\", \"data\": {}}");
    cr_assert_eq(monitor_call_wait(&stop, &err), 0);
    settle();
    cr_assert_str_eq(buffer_text(&s->events), "STOP POWERDOWN ");
    struct monitor_totals totals = monitor_totals(s->m);
    cr_assert_eq(totals.calls, 2);
    cr_assert_eq(totals.replies, 2);
    cr_assert_eq(totals.events, 2);
    cr_assert_eq(totals.request_bytes, strlen(NEGOTIATION "{\"execute\":\"stop\",\"id\":2}"));
}

SCENE(refusals_keep_their_class_and_name_domain_and_command)
{
    static const struct { const char *class; enum monitor_refusal refusal; } rows[] = {
        { "GenericError", MONITOR_GENERIC_ERROR }, { "CommandNotFound", MONITOR_COMMAND_NOT_FOUND },
        { "DeviceNotFound", MONITOR_DEVICE_NOT_FOUND }, { "SomethingNew", MONITOR_GENERIC_ERROR },
    };
    negotiates(s);
    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        error_scope(err);
        owned_call struct monitor_call call = { 0 };
        monitor_call_start(s->m, &call, "device_del", "{\"id\":\"zz\"}");
        owned_memory char *request = memory_printf(
            "{\"execute\":\"device_del\",\"arguments\":{\"id\":\"zz\"},\"id\":%u}", i + 2);
        hears(s, request);
        owned_memory char *reply = memory_printf(
            "{\"id\": %u, \"error\": {\"class\": \"%s\", \"desc\": \"Device 'zz' not found\"}}\r\n", i + 2,
            rows[i].class);
        says(s, reply);
        cr_assert_eq(monitor_call_wait(&call, &err), -1);
        cr_assert_eq(call.reply.refusal, rows[i].refusal);
        cr_assert_eq(err.code, ERR_VMM);
        cr_assert_str_eq(error_text(&err),
                         "domain 'vm1': unable to execute QEMU command 'device_del': Device 'zz' not found");
    }
    cr_assert_eq(monitor_totals(s->m).refusals, ARRAY_COUNT(rows));
    cr_assert_eq(s->breaks, 0);
}

/* The ways a VMM can go wrong: each ends the same way. */

static void ends(struct scene *s, enum monitor_end end, const char *reason)
{
    settle();
    cr_assert_eq(s->breaks, 1);
    cr_assert_eq(s->end, end);
    cr_assert_str_eq(s->reason, reason);
    cr_assert(monitor_is_broken(s->m));
    error_scope(err);
    cr_assert_eq(monitor_send(s->m, "cont", NULL, NULL, NULL, &err), -1);
    owned_memory char *text = memory_printf("domain 'vm1': cannot send 'cont': %s", reason);
    cr_assert_str_eq(error_text(&err), text);
}

WAITS static void fails(struct monitor_call *call, enum error_code code, const char *text)
{
    error_scope(err);
    cr_assert_eq(monitor_call_wait(call, &err), -1);
    cr_assert_str_eq(error_text(&err), text);
    cr_assert_eq(err.code, code);
    cr_assert_eq(call->reply.refusal, MONITOR_NOT_REFUSED);
    cr_assert_null(call->reply.value);
}

SCENE(silence_past_a_deadline_ends_it_and_names_the_command)
{
    negotiates(s);
    monitor_set_timeout(s->m, 60 * 1000);
    owned_call struct monitor_call cont = { 0 }, stop = { 0 };
    monitor_call_start(s->m, &cont, "cont", NULL);
    monitor_set_timeout(s->m, 20);
    monitor_call_start(s->m, &stop, "stop", NULL);
    fails(&stop, ERR_TIMEOUT, "domain 'vm1': the emulator did not answer 'stop' within 20 ms");
    fails(&cont, ERR_VMM,
          "domain 'vm1': no answer to 'cont': the emulator did not answer 'stop' within 20 ms");
    ends(s, MONITOR_SILENT, "the emulator did not answer 'stop' within 20 ms");
    char byte[100];
    while (read(s->peer, byte, sizeof byte) > 0)
        ;
    cr_assert_eq(read(s->peer, byte, 1), 0, "the socket is closed, so that another may connect");
}

SCENE(answers_in_time_keep_it_alive_beyond_the_first_deadline)
{
    negotiates(s);
    monitor_set_timeout(s->m, 1000);
    for (int i = 2; i < 12; i++) {
        error_scope(err);
        owned_call struct monitor_call call = { 0 };
        monitor_call_start(s->m, &call, "stop", NULL);
        await_sleep(150, &err);
        owned_memory char *reply = memory_printf("{\"return\": {}, \"id\": %d}", i);
        says(s, reply);
        cr_assert_eq(monitor_call_wait(&call, &err), 0, "%s", error_text(&err));
    }
    error_scope(err);
    await_sleep(1200, &err);
    cr_assert_eq(s->breaks, 0);
}

SCENE(an_answer_that_came_while_all_of_us_stood_still_is_read)
{
    error_scope(err);
    negotiates(s);
    monitor_set_timeout(s->m, 1000);
    owned_call struct monitor_call stop = { 0 };
    monitor_call_start(s->m, &stop, "stop", NULL);
    settle();
    says(s, "{\"return\": {}, \"id\": 2}");
    usleep(1200 * 1000);               /* blocks the loop beyond the deadline */
    cr_assert_eq(monitor_call_wait(&stop, &err), 0);
    cr_assert_eq(s->breaks, 0);
}

SCENE(no_greeting_fails_the_handshake_at_its_deadline)
{
    error_scope(err);
    scene_open(s);
    cr_assert_eq(monitor_handshake(s->m, loop_now() + 30, &err), -1);
    cr_assert_eq(err.code, ERR_TIMEOUT);
    cr_assert_not_null(strstr(error_text(&err), "domain 'vm1': the emulator did not greet us within "));
    cr_assert_eq(s->breaks, 1);
    cr_assert_eq(s->end, MONITOR_SILENT);
}

static const char *const wrong_greetings[] = {
    "{\"return\": {}, \"id\": 1}", "[]", "null", "\"QMP\"", "{}", "{\"QMP\": {}}", "{\"event\": \"STOP\"}",
    "{\"QMP\": {\"version\": {\"qemu\": {\"micro\": 3, \"minor\": -1, \"major\": 11}}}}",
};

SCENE(a_wrong_greeting_ends_it)
{
    for (size_t i = 0; i < ARRAY_COUNT(wrong_greetings); i++) {
        error_scope(err);
        scene_open(s);
        says(s, wrong_greetings[i]);
        says(s, " ");
        cr_assert_eq(monitor_handshake(s->m, 0, &err), -1);
        cr_assert_eq(err.code, ERR_VMM);
        cr_assert_str_eq(error_text(&err), "domain 'vm1': the emulator's first words are not QMP's greeting");
        ends(s, MONITOR_NONSENSE, "the emulator's first words are not QMP's greeting");
        scene_end(s);
    }
}

SCENE(an_end_after_the_negotiation_is_told_by_the_command_that_it_met)
{
    error_scope(err);
    scene_open(s);
    owned_call struct monitor_call stop = { 0 };
    monitor_call_start(s->m, &stop, "stop", NULL);
    settle();
    says(s, GREETING "{\"return\": {}, \"id\": 1}\r\n{\"return");
    close(s->peer);
    s->peer = -1;
    settle();
    cr_assert(monitor_is_broken(s->m));
    cr_assert_eq(monitor_handshake(s->m, 0, &err), 0);
    fails(&stop, ERR_VMM,
          "domain 'vm1': no answer to 'stop': the emulator closed its monitor in the middle of an answer");
}

SCENE(a_refused_negotiation_ends_it)
{
    error_scope(err);
    scene_open(s);
    says(s, GREETING "{\"id\": 1, \"error\": {\"class\": \"GenericError\", \"desc\": \"no\"}}");
    cr_assert_eq(monitor_handshake(s->m, 0, &err), -1);
    cr_assert_str_eq(error_text(&err), "domain 'vm1': the emulator refused the negotiation of QMP: no");
    ends(s, MONITOR_NONSENSE, "the emulator refused the negotiation of QMP: no");
}

SCENE(closing_fails_what_is_under_way)
{
    negotiates(s);
    owned_call struct monitor_call a = { 0 }, b = { 0 };
    monitor_call_start(s->m, &a, "stop", NULL);
    monitor_call_start(s->m, &b, "cont", NULL);
    settle();
    close(s->peer);
    s->peer = -1;
    fails(&a, ERR_VMM, "domain 'vm1': no answer to 'stop': the emulator closed its monitor");
    fails(&b, ERR_VMM, "domain 'vm1': no answer to 'cont': the emulator closed its monitor");
    ends(s, MONITOR_CLOSED, "the emulator closed its monitor");
}

SCENE(closing_in_the_middle_of_an_answer_is_told)
{
    negotiates(s);
    owned_call struct monitor_call stop = { 0 };
    monitor_call_start(s->m, &stop, "stop", NULL);
    hears(s, "{\"execute\":\"stop\",\"id\":2}");
    says(s, "{\"return\": {}, \"i");
    close(s->peer);
    s->peer = -1;
    fails(&stop, ERR_VMM,
          "domain 'vm1': no answer to 'stop': the emulator closed its monitor in the middle of an answer");
    ends(s, MONITOR_CLOSED, "the emulator closed its monitor in the middle of an answer");
}

static const struct { const char *says, *reason; } lies[] = {
    { "{\"return\": {}, \"id\": 7}", "the emulator answered a command that nobody sent (id 7)" },
    { "{\"return\": {}, \"id\": 1}", "the emulator answered a command that nobody sent (id 1)" },
    { "{\"return\": {}, \"id\": \"2\"}", "the emulator's answer says not to what (it has no id of ours)" },
    { "{\"error\": {\"class\": \"GenericError\", \"desc\": \"JSON parse error\"}}",
      "the emulator's answer says not to what (it has no id of ours)" },
    { "{}", "the emulator's answer says not to what (it has no id of ours)" },
    { "[] ", "the emulator's answer says not to what (it has no id of ours)" },
    { "17 ", "the emulator's answer says not to what (it has no id of ours)" },
    { "{\"id\": 2}", "the emulator's answer to 'stop' is neither a value nor an error" },
    { "{\"id\": 2, \"return\": 1, \"error\": {\"class\": \"a\", \"desc\": \"b\"}}",
      "the emulator's answer to 'stop' is neither a value nor an error" },
    { "{\"id\": 2, \"error\": {\"class\": \"a\"}}",
      "the emulator's answer to 'stop' is neither a value nor an error" },
    { "{\"id\": 2, \"error\": \"no\"}", "the emulator's answer to 'stop' is neither a value nor an error" },
};

SCENE(lies_end_it)
{
    for (size_t i = 0; i < ARRAY_COUNT(lies); i++) {
        negotiates(s);
        owned_call struct monitor_call stop = { 0 };
        monitor_call_start(s->m, &stop, "stop", NULL);
        settle();
        says(s, lies[i].says);
        owned_memory char *text = memory_printf("domain 'vm1': no answer to 'stop': %s", lies[i].reason);
        fails(&stop, ERR_VMM, text);
        ends(s, MONITOR_NONSENSE, lies[i].reason);
        scene_end(s);
    }
}

WAITS static void ends_in_nonsense(struct scene *s, const char *text, size_t length)
{
    error_scope(err);
    negotiates(s);
    owned_call struct monitor_call stop = { 0 };
    monitor_call_start(s->m, &stop, "stop", NULL);
    settle();
    says_bytes(s, text, length);
    cr_assert_eq(monitor_call_wait(&stop, &err), -1);
    const char *begin = "domain 'vm1': no answer to 'stop': the emulator's monitor said what is not QMP: ";
    cr_assert_eq(strncmp(error_text(&err), begin, strlen(begin)), 0, "%s", error_text(&err));
    cr_assert_eq(s->breaks, 1);
    cr_assert_eq(s->end, MONITOR_NONSENSE);
    scene_end(s);
}

SCENE(what_is_no_json_ends_it)
{
    char deep[3000];
    memset(deep, '[', sizeof deep);
    ends_in_nonsense(s, "HTTP/1.1 400 Bad Request\r\n", 26);
    ends_in_nonsense(s, "{\"return\": \"\xff\xfe\"}", 15);
    ends_in_nonsense(s, "{\"return\"; {}}", 14);
    ends_in_nonsense(s, "\0\0\0\0", 4);
    ends_in_nonsense(s, deep, sizeof deep);
}

/* Writes blobs until the monitor hangs up. */
SCENE(an_answer_without_end_is_cut_off_at_its_bound)
{
    error_scope(err);
    size_t size = 1024 * 1024, sent = 0;
    owned_memory char *blob = memory_new(size);
    memset(blob, 'x', size);
    negotiates(s);
    owned_call struct monitor_call stop = { 0 };
    monitor_call_start(s->m, &stop, "stop", NULL);
    settle();
    says(s, "{\"return\": \"");
    while (!monitor_is_broken(s->m)) {
        ssize_t wrote = send(s->peer, blob, size, MSG_NOSIGNAL);
        if (wrote > 0)
            sent += (size_t) wrote;
        await_sleep(0, &err);
        cr_assert_leq(sent, MONITOR_VALUE_MAX + 8 * size);
    }
    cr_assert_geq(sent, MONITOR_VALUE_MAX - 8 * size);
    cr_assert_eq(s->end, MONITOR_NONSENSE);
    cr_assert_eq(monitor_call_wait(&stop, &err), -1);
}

SCENE(a_flood_of_events_leaves_room_for_the_answer)
{
    error_scope(err);
    negotiates(s);
    owned_call struct monitor_call stop = { 0 };
    monitor_call_start(s->m, &stop, "stop", NULL);
    hears(s, "{\"execute\":\"stop\",\"id\":2}");
    int told = 0;
    for (int i = 0; i < 20000; i++) {
        const char *text = "{\"event\": \"RTC_CHANGE\", \"data\": {\"offset\": 1}}\r\n";
        while (send(s->peer, text, strlen(text), MSG_NOSIGNAL) < 0)
            await_sleep(0, &err);
        told++;
    }
    while (send(s->peer, "{\"return\": {}, \"id\": 2}", 23, MSG_NOSIGNAL) < 0)
        await_sleep(0, &err);
    cr_assert_eq(monitor_call_wait(&stop, &err), 0, "%s", error_text(&err));
    cr_assert_eq(monitor_totals(s->m).events, (uint64_t) told);
}

SCENE(a_peer_that_does_not_read_meets_a_bound)
{
    error_scope(err);
    owned_memory char *long_text = memory_new(1000 * 1000 + 3);
    memset(long_text, ' ', 1000 * 1000 + 2);
    long_text[0] = '{', long_text[1000 * 1000 + 1] = '}';
    negotiates(s);
    monitor_set_timeout(s->m, 60);
    int accepted = 0;
    while (accepted < 100 && monitor_send(s->m, "x", long_text, NULL, NULL, &err) == 0)
        accepted++;
    cr_assert_leq(accepted, MONITOR_OUTPUT_MAX / 1000000);
    cr_assert_str_eq(error_text(&err),
                     "domain 'vm1': cannot send 'x': the emulator does not read its monitor");
    for (int i = 0; i < 2000 && !s->breaks; i++)
        await_sleep(5, &err);
    cr_assert_eq(s->breaks, 1);
    cr_assert_eq(s->end, MONITOR_SILENT);
    cr_assert_str_eq(s->reason, "the emulator did not answer 'x' within 60 ms");
}

SCENE(commands_under_way_are_bounded)
{
    error_scope(err);
    negotiates(s);
    for (int i = 0; i < MONITOR_UNDER_WAY_MAX; i++)
        cr_assert_eq(monitor_send(s->m, "x", NULL, NULL, NULL, &err), 0);
    owned_call struct monitor_call call = { 0 };
    monitor_call_start(s->m, &call, "stop", NULL);
    fails(&call, ERR_VMM, "domain 'vm1': cannot send 'stop': 256 commands wait for an answer");
    cr_assert_eq(s->breaks, 0);
}

/* Owners that leave */

SCENE(an_event_handler_may_free_it)
{
    negotiates(s);
    owned_call struct monitor_call stop = { 0 };
    monitor_call_start(s->m, &stop, "stop", NULL);
    s->free_on_event = true;
    says(s, "{\"event\": \"STOP\"}{\"event\": \"STOP\"}{\"return\": {}, \"id\": 2}");
    fails(&stop, ERR_ABORTED, "domain 'vm1': no answer to 'stop': its monitor was closed");
    cr_assert_str_eq(buffer_text(&s->events), "STOP ");
    cr_assert_null(s->m);
}

SCENE(the_handler_of_its_end_may_free_it)
{
    error_scope(err);
    s->free_on_break = true;
    negotiates(s);
    owned_call struct monitor_call stop = { 0 };
    monitor_call_start(s->m, &stop, "stop", NULL);
    says(s, "}");
    cr_assert_eq(monitor_call_wait(&stop, &err), -1);
    settle();
    cr_assert_null(s->m);
    cr_assert_eq(s->breaks, 1);
}

SCENE(an_answer_that_nobody_wants_any_more_is_dropped)
{
    error_scope(err);
    negotiates(s);
    struct monitor_call stop = { 0 };
    monitor_call_start(s->m, &stop, "stop", NULL);
    monitor_call_done(&stop);
    owned_call struct monitor_call cont = { 0 };
    monitor_call_start(s->m, &cont, "cont", NULL);
    says(s, "{\"return\": {}, \"id\": 2}{\"return\": {}, \"id\": 3}");
    cr_assert_eq(monitor_call_wait(&cont, &err), 0);
    cr_assert_eq(s->breaks, 0);
}

static void waits_for_ever(void *arg)
{
    struct scene *s = arg;
    error_scope(err);
    cr_assert_eq(monitor_call(s->m, "stop", NULL, NULL, &err), -1);
    cr_assert_eq(err.code, ERR_ABORTED);
    cr_assert_str_eq(error_text(&err), "domain 'vm1' is being destroyed");
}

SCENE(a_cancelled_wait_leaves_the_monitor_alive)
{
    error_scope(err);
    negotiates(s);
    struct fiber *other = fiber_start(waits_for_ever, s);
    settle();
    fiber_cancel(other, "domain 'vm1' is being destroyed");
    hears(s, "{\"execute\":\"stop\",\"id\":2}");
    says(s, "{\"return\": {}, \"id\": 2}");
    settle();
    cr_assert_eq(s->breaks, 0);
    owned_call struct monitor_call cont = { 0 };
    monitor_call_start(s->m, &cont, "cont", NULL);
    says(s, "{\"return\": [1], \"id\": 3}");
    cr_assert_eq(monitor_call_wait(&cont, &err), 0);
}

/* Callbacks */

static int done_count;

static void on_done(void *arg, struct monitor_reply *reply, struct error *failure)
{
    done_count++;
    if (arg) {
        *(struct monitor_reply *) arg = *reply;
        *reply = (struct monitor_reply) { 0 };
    } else {
        cr_assert_not_null(failure);
    }
}

SCENE(callbacks_get_the_reply_or_the_reason)
{
    error_scope(err);
    negotiates(s);
    struct monitor_reply kept = { 0 };
    cr_assert_eq(monitor_send(s->m, "query-name", NULL, on_done, &kept, &err), 0);
    cr_assert_eq(monitor_send(s->m, "query-uuid", NULL, on_done, NULL, &err), 0);
    says(s, "{\"return\": {\"name\": \"x\"}, \"id\": 2}");
    settle();
    cr_assert_eq(done_count, 1);
    cr_assert_str_eq(json_get_text(kept.value, "name"), "x");
    monitor_reply_done(&kept);
    monitor_free(take(s->m));
    cr_assert_eq(done_count, 2);
}

/* Raw commands */

struct raw { struct scene *scene; const char *text; struct buffer out; int rc; char error[200]; bool ended; };

static void sends_raw(void *arg)
{
    struct raw *raw = arg;
    error_scope(err);
    raw->rc = monitor_raw(raw->scene->m, raw->text, &raw->out, &err);
    snprintf(raw->error, sizeof raw->error, "%s", error_text(&err));
    raw->ended = true;
}

WAITS static void raw_begins(struct raw *raw, struct scene *s, const char *text, const char *heard)
{
    buffer_done(&raw->out);
    *raw = (struct raw) { .scene = s, .text = text };
    fiber_start(sends_raw, raw);
    hears(s, heard);
}

WAITS static void raw_ends(struct raw *raw, struct scene *s, const char *reply, const char *out)
{
    says(s, reply);
    settle();
    cr_assert(raw->ended);
    cr_assert_eq(raw->rc, 0, "%s", raw->error);
    cr_assert_str_eq(buffer_text(&raw->out), out);
}

SCENE(raw_commands_get_their_own_id_back_and_errors_are_answers)
{
    struct raw raw = { 0 };
    negotiates(s);
    raw_begins(&raw, s, " { \"execute\" : \"query-name\", \"id\": {\"mine\": [1, null]} }",
               "{\"execute\":\"query-name\",\"id\":2}");
    raw_ends(&raw, s, "{\"return\": {}, \"id\": 2}\r\n", "{\"return\": {}, \"id\": {\"mine\": [1, null]}}");
    raw_begins(&raw, s, "{\"id\":\"a\",\"execute\":\"x\",\"arguments\":{\"a\":[]}}",
               "{\"execute\":\"x\",\"arguments\":{\"a\":[]},\"id\":3}");
    raw_ends(&raw, s,
             "{\"id\": 3, \"error\": {\"class\": \"CommandNotFound\", \"desc\": \"x is not here\"}}\r\n",
             "{\"id\": \"a\", \"error\": {\"class\": \"CommandNotFound\", \"desc\": \"x is not here\"}}");
    raw_begins(&raw, s, "{\"execute\":\"y\"}", "{\"execute\":\"y\",\"id\":4}");
    raw_ends(&raw, s, "{\"return\": 18446744073709551616, \"id\": 4}", "{\"return\": 18446744073709551616}");
    raw_begins(&raw, s, "query-status", "");
    cr_assert_eq(raw.rc, -1);
    raw_begins(&raw, s, "[1]", "");
    cr_assert_eq(raw.rc, -1);
    cr_assert_not_null(strstr(raw.error, "a member 'execute'"));
    raw_begins(&raw, s, "{\"execute\":\"z\"}", "{\"execute\":\"z\",\"id\":5}");
    close(s->peer);
    s->peer = -1;
    settle();
    cr_assert_eq(raw.rc, -1);
    cr_assert_str_eq(raw.error, "domain 'vm1': no answer to 'z': the emulator closed its monitor");
    buffer_done(&raw.out);
}

SCENE(thousands_of_commands_reuse_ids_without_a_clash)
{
    negotiates(s);
    for (int i = 0; i < 2500; i++) {
        error_scope(err);
        char heard[100];
        owned_call struct monitor_call call = { 0 };
        monitor_call_start(s->m, &call, "a", NULL);
        await_sleep(0, &err);
        ssize_t got = read(s->peer, heard, sizeof heard - 1);
        heard[got > 0 ? got : 0] = 0;
        int id = 0;
        cr_assert_eq(sscanf(heard, "{\"execute\":\"a\",\"id\":%d}", &id), 1);
        cr_assert_lt(id, 1000);
        owned_memory char *reply = memory_printf("{\"return\": {}, \"id\": %d}", id);
        says(s, reply);
        cr_assert_eq(monitor_call_wait(&call, &err), 0, "%s", error_text(&err));
    }
}

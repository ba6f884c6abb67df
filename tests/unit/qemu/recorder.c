/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/recorder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/files.h"
#include "base/memory.h"
#include "loop/loop.h"

static char path[] = "/tmp/recorder-XXXXXX";

static struct recorder *begin(bool append)
{
    error_scope(err);
    if (!append) {
        loop_init();
        close(mkstemp(path));
    }
    struct recorder *r = recorder_new(path, "vm", append, &err);
    cr_assert_not_null(r, "%s", error_text(&err));
    return r;
}

static void sends(struct recorder *r, const char *text)
{
    recorder_sent(r, text, strlen(text));
}

static void hears(struct recorder *r, const char *text)
{
    recorder_heard(r, text, strlen(text));
}

/* Ends the recording; what it holds. */
static char *text_of(struct recorder *r)
{
    struct buffer text = { 0 };
    error_scope(err);
    recorder_free(r);
    cr_assert_eq(file_read(path, 2 * RECORDER_MAX, &text, &err), 0, "%s", error_text(&err));
    unlink(path);
    loop_done();
    return buffer_take(&text);
}

Test(recorder, writes_both_sides_line_by_line)
{
    struct recorder *r = begin(false);
    hears(r, "{\"QMP\": {");
    hears(r, "}}\r\n{\"event\"");
    sends(r, "{\"execute\":\"stop\",\"id\":1}");
    hears(r, ": \"STOP\"}\r\n");
    owned_memory char *text = text_of(r);
    cr_assert_str_eq(text, "{\"recording\":1,\"domain\":\"vm\"}\n"
                           "{\"at\":0,\"from\":{\"QMP\":{}}}\n"
                           "{\"at\":0,\"to\":{\"execute\":\"stop\",\"id\":1}}\n"
                           "{\"at\":0,\"from\":{\"event\":\"STOP\"}}\n");
}

Test(recorder, hides_secrets_on_both_sides)
{
    struct recorder *r = begin(false);
    sends(r, "{\"execute\":\"object-add\",\"arguments\":{\"qom-type\":\"secret\",\"data\":\"hush\"}}");
    sends(r, "{\"execute\":\"set_password\",\"arguments\":{\"password\":\"hush\"}}");
    sends(r, "{\"execute\":\"human-monitor-command\",\"arguments\":"
             "{\"command-line\":\"set_password vnc hush\"}}");
    sends(r, "{\"execute\":\"qom-set\",\"arguments\":"
             "{\"path\":\"/x\",\"property\":\"password\",\"value\":\"hush\"}}");
    sends(r, "{\"execute\":\"qom-get\",\"arguments\":{\"path\":\"/x\",\"property\":\"data\"},\"id\":7}");
    hears(r, "{\"return\": \"open\", \"id\": 6}{\"return\": \"hush\", \"id\": 7}"
             "{\"return\": \"open\", \"id\": 7}");
    hears(r, "{\"return\": [{\"properties\": [{\"name\": \"data\", \"value\": \"hush\"}]}]}");
    owned_memory char *text = text_of(r);
    cr_assert_null(strstr(text, "hush"), "%s", text);
    cr_assert_not_null(strstr(text, "{\"return\":\"(secret)\",\"id\":7}"), "%s", text);
    cr_assert_not_null(strstr(text, "{\"return\":\"open\",\"id\":7}"), "%s", text);
}

Test(recorder, ends_at_its_largest_size_and_says_so)
{
    struct recorder *r = begin(false);
    owned_memory char *filler = memory_new((1 << 20) + 1);
    memset(filler, 'x', 1 << 20);
    owned_memory char *line = memory_printf("{\"return\":\"%s\"}", filler);
    for (int i = 0; i < 20; i++)
        hears(r, line);
    recorder_free(r);
    r = begin(true);                    /* a second connection goes on where it is */
    owned_memory char *text = text_of(r);
    size_t length = strlen(text);
    cr_assert_leq(length, RECORDER_MAX + 200);
    cr_assert_geq(length, RECORDER_MAX - (2 << 20));
    cr_assert_not_null(strstr(text, "{\"end\":\"the recording has reached its largest size\"}\n"));
}

Test(recorder, nonsense_ends_it)
{
    struct recorder *r = begin(false);
    hears(r, "{\"a\":1} this is not JSON");
    sends(r, "{\"execute\":\"stop\"}");
    owned_memory char *text = text_of(r);
    cr_assert_null(strstr(text, "stop"), "%s", text);
}

Test(recorder, a_place_that_cannot_be_written_is_named)
{
    error_scope(err);
    loop_init();
    cr_assert_null(recorder_new("/nowhere/at/all.qmp", "vm", false, &err));
    cr_assert_not_null(strstr(error_text(&err), "cannot record to '/nowhere/at/all.qmp'"), "%s",
                       error_text(&err));
    loop_done();
}

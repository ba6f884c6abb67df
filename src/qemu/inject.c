/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/inject.h"

#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "domain/domain.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "qemu/argv.h"
#include "qemu/emulator.h"
#include "qemu/vmm.h"

enum { ANSWER_MS = 5000, ANSWER_MAX = 256 << 10, LINE_MAX_BYTES = 4096 };

static char *place(const char *monitor_path)
{
    return memory_printf("%s.ctl", monitor_path);
}

void inject_add_variable(const struct vmm *vmm, struct argv *ret_environment)
{
    if (!emulator_is_sim(vmm->caps->emulator))
        return;
    owned_memory char *path = place(vmm->socket);
    owned_memory char *variable = memory_printf("SIMVMM_CONTROL=%s", path);
    argv_add(ret_environment, variable);
}

void inject_remove(const char *monitor_path)
{
    owned_memory char *path = place(monitor_path);
    unlink(path);
}

/* --- the answer --- */

struct answer { struct wait wait; struct buffer text; };

/* Its last line is "ok" or "error: TEXT"; its start, or NULL as long as it is not there. */
static char *last_line(const struct buffer *text)
{
    if (!text->length || text->data[text->length - 1] != '\n')
        return NULL;
    char *at = text->data + text->length - 1;
    while (at > text->data && at[-1] != '\n')
        at--;
    return text_starts(at, "ok\n") || text_starts(at, "error: ") ? at : NULL;
}

static void on_input(void *arg, const char *bytes, size_t length)
{
    struct answer *answer = arg;
    if (answer->text.length + length > ANSWER_MAX)
        wait_done(&answer->wait, -1);
    else
        buffer_add(&answer->text, bytes, length);
    if (last_line(&answer->text))
        wait_done(&answer->wait, 0);
}

static void on_closed(void *arg, const char *reason)
{
    (void) reason;
    struct answer *answer = arg;
    wait_done(&answer->wait, -1);
}

static WAITS int ask(int fd, const char *line, struct buffer *ret_text, struct error *err)
{
    static const struct stream_handler handler = { .input = on_input, .closed = on_closed };
    struct answer answer = { 0 };
    owned(stream) struct stream *stream = stream_new(fd, &handler, &answer);
    stream_write(stream, line, strlen(line));
    stream_write(stream, "\n", 1);
    int rc = wait_until(&answer.wait, loop_now() + ANSWER_MS, err);
    *ret_text = answer.text;
    return rc;
}

/* --- asking --- */

static int check(const struct domain *dom, const char *line, struct error *err)
{
    if (domain_check_active(dom, err) < 0)
        return -1;
    if (!dom->vmm)
        return fail(err, ERR_OPERATION_INVALID, "domain '%s' is still starting", dom->name);
    if (!emulator_is_sim(dom->vmm->caps->emulator))
        return fail(err, ERR_UNSUPPORTED,
                    "domain '%s' runs on %s: only guests of the simulator, simvmm, take faults",
                    dom->name, dom->vmm->caps->emulator);
    if (strlen(line) > LINE_MAX_BYTES || strpbrk(line, "\r\n"))
        return fail(err, ERR_INVALID_ARG, "one line of at most %d bytes can be sent", LINE_MAX_BYTES);
    return 0;
}

WAITS int domain_inject(struct domain *dom, const char *line, char **ret_text, struct error *err)
{
    if (check(dom, line, err) < 0)
        return -1;
    owned_memory char *path = place(dom->vmm->socket);
    int fd = unix_connect(path, err);
    if (fd < 0)
        return fail_in(err, "domain '%s': its simulator does not listen", dom->name);
    owned_buffer struct buffer text = { 0 };
    if (ask(fd, line, &text, err) < 0)
        return fail_in(err, "domain '%s'", dom->name);
    char *last = last_line(&text);
    if (!last) {                        /* that was what it was told to do */
        *ret_text = memory_copy_text("the emulator ended\n");
        return 0;
    }
    if (text_starts(last, "error: ")) {
        last[strlen(last) - 1] = '\0';
        return fail(err, ERR_INVALID_ARG, "domain '%s': %s", dom->name, last + strlen("error: "));
    }
    *last = '\0';
    *ret_text = memory_copy_text(text.data);
    return 0;
}

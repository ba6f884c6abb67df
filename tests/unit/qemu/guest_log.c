/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/guest_log.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

struct scene { char folder[32], path[64], old[64]; struct guest_log *log; };

static void scene_make(struct scene *s)
{
    error_scope(err);
    strcpy(s->folder, "/tmp/log-XXXXXX");
    cr_assert_not_null(mkdtemp(s->folder));
    snprintf(s->path, sizeof s->path, "%s/vm.log", s->folder);
    snprintf(s->old, sizeof s->old, "%s/vm.log.old", s->folder);
    s->log = guest_log_open(s->path, &err);
    cr_assert_not_null(s->log, "%s", error_text(&err));
}

static void scene_clear(struct scene *s)
{
    guest_log_free(s->log);
    unlink(s->path);
    unlink(s->old);
    cr_assert_eq(rmdir(s->folder), 0);
}

/* As the VMM does: through a descriptor of its own that appends. */
static void vmm_writes(struct scene *s, const char *text)
{
    cr_assert_eq(write(s->log->fd, text, strlen(text)), (ssize_t) strlen(text));
}

static off_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_size : -1;
}

Test(guest_log, tells_the_last_lines_of_this_run)
{
    struct scene s;
    scene_make(&s);
    vmm_writes(&s, "an earlier run\n");
    guest_log_note(s.log, "starting");
    vmm_writes(&s,
               "char device redirected to /dev/pts/0 (label charserial0)\nqemu: first\nqemu: \033[2Jsecond\n"
               "qemu: terminating on signal 15 from pid 1 (x)\n");
    owned_memory char *tail = guest_log_tail(s.log);
    cr_assert_str_eq(tail, "qemu: first; qemu: \\x1b[2Jsecond");
    scene_clear(&s);
}

Test(guest_log, tells_at_most_so_much)
{
    struct scene s;
    scene_make(&s);
    for (int i = 0; i < 1000; i++)
        vmm_writes(&s, "a line of text\n");
    owned_memory char *tail = guest_log_tail(s.log);
    cr_assert_leq(strlen(tail), GUEST_LOG_TAIL);
    cr_assert_not_null(strstr(tail, "a line of text"));
    scene_clear(&s);
}

Test(guest_log, is_cut_while_its_writer_goes_on)
{
    struct scene s;
    scene_make(&s);
    owned_memory char *block = memory_new((1 << 20) + 1);
    memset(block, 'x', 1 << 20);
    vmm_writes(&s, block);
    cr_assert(!guest_log_is_large(s.log));
    vmm_writes(&s, block);
    vmm_writes(&s, "the end\n");
    cr_assert(guest_log_is_large(s.log));
    guest_log_cut(s.log);
    vmm_writes(&s, "and on\n");
    cr_assert_eq(size_of(s.path), 7);
    cr_assert_eq(size_of(s.old), GUEST_LOG_MAX);
    owned_memory char *tail = guest_log_tail(s.log);
    cr_assert_str_eq(tail, "and on");
    scene_clear(&s);
}

Test(guest_log, keeps_control_bytes_out_of_its_own_lines)
{
    struct scene s;
    scene_make(&s);
    guest_log_note(s.log, "a name\nwith 2030-01-01 a forged line");
    char text[200] = "";
    cr_assert_gt(pread(s.log->fd, text, sizeof text - 1, 0), 0);
    cr_assert_not_null(strstr(text, "a name\\x0awith"));
    cr_assert_eq(strchr(text, '\n')[1], 0, "one line");
    scene_clear(&s);
}

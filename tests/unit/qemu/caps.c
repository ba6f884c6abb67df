/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/caps.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "json/json.h"
#include "loop/loop.h"
#include "qemu/caps_probe.h"

/* What a small QEMU of this version answers, in the order of the questions. */
#define ANSWERS(version) { \
    [ASK_VERSION] = "{\"qemu\":" version ",\"package\":\"Debian\"}", \
    [ASK_TARGET] = "{\"arch\":\"x86_64\"}", \
    [ASK_KVM] = "{\"enabled\":false,\"present\":true}", \
    [ASK_COMMANDS] = "[{\"name\":\"blockdev-add\"},{\"name\":\"qom-list-get\"}," \
                     "{\"name\":\"set-action\"}]", \
    [ASK_TYPES] = "[{\"name\":\"virtio-blk-pci\",\"parent\":\"x\"}," \
                  "{\"name\":\"monitor-qmp\"},{\"name\":\"VGA\"}]", \
    [ASK_MACHINES] = "[{\"name\":\"none\",\"cpu-max\":1}," \
                     "{\"name\":\"pc-1\",\"alias\":\"pc\",\"is-default\":true,\"cpu-max\":255," \
                     "\"default-ram-id\":\"pc.ram\",\"default-cpu-type\":\"qemu64-x86_64-cpu\"}]", \
    [ASK_CPUS] = "[{\"name\":\"qemu64\",\"unavailable-features\":[]}," \
                 "{\"name\":\"EPYC\",\"unavailable-features\":[\"sha-ni\"]}]", \
    [ASK_SANDBOX] = "[{\"option\":\"sandbox\",\"parameters\":[]}]", \
}
static const char *const new_answers[ASK_COUNT] = ANSWERS("{\"major\":11,\"minor\":1,\"micro\":3}");
static const char *const old_answers[ASK_COUNT] = ANSWERS("{\"major\":4,\"minor\":1,\"micro\":0}");

static struct caps *read_answers(const char *const answers[ASK_COUNT], struct error *err)
{
    owned(arena) struct arena *arena = arena_new();
    const struct json *replies[ASK_COUNT];
    for (size_t i = 0; i < ASK_COUNT; i++)
        replies[i] = answers[i] ? json_parse(answers[i], strlen(answers[i]), arena, err) : NULL;
    return caps_from_replies("/bin/vmm", "key", replies, err);
}

static void check_new(const struct caps *caps)
{
    cr_assert_not_null(caps);
    cr_assert_eq(caps->version, 11001003);
    cr_assert_str_eq(caps->arch, "x86_64");
    cr_assert(caps->kvm_present && !caps->kvm_usable);
    cr_assert(caps_has_type(caps, "VGA") && !caps_has_type(caps, "qxl-vga"));
    cr_assert_str_eq(caps_machine_find(caps, "pc")->name, "pc-1");
    cr_assert_str_eq(caps_default_machine(caps)->default_ram, "pc.ram");
    cr_assert_eq(caps_machine_find(caps, "pc-1")->cpus_max, 255);
    cr_assert_null(caps_machine_find(caps, "q35"));
    cr_assert(caps->cpus[0].usable && !caps->cpus[1].usable);
    cr_assert(caps_has(caps, CAPS_SANDBOX) && caps_has(caps, CAPS_MONITOR_OBJECT));
    cr_assert(caps_has(caps, CAPS_BLOCKDEV));
    cr_assert(caps_has(caps, CAPS_RAW_WITHOUT_FORMAT) && caps_has(caps, CAPS_QOM_LIST_GET));
    cr_assert(!caps_has(caps, CAPS_QOM_LIST_GETV) && !caps_has(caps, CAPS_QOM_TREE_GET));
}

Test(caps, are_read_from_an_emulators_answers)
{
    error_scope(err);
    owned(caps) struct caps *caps = read_answers(new_answers, &err);
    check_new(caps);
}

Test(caps, survive_the_cache_file)
{
    error_scope(err);
    owned(caps) struct caps *caps = read_answers(new_answers, &err);
    owned_buffer struct buffer text = { 0 };
    caps_format(caps, &text);
    owned(caps) struct caps *again = caps_from_text(text.data, text.length, &err);
    check_new(again);
    cr_assert_str_eq(again->key, "key");
    cr_assert_str_eq(again->emulator, "/bin/vmm");
    cr_assert_eq(again->features, caps->features);
}

Test(caps, of_an_old_version_lack_what_came_later)
{
    error_scope(err);
    owned(caps) struct caps *caps = read_answers(old_answers, &err);
    cr_assert_not_null(caps);
    cr_assert(!caps_has(caps, CAPS_BLOCKDEV) && !caps_has(caps, CAPS_JSON_DEVICE));
}

Test(caps, need_version_target_machines_and_types)
{
    static const enum caps_question needed[] = { ASK_VERSION, ASK_TARGET, ASK_MACHINES, ASK_TYPES };
    for (size_t i = 0; i < ARRAY_COUNT(needed); i++) {
        error_scope(err);
        const char *answers[ASK_COUNT];
        memcpy(answers, new_answers, sizeof answers);
        answers[needed[i]] = "{}";
        cr_assert_null(read_answers(answers, &err));
        cr_assert_eq(err.code, ERR_VMM);
    }
}

Test(caps, in_a_damaged_cache_file_are_none)
{
    static const char *const texts[] = {
        "", "{}", "{\"format\":1}", "{\"format\":999,\"key\":\"k\"}", "[1", "\"x\""
    };
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        error_scope(err);
        cr_assert_null(caps_from_text(texts[i], strlen(texts[i]), &err));
        cr_assert_neq(err.code, ERR_NONE);
    }
}

/* --- against programs that say they are emulators --- */

struct stage { char folder[64], program[96], count[96], cache[96]; };

static void stage_make(struct stage *stage, const char *script)
{
    error_scope(err);
    strcpy(stage->folder, "/tmp/caps-XXXXXX");
    cr_assert_not_null(mkdtemp(stage->folder));
    snprintf(stage->program, sizeof stage->program, "%s/vmm", stage->folder);
    snprintf(stage->count, sizeof stage->count, "%s/count", stage->folder);
    snprintf(stage->cache, sizeof stage->cache, "%s/cache", stage->folder);
    owned_memory char *text = memory_printf("#!/bin/sh\necho >>%s\n%s\n", stage->count, script);
    cr_assert_eq(file_replace(stage->program, text, strlen(text), 0755, &err), 0);
    const struct caps_settings settings = { .folder = stage->cache };
    caps_init(&settings);
    loop_init();
}

static void stage_clear(struct stage *stage)
{
    caps_done();
    cr_assert_eq(fiber_count(), 0);
    loop_done();
    owned_memory char *command = memory_printf("rm -r %s", stage->folder);
    cr_assert_eq(system(command), 0);
}

static size_t runs(const struct stage *stage)
{
    struct stat st;
    return stat(stage->count, &st) == 0 ? (size_t) st.st_size : 0;
}

/* Says everything at once, as if it had heard the questions: their ids are known. */
static char *answering_script(void)
{
    owned_buffer struct buffer script = { 0 };
    buffer_add_text(&script, "cat >&3 <<'END'\n{\"QMP\":{\"version\":{\"qemu\":"
                             "{\"micro\":3,\"minor\":1,\"major\":11},\"package\":\"\"},"
                             "\"capabilities\":[]}}\n{\"return\":{},\"id\":1}\n");
    for (size_t i = 0; i < ASK_COUNT; i++)
        buffer_printf(&script, "{\"return\":%s,\"id\":%zu}\n", new_answers[i], i + 2);
    buffer_add_text(&script, "END\nexec cat <&3 >/dev/null");
    return buffer_take(&script);
}

static void ask(struct stage *stage, const char *wanted, struct error *err)
{
    error_clear(err);
    owned(caps) struct caps *caps = caps_get(stage->program, err);
    if (!wanted) {
        check_new(caps);
        return;
    }
    cr_assert_null(caps);
    cr_assert_not_null(strstr(error_text(err), wanted), "%s", error_text(err));
}

static void ask_twice_fiber(void *arg)
{
    error_scope(err);
    ask(arg, NULL, &err);
    ask(arg, NULL, &err);
    cr_assert_eq(runs(arg), 1, "asked once, known then");
    caps_done();
    const struct caps_settings settings = { .folder = ((struct stage *) arg)->cache };
    caps_init(&settings);
    ask(arg, NULL, &err);
    cr_assert_eq(runs(arg), 1, "and kept on disk");
    loop_stop();
}

Test(caps, are_asked_for_once_and_kept_on_disk)
{
    owned_memory char *script = answering_script();
    struct stage stage;
    stage_make(&stage, script);
    fiber_start(ask_twice_fiber, &stage);
    loop_run();
    stage_clear(&stage);
}

static size_t answered;

static void ask_beside_fiber(void *arg)
{
    error_scope(err);
    ask(arg, NULL, &err);
    if (++answered == 5)
        loop_stop();
}

Test(caps, are_asked_for_once_by_many_who_ask_at_the_same_time)
{
    owned_memory char *script = answering_script();
    struct stage stage;
    stage_make(&stage, script);
    for (int i = 0; i < 5; i++)
        fiber_start(ask_beside_fiber, &stage);
    loop_run();
    cr_assert_eq(answered, 5);
    cr_assert_eq(runs(&stage), 1);
    stage_clear(&stage);
}

static const char *expected;

static void ask_failing_fiber(void *arg)
{
    error_scope(err);
    ask(arg, expected, &err);
    ask(arg, expected, &err);
    cr_assert_eq(runs(arg), 1, "a failure is remembered until the file changes");
    loop_stop();
}

static void check_failing(const char *script, const char *wanted)
{
    struct stage stage;
    expected = wanted;
    stage_make(&stage, script);
    fiber_start(ask_failing_fiber, &stage);
    loop_run();
    cr_assert_eq(runs(&stage), 1);
    stage_clear(&stage);
}

Test(caps, of_a_program_that_exits_are_an_error_with_what_it_wrote)
{
    check_failing("echo I am no emulator >&2; exit 3", "exited with status 3: I am no emulator");
}

Test(caps, of_a_program_that_babbles_are_an_error)
{
    check_failing("echo hello >&3; exec cat <&3", "cannot ask emulator");
}

static void missing_fiber(void *arg)
{
    error_scope(err);
    cr_assert_null(caps_get("/nowhere/vmm", &err));
    cr_assert_not_null(strstr(error_text(&err), "/nowhere/vmm"));
    error_clear(&err);
    cr_assert_null(caps_get("/tmp", &err));
    cr_assert_eq(err.code, ERR_CONFIG_UNSUPPORTED);
    loop_stop();
}

Test(caps, of_what_is_no_file_are_an_error)
{
    struct stage stage;
    stage_make(&stage, "");
    fiber_start(missing_fiber, &stage);
    loop_run();
    cr_assert_eq(runs(&stage), 0);
    stage_clear(&stage);
}

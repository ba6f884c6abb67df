/* SPDX-License-Identifier: Apache-2.0 */
/* bench/qom [--runs N] [--large] [EMULATOR]: what each way to read an object tree costs, on simvmm and on
 * EMULATOR; with --large, what memory and time a machine with 512 processors takes.
 *
 * Every row is the median of its runs, and every tree is compared with the first row's in normal form.  The
 * emulator's CPU time is that of all its threads.  An emulator in another root is named by a wrapper script
 * that keeps the pid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/qom_methods.h"
#include "loop/loop.h"
#include "qemu/qom_compare.h"
#include "qemu/qom_parts.h"

enum { RUNS_MAX = 101 };

struct sample { double real, user, sys, emulator; };

static unsigned runs = 9, slow_runs = 3;
static bool large;
static int result;

static double ms(double seconds, double rest)
{
    return seconds * 1e3 + rest;
}

static struct sample now(const struct guest *guest)
{
    struct timespec t;
    struct rusage used;
    clock_gettime(CLOCK_MONOTONIC, &t);
    getrusage(RUSAGE_SELF, &used);
    return (struct sample) { ms((double) t.tv_sec, (double) t.tv_nsec / 1e6),
                             ms((double) used.ru_utime.tv_sec, (double) used.ru_utime.tv_usec / 1e3),
                             ms((double) used.ru_stime.tv_sec, (double) used.ru_stime.tv_usec / 1e3),
                             guest_cpu_ms(guest) };
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *) left, b = *(const double *) right;
    return (a > b) - (a < b);
}

static double median(const struct sample *samples, size_t count, size_t offset)
{
    double values[RUNS_MAX];
    for (size_t i = 0; i < count; i++)
        memcpy(&values[i], (const char *) &samples[i] + offset, sizeof(double));
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

static WAITS struct qom_store *run_once(struct guest *guest, const struct method *m,
                                        const struct known *known, struct sample *ret_sample,
                                        struct qom_stats *ret_stats, struct error *err)
{
    struct qom_stats stats = { 0 };
    struct sample before = now(guest);
    struct qom_store *store = m->run(guest, known, &stats, err);
    struct sample after = now(guest);
    *ret_sample = (struct sample) { after.real - before.real, after.user - before.user,
                                    after.sys - before.sys, after.emulator - before.emulator };
    *ret_stats = stats;
    return store;
}

static int check(const struct method *m, const struct qom_store *store, const struct qom_store *reference,
                 struct error *err)
{
    owned_buffer struct buffer text = { 0 };
    size_t differences = qom_compare(reference, store, &text, 10);
    if (differences == 0)
        return 0;
    return fail(err, ERR_INTERNAL, "'%s' gives another tree, with %zu differences:\n%s", m->title,
                differences, text.data);
}

/* Runs the method and prints its row.  The first method's tree becomes the reference, and its time what
 * ratios are to. */
static WAITS int measure(struct guest *guest, const struct method *m, const struct known *known,
                         struct qom_store **reference, struct sample *first, struct error *err)
{
    owned_memory struct sample *samples = memory_new(RUNS_MAX * sizeof *samples);
    struct qom_stats stats = { 0 };
    size_t count = m->slow ? slow_runs : runs;
    for (size_t i = 0; i < count; i++) {
        owned(qom_store) struct qom_store *store = run_once(guest, m, known, &samples[i], &stats, err);
        if (!store || (*reference && check(m, store, *reference, err) < 0))
            return -1;
        if (!*reference)
            *reference = take(store);
    }
    struct sample middle = { median(samples, count, offsetof(struct sample, real)),
                             median(samples, count, offsetof(struct sample, user)),
                             median(samples, count, offsetof(struct sample, sys)),
                             median(samples, count, offsetof(struct sample, emulator)) };
    if (first->real == 0)
        *first = middle;
    printf("%-40s %9.1f %8.1f %8.1f %9.1f %6zu %8zu %8zu %7.1fx %7.1fx\n", m->title, middle.real, middle.user,
           middle.sys, middle.emulator, stats.calls, (size_t) stats.request_bytes, (size_t) stats.reply_bytes,
           first->real / middle.real, first->emulator / middle.emulator);
    fflush(stdout);
    return 0;
}

/* A first reading, which also lets the emulator finish its start, teaches the shape. */
static WAITS int learn(struct guest *guest, struct known *known, struct error *err)
{
    struct qom_stats stats;
    known->store = qom_pull(&guest->monitor, guest->commands, NULL, &stats, err);
    if (!known->store)
        return -1;
    known->plan = qom_plan_make(known->store, "bench", NULL);
    return 0;
}

/* What a guest that is made of the same parts, and runs for this only, tells of this one. */
static WAITS int learn_from_another(struct guest *guest, const char *emulator, struct known *known,
                                    struct error *err)
{
    struct qom_stats stats;
    struct guest *teacher = guest_start(emulator, GUEST_OTHER, err);
    owned(qom_store) struct qom_store *store =
        teacher ? qom_pull(&teacher->monitor, teacher->commands, NULL, &stats, err) : NULL;
    if (store) {
        owned(qom_line) struct qom_line *theirs = qom_line_new(teacher->argv);
        owned(qom_line) struct qom_line *ours = qom_line_new(guest->argv);
        owned(qom_parts) struct qom_parts *parts = qom_parts_learn(NULL, "bench", theirs, store);
        owned(qom_sketch) struct qom_sketch *sketch = parts ? qom_parts_compose(parts, ours) : NULL;
        owned_memory uint32_t *properties = NULL;
        owned(qom_store) struct qom_store *drawn = sketch ? qom_sketch_store(sketch, &properties, err) : NULL;
        known->composed = drawn ? qom_plan_make(drawn, "bench", properties) : NULL;
    }
    if (teacher)
        guest_stop(teacher);
    return store ? 0 : -1;
}

static void known_done(struct known *known)
{
    qom_plan_free(known->plan);
    qom_plan_free(known->composed);
    qom_store_free(known->store);
}

/* --- what others wait while a tree is walked -------------------------------------------------------- */

struct passenger {
    struct guest *guest;
    double waits[4096];
    size_t count;
    bool stop;
    struct wait left;
};

static WAITS void ride(void *arg)
{
    struct passenger *p = arg;
    error_scope(err);
    while (!p->stop && p->count < ARRAY_COUNT(p->waits)) {
        double begun = now(p->guest).real;
        if (monitor_call(p->guest->monitor, "query-status", NULL, NULL, &err) < 0)
            break;
        p->waits[p->count++] = now(p->guest).real - begun;
        await_sleep(7, &err);
    }
    wait_done(&p->left, 0);
}

static WAITS int measure_company(struct guest *guest, struct error *err)
{
    struct passenger *p = NEW(struct passenger);
    struct qom_stats stats;
    p->guest = guest;
    fiber_start(ride, p);
    owned(qom_store) struct qom_store *store = qom_pull(&guest->monitor, 0, NULL, &stats, err);
    p->stop = true;
    wait_release(&p->left);
    qsort(p->waits, p->count, sizeof *p->waits, compare_doubles);
    if (p->count)
        printf("while a tree is walked, a command of others takes %.1f ms in the median of %zu, "
               "%.1f in 99 of 100, %.1f at most\n", p->waits[p->count / 2], p->count,
               p->waits[p->count * 99 / 100],
               p->waits[p->count - 1]);
    free(p);
    return store ? 0 : -1;
}

static WAITS int measure_all(struct guest *guest, const char *emulator, struct error *err)
{
    __attribute__((cleanup(known_done))) struct known known = { 0 };
    owned(qom_store) struct qom_store *reference = NULL;
    struct sample first = { 0 };
    if (learn(guest, &known, err) < 0 || learn_from_another(guest, emulator, &known, err) < 0)
        return -1;
    printf("%-40s %9s %8s %8s %9s %6s %8s %8s %8s %8s\n", "", "real ms", "user ms", "sys ms", "emulator",
           "calls", "bytes >", "bytes <", "faster", "emulator");
    for (size_t i = 0; i < methods_count; i++) {
        const struct method *m = &methods[i];
        if (m->needs && !(m->needs & guest->commands))
            printf("%-40s %9s\n", m->title, "not offered");
        else if (measure(guest, m, &known, &reference, &first, err) < 0)
            return -1;
    }
    printf("all trees are equal in normal form: %u objects, %zu properties\n", qom_store_count(reference),
           qom_store_properties(reference));
    int rc = measure_company(guest, err);
    printf("\n");
    return rc;
}

/* --- a large machine: the reply must not be in memory as a whole ----------------------------------- */

static size_t status_kib(const char *key)
{
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    const char *at = file_read("/proc/self/status", 65536, &text, &err) == 0 ? strstr(text.data, key) : NULL;
    return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

/* From now on the peak is counted anew. */
static void forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "we");
    if (file) {
        fputs("5\n", file);
        fclose(file);
    }
}

static WAITS struct qom_store *measure_large(struct guest *guest, const char *title,
                                             const struct qom_plan *plan, struct error *err)
{
    struct qom_stats stats = { 0 };
    size_t before = status_kib("VmRSS:");
    forget_peak();
    struct sample begun = now(guest);
    unsigned commands = guest->commands & ~QOM_HAS_TREE_GET;
    struct qom_store *store = qom_pull(&guest->monitor, commands, plan, &stats, err);
    struct sample ended = now(guest);
    if (store)
        printf("%-30s %9.1f %8.1f %6zu %9.1f %9zu %9zu\n", title, ended.real - begun.real,
               ended.user + ended.sys - begun.user - begun.sys, stats.calls, (double) stats.reply_bytes / 1e6,
               status_kib("VmHWM:") - before, qom_store_size(store) / 1024);
    return store;
}

static WAITS int measure_all_large(struct guest *guest, struct error *err)
{
    printf("%-30s %9s %8s %6s %9s %9s %9s\n", "512 processors", "real ms", "CPU ms", "calls", "reply MB",
           "peak KiB", "kept KiB");
    owned(qom_store) struct qom_store *first = measure_large(guest, "nothing remembered", NULL, err);
    if (!first)
        return -1;
    struct sample begun = now(guest);
    owned(qom_plan) struct qom_plan *plan = qom_plan_make(first, "bench", NULL);
    struct sample ended = now(guest);
    owned(qom_store) struct qom_store *second = measure_large(guest, "remembered", plan, err);
    if (!second || qom_compare(first, second, NULL, 0) != 0)
        return second ? fail(err, ERR_INTERNAL, "the second tree differs") : -1;
    printf("%u objects, %zu properties; making the plan took %.1f ms\n\n", qom_store_count(first),
           qom_store_properties(first), ended.user - begun.user);
    return 0;
}

static WAITS void bench_large(const char *emulator)
{
    error_scope(err);
    struct guest *guest = guest_start(emulator, GUEST_LARGE, &err);
    if (guest) {
        measure_all_large(guest, &err);
        guest_stop(guest);
    }
    if (err.code) {
        fprintf(stderr, "bench/qom: %s: %s\n", emulator, error_text(&err));
        result = EXIT_FAILURE;
    }
}

static WAITS void bench(const char *emulator)
{
    error_scope(err);
    struct guest *guest = guest_start(emulator, GUEST_USUAL, &err);
    if (guest) {
        const struct monitor_version *v = monitor_version(guest->monitor);
        printf("%s (%u.%u.%u %s), medians of %u, slow rows of %u:\n", emulator, v->major, v->minor, v->micro,
               v->package, runs, slow_runs);
        measure_all(guest, emulator, &err);
        guest_stop(guest);
    }
    if (err.code) {
        fprintf(stderr, "bench/qom: %s: %s\n", emulator, error_text(&err));
        result = EXIT_FAILURE;
    }
}

static WAITS void bench_all(void *arg)
{
    for (char **emulator = arg; *emulator; emulator++)
        large ? bench_large(*emulator) : bench(*emulator);
    loop_stop();
}

/* The simulator beside us in the build folder; the caller frees. */
static char *find_simvmm(void)
{
    owned_memory char *self = realpath("/proc/self/exe", NULL);
    char *folder = self ? strstr(self, "/bench/") : NULL;
    return memory_printf("%.*s/simvmm/simvmm", folder ? (int) (folder - self) : 0, self ? self : "");
}

int main(int argc, char **argv)
{
    uint64_t number;
    int at = 1;
    if (at + 1 < argc && strcmp(argv[at], "--runs") == 0 &&
        text_to_u64(argv[at + 1], RUNS_MAX, &number) && number) {
        runs = (unsigned) number;
        slow_runs = runs < slow_runs ? runs : slow_runs;
        at += 2;
    }
    if (at < argc && strcmp(argv[at], "--large") == 0) {
        large = true;
        at++;
    }
    if (argc > at + 1 || (argc > at && argv[at][0] == '-')) {
        fprintf(stderr, "usage: %s [--runs N] [--large] [EMULATOR]\n", argv[0]);
        return 2;
    }
    owned_memory char *simvmm = find_simvmm();
    char *emulators[3] = { 0 };
    size_t count = 0;
    if (access(simvmm, X_OK) == 0)
        emulators[count++] = simvmm;
    if (argc > at)
        emulators[count++] = argv[at];
    if (count == 0) {
        fprintf(stderr, "%s: there is no '%s'; build it, or name an emulator\n", argv[0], simvmm);
        return EXIT_FAILURE;
    }
    loop_init();
    fiber_start(bench_all, emulators);
    loop_run();
    loop_done();
    return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    HELPERS_MAX = 3,
    WORTH_A_HELPER = 64,                /* pieces */
};

struct crew {
    size_t count;
    atomic_size_t next;
    void (*fn)(void *arg, size_t index);
    void *arg;
};

static void *work(void *arg)
{
    struct crew *crew = arg;
    for (size_t i; (i = atomic_fetch_add(&crew->next, 1)) < crew->count; )
        crew->fn(crew->arg, i);
    return NULL;
}

static size_t helpers_wanted(size_t count)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t idle = processors > 1 ? (size_t) processors - 1 : 0, worth = count / WORTH_A_HELPER;
    size_t wanted = idle < worth ? idle : worth;
    return wanted < HELPERS_MAX ? wanted : HELPERS_MAX;
}

/* A helper that cannot be had is done without.  Signals stay with the caller. */
void crew_run(size_t count, void (*fn)(void *arg, size_t index), void *arg)
{
    struct crew crew = { .count = count, .fn = fn, .arg = arg };
    pthread_t helpers[HELPERS_MAX];
    size_t wanted = helpers_wanted(count), there = 0;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (there < wanted && pthread_create(&helpers[there], NULL, work, &crew) == 0)
        there++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    work(&crew);
    while (there)
        pthread_join(helpers[--there], NULL);
}

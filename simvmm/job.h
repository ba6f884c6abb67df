/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - long work on disks, in QEMU's states: created, running, perhaps ready, waiting, pending, concluded.
 *
 * A kind of job says what one step does and what its end changes; when steps are made, pausing, speed,
 * verbs and events are the same for all. A step moves the job by at most a piece, and the next one is due
 * when the piece has used up its time at the speed asked for.
 */
#pragma once
#include "simvmm/vm.h"

enum job_status {
    JOB_CREATED,
    JOB_RUNNING,
    JOB_PAUSED,
    JOB_READY,
    JOB_STANDBY,
    JOB_WAITING,
    JOB_PENDING,
    JOB_ABORTING,
    JOB_CONCLUDED,
    JOB_NULL
};

struct job;
struct block_node;

enum job_step {
    JOB_STEP_FAILED = -1,
    JOB_STEP_MORE,
    JOB_STEP_IDLE,  /* nothing is left to do, and it does not end */
    JOB_STEP_HELD,  /* an error stopped it: it is paused */
    JOB_STEP_AGAIN, /* an error is to be ignored: the same once more */
    JOB_STEP_READY,
    JOB_STEP_DONE
};

/* What an error does to a job; in the order of QEMU's words. */
enum job_policy { POLICY_REPORT, POLICY_IGNORE, POLICY_ENOSPC, POLICY_STOP, POLICY_AUTO };

struct job_kind {
    const char *type;
    bool block;    /* a block job: has a length, a speed, events of its own */
    bool lasts;    /* becomes ready, and ends when it is told to */
    bool restless; /* QEMU pauses and resumes it right after its start */
    bool hasty;    /* before QEMU 11 its first step is made at once, and may be its failure */
    bool eager;    /* its one step is made before the reply, and told of behind it */
    enum job_step (*step)(struct job *job, struct error *err);
    /* After success: the graph changes. A failure makes the job fail. May be NULL. */
    int (*commit)(struct job *job, struct error *err);
    void (*done)(struct job *job); /* its data goes; after either end */
};

struct job_options {
    const char *id;
    int64_t speed;
    bool auto_finalize, auto_dismiss;
};

struct job {
    const struct job_kind *kind;
    struct vm *vm;
    char *id;
    enum job_status status;
    uint64_t speed, offset, length;
    bool auto_finalize, auto_dismiss;
    bool completing; /* told to complete: the graph is changed at the end */
    bool cancelled, forced;
    bool ending; /* ready, and told to end without completing */
    bool user_paused;
    char *failure;
    const char *io_status; /* "ok", "failed", "nospace" */
    struct alarm *alarm;
    void *data;
    VECTOR(struct block_node *) nodes; /* that nobody else may take meanwhile */
};

/* Checks the id, makes the job and says so; its data belongs to it from then on. */
struct job *job_new(struct vm *vm, const struct job_kind *kind, const struct job_options *options, void *data,
                    struct error *err);
void job_take_node(struct job *job, struct block_node *b);
void job_start(struct job *job);
void job_drop(struct job *job);    /* one that was not started */
void job_abandon(struct job *job); /* the same, because what it was a part of failed */
/* Tells of the error of a request, and does what the policy says. */
enum job_step job_fault(struct job *job, bool writing, enum job_policy policy, struct error *err);
void job_move(struct job *job, uint64_t bytes); /* progress */
void jobs_done(struct vm *vm);                  /* the program ends: all are forgotten */
/* A change of a node's graph stops the jobs that use it for a moment. */
void jobs_disturb(struct vm *vm, const struct block_node *b);

struct job *job_find(const struct vm *vm, const char *id);
const char *job_type(const struct job *job);
const char *job_status_word(enum job_status status);

/* The verbs of job-* and block-job-*. */
int job_pause(struct job *job, struct error *err);
int job_resume(struct job *job, struct error *err);
int job_cancel(struct job *job, bool force, struct error *err);
int job_complete(struct job *job, struct error *err);
int job_finalize(struct job *job, struct error *err);
int job_dismiss(struct job *job, struct error *err);
int job_set_speed(struct job *job, int64_t speed, struct error *err);
int job_change(struct job *job, struct error *err);

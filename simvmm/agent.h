/* SPDX-License-Identifier: Apache-2.0 */
/* agent.h - the guest's agent, as qemu-ga on Linux: requests and replies of JSON on its channel.
 *
 * The guest's system is small and made up, but it keeps what it is told: files in memory, processors that
 * are off, a clock that was set, frozen file systems, programs with their output. It lives from boot to
 * boot, and serves one channel while that is open. Faults meet its commands as they meet the monitor's.
 */
#pragma once
#include "simvmm/command.h"
#include "simvmm/vm.h"

struct agent;
struct agent_system;

struct agent *agent_new(struct vm *vm, struct chardev *chardev);
void agent_free(struct agent *a);
void agent_input(struct agent *a, const char *bytes, size_t length);

/* ---- what its commands share ---- */

enum { AGENT_PROCESSORS_MAX = 4096, AGENT_PROGRAMS_MAX = 1000 };

struct agent_program { char *path, *output; int status; };

struct agent_system {
    bool frozen;
    int64_t time_offset;                /* nanoseconds */
    bool offline[AGENT_PROCESSORS_MAX];
    struct agent_files *files;
    struct agent_runs *runs;
    VECTOR(struct agent_program) programs;              /* what a script says there is to run */
};

struct agent_system *agent_system_new(void);
void agent_system_free(struct agent_system *s);
void agent_system_reboot(struct agent_system *s);       /* what a reset ends */
DEFINE_OWNED(agent_system)

/* Its commands; their runs find the system at call->vm->agent_system. Not answered on success: `silent`. */
struct agent_command { struct command command; bool silent, when_frozen; };
extern const struct agent_command agent_commands[];     /* ended by one without a name */

/* Base64, with qemu-ga's complaint; the bytes live in `a`. */
int agent_decode(struct arena *a, const char *text, const char **ret_bytes, size_t *ret_length,
                 struct error *err);
void agent_set_encoded(struct arena *a, struct json *object, const char *key, const char *bytes,
                       size_t length);

/* agent_files.c */
struct agent_files *agent_files_new(void);
void agent_files_free(struct agent_files *f);
int agent_files_put(struct agent_files *f, const char *path, const char *bytes, size_t length,
                    struct error *err);
int agent_file_open(struct call *call, struct error *err);
int agent_file_close(struct call *call, struct error *err);
int agent_file_read(struct call *call, struct error *err);
int agent_file_write(struct call *call, struct error *err);
int agent_file_seek(struct call *call, struct error *err);
int agent_file_flush(struct call *call, struct error *err);

/* agent_disks.c */
int agent_get_disks(struct call *call, struct error *err);
int agent_fsinfo(struct call *call, struct error *err);
int agent_freeze_status(struct call *call, struct error *err);
int agent_freeze(struct call *call, struct error *err);
int agent_thaw(struct call *call, struct error *err);
int agent_trim(struct call *call, struct error *err);

/* agent_exec.c */
struct agent_runs *agent_runs_new(void);
void agent_runs_free(struct agent_runs *r);
int agent_exec(struct call *call, struct error *err);
int agent_exec_status(struct call *call, struct error *err);
/* There is such a program from now on. */
int agent_system_add_program(struct agent_system *s, const char *path, int status, const char *output,
                             struct error *err);

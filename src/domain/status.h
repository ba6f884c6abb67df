/* SPDX-License-Identifier: Apache-2.0 */
/* status.h - what the next daemon must know about a running VMM: run/status/UUID.xml.
 *
 * The file is written before the VMM's process leaves its gate, with phase STARTING, again with RUNNING once
 * it is adopted, and whenever state, job or live definition change.  It goes when the VMM is gone.  A file of
 * a newer major version is not understood: its domain is listed as unmanaged and nothing of it is touched.
 * Members that we do not know, of our own major version, are kept when the file is written again.
 *
 * It is replaced whole and never synced: it has to outlive us, and the VMM outlives us only as long as the
 * host does.  What a crash of the host leaves of it is of an earlier boot, or damaged while nobody is behind
 * a monitor; then it says nothing of any guest.
 */
#pragma once
#include "domain/registry.h"
#include "loop/process.h"
#include "xml/value.h"

enum { STATUS_MAJOR = 1, STATUS_MINOR = 0 };

#define STATUS_PHASES(_) _(STATUS_STARTING, "starting") _(STATUS_RUNNING, "running")
DECLARE_ENUM(status_phase, STATUS_PHASE_NONE, STATUS_PHASES);

/* One file, as it was read; all text is its own. */
struct status {
    struct arena *arena;
    const char *version;                /* "1.0" */
    enum status_phase phase;
    struct uuid uuid;
    const char *name;
    uint32_t id;
    uint64_t pid, start_time;           /* these three make `process` */
    const char *boot_id;
    struct process_identity process;
    const char *monitor;                /* path of its socket */
    uint32_t state, reason;
    const char *job;                    /* what was running when it was written, or NULL */
    bool autodestroy;
    struct raw *live_xml;
    struct domain_def *live;            /* what runs, or is being started */
    struct extras extras;
};

void status_free(struct status *status);
DEFINE_OWNED(status)

/* Writes the file: uuid, name, id, state, reason, job, autodestroy and live come from dom; dom->process is
 * set. */
WAITS int status_save(struct domain *dom, enum status_phase phase, const struct process_identity *process,
                      const char *monitor, struct error *err);
WAITS int status_remove(const struct domain *dom, struct error *err);

/* At startup, blocking, after definitions_load().  Each domain with a status file gets its id, state and live
 * definition from it (a transient one is registered first), and the whole of it as dom->record, which
 * domain_reattach() follows.  A file of a newer version makes its domain unmanaged; so does a damaged one
 * while somebody is behind a monitor that is no known domain's, else it is logged and put away as
 * UUID.xml.damaged. */
int statuses_load(struct registry *registry, const struct conf_defaults *defaults, struct error *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* shmem.h - <shmem>: memory that a guest shares with programs of the host, or with other guests.
 *
 * After checking, the size is MiB, a power of two; a doorbell has a server, and only it has interrupts.
 */
#pragma once
#include "conf/address.h"

#define SHMEM_MODELS(_) _(SHMEM_IVSHMEM, "ivshmem") _(SHMEM_PLAIN, "ivshmem-plain") \
    _(SHMEM_DOORBELL, "ivshmem-doorbell")
DECLARE_ENUM(shmem_model, SHMEM_MODEL_ABSENT, SHMEM_MODELS);

#define SHMEM_ROLES(_) _(SHMEM_MASTER, "master") _(SHMEM_PEER, "peer")
DECLARE_ENUM(shmem_role, SHMEM_ROLE_ABSENT, SHMEM_ROLES);

struct shmem {
    struct extras extras;
    const char *name;                           /* of the file in /dev/shm */
    enum shmem_role role;
    enum shmem_model model;
    uint64_t size;                              /* MiB */
    const char *unit;                           /* "M" */
    bool has_server;
    const char *server;                         /* path of its socket */
    bool has_msi;
    uint32_t vectors;
    enum on_off ioeventfd;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(shmem_element, struct shmem);

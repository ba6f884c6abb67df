/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/shmem.h"

#include <string.h>

#include "conf/memory.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(shmem_model, SHMEM_MODELS);
DEFINE_ENUM_CODEC(shmem_role, SHMEM_ROLES);

static void check_size(struct shmem *shmem, struct xml_context *x)
{
    uint64_t kib = shmem->unit ? memory_to_kib(x, &shmem->size, &shmem->unit) : 0;
    if (kib && (kib < 1024 || (kib & (kib - 1))))
        xml_refuse(x, &shmem->size, ERR_XML, "1 M, 2 M, 4 M, ...",
                   "the size of shared memory is a power of 2, and at least 1 MiB");
    shmem->size = kib / 1024;
    shmem->unit = shmem->size ? "M" : NULL;
}

static void shmem_check(void *self, struct xml_context *x)
{
    struct shmem *shmem = self;
    if (!shmem->model)
        shmem->model = SHMEM_IVSHMEM;
    if (shmem->name && (!*shmem->name || strchr(shmem->name, '/') || strcmp(shmem->name, ".") == 0 ||
                        strcmp(shmem->name, "..") == 0))
        xml_refuse(x, &shmem->name, ERR_XML, "a name without '/'", "'%s' is no name of shared memory",
                   shmem->name);
    check_size(shmem, x);
    if (shmem->has_msi && !shmem->has_server)
        xml_refuse(x, &shmem->has_msi, ERR_XML, "a <server> beside it", "interrupts come from a server");
    if (shmem->model == SHMEM_PLAIN && shmem->has_server)
        xml_refuse(x, &shmem->has_server, ERR_CONFIG_UNSUPPORTED, "ivshmem-doorbell",
                   "shared memory of model 'ivshmem-plain' has no server");
    if (shmem->model == SHMEM_DOORBELL && !shmem->has_server)
        xml_refuse(x, &shmem->model, ERR_CONFIG_UNSUPPORTED, "a <server>",
                   "shared memory of model 'ivshmem-doorbell' needs a server");
}

#define SELF struct shmem
PART(model, "model", "The device.", ATTR("type", model, shmem_model, "kind of device", REQUIRED));
PART(size, "size", "How much is shared.",
    ATTR("unit", unit, string, "unit of the amount", DEFAULT("bytes")), TEXT(size, u64, "amount", REQUIRED));
PART(server, "server", "The program that brings guests together.", PRESENT(has_server),
    ATTR("path", server, string, "its socket"));
PART(msi, "msi", "Interrupts that guests send each other.", PRESENT(has_msi),
    ATTR("vectors", vectors, u32, "how many", NONZERO),
    ATTR("ioeventfd", ioeventfd, on_off, "handle them outside of the vcpu's thread"));
ALIAS_PART;

const struct element shmem_element = ELEMENT_CHECKED("shmem", "Memory shared with the host.", shmem_check,
    ATTR("name", name, string, "name of the memory", REQUIRED),
    ATTR("role", role, shmem_role, "what becomes of it in a migration"),
    INLINE(model), INLINE(size), INLINE(server), INLINE(msi), INLINE(alias),
    CHILD(address, address_element));

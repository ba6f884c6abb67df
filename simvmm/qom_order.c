/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/qom_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simvmm/hash_order.h"

/* What is there from the beginning: a bus's handler and state, then its devices by number; a PCI
 * function's window. What comes last: that window's use, when the machine is done. */
static int rank(const struct qom_property *p, unsigned *ret_number)
{
    static const char *const first[] = { "hotplug-handler", "realized", "bus master container[0]" };
    *ret_number = p->age;
    for (size_t i = 0; i < ARRAY_COUNT(first); i++)
        if (strcmp(p->name, first[i]) == 0)
            return (int) i;
    if (strcmp(p->name, "bus master[0]") == 0)
        return (int) ARRAY_COUNT(first) + 2;
    return (int) ARRAY_COUNT(first) + (sscanf(p->name, "child[%u]", ret_number) != 1);
}

static int by_age(const void *a, const void *b)
{
    unsigned m, n;
    int x = rank(a, &m), y = rank(b, &n);
    return x != y ? x - y : m < n ? -1 : m > n;
}

/* QEMU lists what its hash table walks from the last to the first, behind the properties of the class
 * ("type"). */
void qom_order(struct qom_node *node)
{
    if (node->properties.count <= node->hashed)
        return;
    size_t count = node->properties.count - node->hashed;
    struct qom_property *own = node->properties.items + node->hashed;
    const char **names = memory_new(count * sizeof *names);
    size_t *order = memory_new(count * sizeof *order);
    struct qom_property *sorted = memory_new(count * sizeof *sorted);
    memcpy(sorted, own, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_age);
    for (size_t i = 0; i < count; i++)
        names[i] = sorted[i].name;
    hash_order(names, count, order);
    for (size_t i = 0; i < count; i++)
        own[i] = sorted[order[count - 1 - i]];
    free(names);
    free(order);
    free(sorted);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vector.h"

/* How many paths are looked at before an object is left to its absolute one. */
enum { TRIES_MAX = 2000 };

struct edge {
    uint32_t from, to, name;
    bool link;
};

/* A path found backwards from the object: one more component in front of `rest`. */
struct candidate {
    const struct edge *edge;
    uint32_t rest;                      /* index of a candidate; QOM_NONE: this is the last component */
    uint32_t weight, steps;
};

struct qom_graph {
    const struct qom_store *store;
    uint32_t walk;
    struct map *ids;                    /* name to id + 1 */
    VECTOR(const char *) names;         /* by id; the store's texts */
    VECTOR(uint32_t) weights;           /* by id: bytes in JSON */
    VECTOR(struct edge) out;            /* by from, name */
    VECTOR(struct edge) in;             /* by to, children first */
    VECTOR(struct edge) named;          /* by name */
    VECTOR(uint32_t) out_at, in_at, named_at;   /* where each object's or name's edges begin; and the end */
    VECTOR(struct candidate) candidates;
    VECTOR(uint32_t) heap;              /* of candidates, the lightest first */
};

/* --- making ----------------------------------------------------------------------------------- */

static uint32_t json_weight(const char *text)
{
    uint32_t weight = 0;
    for (const char *c = text; *c; c++)
        weight += *c == '"' || *c == '\\' ? 2 : (unsigned char) *c < 0x20 ? 6 : 1;
    return weight;
}

static uint32_t name_id(struct qom_graph *g, const char *name)
{
    uintptr_t id = (uintptr_t) map_find_text(g->ids, name);
    if (id == 0) {
        vector_push(&g->names, name);
        vector_push(&g->weights, json_weight(name));
        id = g->names.count;
        map_set_text(g->ids, name, (void *) id);
    }
    return (uint32_t) id - 1;
}

static void add_edges(struct qom_graph *g, uint32_t object)
{
    uint32_t first, count = qom_store_children(g->store, object, &first);
    for (uint32_t child = first; child < first + count; child++) {
        struct edge edge = { object, child, name_id(g, qom_store_name(g->store, child)), false };
        vector_push(&g->out, edge);
    }
    for (size_t i = 0; i < qom_store_property_count(g->store, object); i++) {
        struct qom_property p = qom_store_property(g->store, object, i);
        if (strchr(p.name, '/'))
            continue;                   /* no path can name it */
        struct edge edge = { object, qom_store_follow(g->store, &p), 0, true };
        if (edge.to == QOM_NONE)
            continue;
        edge.name = name_id(g, p.name);
        vector_push(&g->out, edge);
    }
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int by_from(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    return a->from != b->from ? ORDER(a->from, b->from) : ORDER(a->name, b->name);
}

static int by_to(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    return a->to != b->to ? ORDER(a->to, b->to) : a->link != b->link ? a->link - b->link :
           a->from != b->from ? ORDER(a->from, b->from) : ORDER(a->name, b->name);
}

static int by_name(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    return a->name != b->name ? ORDER(a->name, b->name) : ORDER(a->from, b->from);
}

/* Where each key's edges begin, once they are sorted by it. */
#define INDEX(edges, at, member, keys) do { \
        size_t e_ = 0; \
        for (uint32_t key_ = 0; key_ <= (keys); key_++) { \
            while (e_ < (edges)->count && (edges)->items[e_].member < key_) \
                e_++; \
            vector_push(at, (uint32_t) e_); \
        } \
    } while (0)

struct qom_graph *qom_graph_new(const struct qom_store *store, uint32_t walk)
{
    struct qom_graph *g = NEW(struct qom_graph);
    uint32_t objects = qom_store_count(store);
    g->store = store;
    g->walk = walk;
    g->ids = map_new();
    for (uint32_t object = 0; object < objects; object++)
        add_edges(g, object);
    for (size_t i = 0; i < g->out.count; i++) {
        vector_push(&g->in, g->out.items[i]);
        vector_push(&g->named, g->out.items[i]);
    }
    if (g->out.count) {
        qsort(g->out.items, g->out.count, sizeof *g->out.items, by_from);
        qsort(g->in.items, g->in.count, sizeof *g->in.items, by_to);
        qsort(g->named.items, g->named.count, sizeof *g->named.items, by_name);
    }
    INDEX(&g->out, &g->out_at, from, objects);
    INDEX(&g->in, &g->in_at, to, objects);
    INDEX(&g->named, &g->named_at, name, (uint32_t) g->names.count);
    return g;
}

void qom_graph_free(struct qom_graph *g)
{
    if (!g)
        return;
    map_free(g->ids);
    vector_done(&g->names);
    vector_done(&g->weights);
    vector_done(&g->out);
    vector_done(&g->in);
    vector_done(&g->named);
    vector_done(&g->out_at);
    vector_done(&g->in_at);
    vector_done(&g->named_at);
    vector_done(&g->candidates);
    vector_done(&g->heap);
    free(g);
}

/* --- is a path unambiguous? ------------------------------------------------------------------- */

static uint32_t step(const struct qom_graph *g, uint32_t object, uint32_t name)
{
    uint32_t low = g->out_at.items[object], high = g->out_at.items[object + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct edge *edge = &g->out.items[middle];
        if (edge->name == name)
            return edge->to;
        if (edge->name < name)
            low = middle + 1;
        else
            high = middle;
    }
    return QOM_NONE;
}

static bool leads_somewhere(const struct qom_graph *g, uint32_t object, uint32_t candidate)
{
    while (object != QOM_NONE && candidate != QOM_NONE) {
        object = step(g, object, g->candidates.items[candidate].edge->name);
        candidate = g->candidates.items[candidate].rest;
    }
    return object != QOM_NONE;
}

static bool is_unambiguous(const struct qom_graph *g, uint32_t candidate)
{
    const struct candidate *c = &g->candidates.items[candidate];
    unsigned starts = 0;
    for (uint32_t e = g->named_at.items[c->edge->name];
         e < g->named_at.items[c->edge->name + 1] && starts < 2; e++)
        starts += leads_somewhere(g, g->named.items[e].to, c->rest);
    return starts == 1;
}

/* --- the search: lightest paths first --------------------------------------------------------- */

static bool lighter(const struct qom_graph *g, uint32_t a, uint32_t b)
{
    uint32_t left = g->candidates.items[a].weight, right = g->candidates.items[b].weight;
    return left != right ? left < right : a < b;
}

static void heap_push(struct qom_graph *g, uint32_t candidate)
{
    vector_push(&g->heap, candidate);
    uint32_t *heap = g->heap.items;
    for (size_t at = g->heap.count - 1; at && lighter(g, heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2) {
        uint32_t up = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = heap[at];
        heap[at] = up;
    }
}

static uint32_t heap_pop(struct qom_graph *g)
{
    uint32_t *heap = g->heap.items, top = heap[0];
    heap[0] = heap[--g->heap.count];
    for (size_t at = 0, child; (child = 2 * at + 1) < g->heap.count; at = child) {
        if (child + 1 < g->heap.count && lighter(g, heap[child + 1], heap[child]))
            child++;
        if (!lighter(g, heap[child], heap[at]))
            break;
        uint32_t down = heap[child];
        heap[child] = heap[at];
        heap[at] = down;
    }
    return top;
}

/* Every way to come one step earlier to where `rest` begins. */
static void extend(struct qom_graph *g, uint32_t object, uint32_t rest, bool links, uint32_t limit)
{
    struct candidate after = { 0 };
    if (rest != QOM_NONE)
        after = g->candidates.items[rest];
    if (after.steps == QOM_ROUTE_MAX)
        return;
    for (uint32_t e = g->in_at.items[object]; e < g->in_at.items[object + 1]; e++) {
        const struct edge *edge = &g->in.items[e];
        uint32_t weight = after.weight + (rest != QOM_NONE) + g->weights.items[edge->name];
        if ((edge->link && !links) || weight >= limit)
            continue;
        struct candidate c = { edge, rest, weight, after.steps + 1 };
        vector_push(&g->candidates, c);
        heap_push(g, (uint32_t) g->candidates.count - 1);
    }
}

static struct qom_route route_of(const struct qom_graph *g, uint32_t candidate)
{
    struct qom_route route = { .steps = 0 };
    for (; candidate != QOM_NONE; candidate = g->candidates.items[candidate].rest) {
        route.nodes[route.steps] = g->candidates.items[candidate].edge->from;
        route.names[route.steps++] = g->candidates.items[candidate].edge->name;
    }
    return route;
}

struct qom_route qom_graph_shortest(struct qom_graph *g, uint32_t object, bool links, unsigned least_steps)
{
    owned_buffer struct buffer absolute = { 0 };
    qom_store_add_path(g->store, object, &absolute);
    uint32_t whole = json_weight(absolute.data), limit = whole > g->walk ? whole - g->walk : 0;
    g->candidates.count = g->heap.count = 0;
    extend(g, object, QOM_NONE, links, limit);
    for (unsigned tries = 0; g->heap.count && tries < TRIES_MAX; tries++) {
        uint32_t lightest = heap_pop(g);
        if (g->candidates.items[lightest].steps >= least_steps && is_unambiguous(g, lightest))
            return route_of(g, lightest);
        extend(g, g->candidates.items[lightest].edge->from, lightest, links, limit);
    }
    return (struct qom_route) { .steps = 0 };
}

void qom_graph_add_path(const struct qom_graph *g, const struct qom_route *route, struct buffer *out)
{
    for (unsigned i = 0; i < route->steps; i++) {
        if (i)
            buffer_add_char(out, '/');
        buffer_add_text(out, g->names.items[route->names[i]]);
    }
}

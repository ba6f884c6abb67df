/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/memory_backing.h"

#include "base/own.h"
#include "conf/memory.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(memory_source, MEMORY_SOURCES);
DEFINE_ENUM_CODEC(memory_allocation, MEMORY_ALLOCATIONS);
typedef enum memory_access ctype_memory_access;
static const struct codec codec_memory_access = ENUM_CODEC(memory_access);

static void check_page(void *self, struct xml_context *x)
{
    struct hugepage *page = self;
    page->kib = memory_to_kib(x, &page->kib, &page->unit);
    page->unit = "KiB";
    if (page->kib == 0)
        xml_refuse(x, &page->kib, ERR_XML_SYNTAX, "more than 0", "memoryBacking/hugepages: a page size of 0");
}

static void backing_check(void *self, struct xml_context *x)
{
    struct memory_backing *backing = self;
    if (backing->hugepages && backing->source == MEMORY_ANONYMOUS)
        xml_refuse(x, &backing->source, ERR_CONFIG_UNSUPPORTED, "file or memfd",
                   "memory in huge pages cannot be anonymous");
    if (backing->hugepages && backing->allocation == MEMORY_ONDEMAND)
        xml_refuse(x, &backing->allocation, ERR_CONFIG_UNSUPPORTED, "immediate",
                   "huge pages cannot be allocated on demand");
}

#define SELF struct hugepage
PART_CHECKED(page_element, "page", "Pages of one size.", check_page,
    ATTR("size", kib, u64, "size of a page", REQUIRED),
    ATTR("unit", unit, string, "unit of the size", DEFAULT("KiB")),
    ATTR("nodeset", nodeset, cpuset, "cells of the guest", CODE(ERR_INVALID_ARG)));
#undef SELF

#define SELF struct memory_backing
PART(hugepages, "hugepages", "Large pages of the host.", PRESENT(hugepages), LIST(pages, page_element));
PART(source, "source", "Where it comes from.",
    ATTR("type", source, memory_source, "kind of memory", REQUIRED));
PART(access, "access", "Who else may use it.",
    ATTR("mode", access, memory_access, "may other processes on the host share it?", REQUIRED));
PART(allocation, "allocation", "When it is taken from the host.",
    ATTR("mode", allocation, memory_allocation, "at once, or when the guest uses it"),
    ATTR("threads", threads, u32, "threads that do it", RANGE(1, 256)));

const struct element memory_backing_element = ELEMENT_CHECKED(
    "memoryBacking", "What the guest's memory is made of.", backing_check,
    INLINE(hugepages),
    FLAG("nosharepages", nosharepages, "Never merged with equal pages of others."),
    FLAG("locked", locked, "Never swapped out."),
    INLINE(source), INLINE(access), INLINE(allocation),
    FLAG("discard", discard, "Forgotten at the end."));

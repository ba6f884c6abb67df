/* SPDX-License-Identifier: Apache-2.0 */
/* A domain's disks: what went through them, how large their images are, which have failed. */
#include "base/memory.h"
#include "base/text.h"
#include "daemon/disk_names.h"
#include "daemon/image.h"
#include "daemon/params.h"
#include "daemon/request.h"
#include "qemu/figures.h"
#include "qemu/hotplug.h"

enum { DISK_ERROR_UNSPECIFIC = 1, DISK_ERROR_NO_SPACE = 2, DISK_ERRORS_MAX = 256 };

const struct disk *disk_by_name(const struct domain_def *def, const char *name, struct error *err)
{
    for (size_t i = 0; i < def->disks.count; i++)
        if (text_equal(def->disks.items[i]->target, name))
            return def->disks.items[i];
    for (size_t i = 0; i < def->disks.count; i++)
        if (*name && text_equal(disk_path(def->disks.items[i]), name))
            return def->disks.items[i];
    fail(err, ERR_INVALID_ARG, "invalid path '%s': no disk has it as its target or source", name);
    return NULL;
}

static void add_up(struct block_figures *sum, const struct block_figures *more)
{
    sum->reads += more->reads, sum->read_bytes += more->read_bytes, sum->read_ns += more->read_ns;
    sum->writes += more->writes, sum->write_bytes += more->write_bytes, sum->write_ns += more->write_ns;
    sum->flushes += more->flushes, sum->flush_ns += more->flush_ns;
}

/* Of one disk, or of all together if no name is given. */
static WAITS int read_figures(struct domain *dom, const char *name, struct block_figures *ret_sum,
                              struct error *err)
{
    struct block_figures sum = { 0 }, one;
    if (domain_check_active(dom, err) < 0)
        return -1;
    owned(domain_def) struct domain_def *def = domain_def_ref(domain_current_def(dom));
    const struct disk *disk = *name ? disk_by_name(def, name, err) : NULL;
    if (*name && !disk)
        return -1;
    owned(figures) struct figures *figures = figures_ask(dom, FIGURES_BLOCKS, err);
    if (!figures || figures_wait(figures, err) < 0)
        return -1;
    for (size_t i = 0; i < def->disks.count; i++)
        if ((!disk || disk == def->disks.items[i]) &&
            figures_block(figures, def->disks.items[i]->alias, &one))
            add_up(&sum, &one);
    *ret_sum = sum;
    return 0;
}

int on_domain_block_stats(struct request *request, const remote_domain_block_stats_args *args,
                          remote_domain_block_stats_ret *ret, struct error *err)
{
    struct block_figures sum;
    if (read_figures(request->dom, args->path, &sum, err) < 0)
        return -1;
    ret->rd_req = (int64_t) sum.reads;
    ret->rd_bytes = (int64_t) sum.read_bytes;
    ret->wr_req = (int64_t) sum.writes;
    ret->wr_bytes = (int64_t) sum.write_bytes;
    ret->errs = -1;                     /* not counted */
    return 0;
}

int on_domain_block_stats_flags(struct request *request, const remote_domain_block_stats_flags_args *args,
                                remote_domain_block_stats_flags_ret *ret, struct error *err)
{
    struct block_figures sum;
    if (check_flags(args->flags, TYPED_PARAM_STRING_OKAY, err) < 0 ||
        read_figures(request->dom, args->path, &sum, err) < 0)
        return -1;
    owned_params struct params params = { 0 };
    params_add_i64(&params, (int64_t) sum.write_bytes, "wr_bytes");
    params_add_i64(&params, (int64_t) sum.writes, "wr_operations");
    params_add_i64(&params, (int64_t) sum.read_bytes, "rd_bytes");
    params_add_i64(&params, (int64_t) sum.reads, "rd_operations");
    params_add_i64(&params, (int64_t) sum.flushes, "flush_operations");
    params_add_i64(&params, (int64_t) sum.write_ns, "wr_total_times");
    params_add_i64(&params, (int64_t) sum.read_ns, "rd_total_times");
    params_add_i64(&params, (int64_t) sum.flush_ns, "flush_total_times");
    ret->params.params_len =
        params_give_at_most(&params, args->nparams, &ret->params.params_val, &ret->nparams);
    return 0;
}

/* A running VMM knows its images' capacities, of whatever format; at rest we look ourselves. */
static WAITS int read_size(struct domain *dom, const struct disk *disk, struct image_size *ret_size,
                           struct error *err)
{
    struct image_figures image;
    const char *path = disk_path(disk);
    if (!path)
        return fail(err, ERR_INVALID_ARG, "disk '%s' does not currently have a source assigned",
                    disk->target);
    if (!domain_is_active(dom))
        return image_measure(path, disk->format, ret_size, err);
    owned(figures) struct figures *figures = figures_ask(dom, FIGURES_IMAGES, err);
    if (!figures || figures_wait(figures, err) < 0 || image_measure(path, disk->format, ret_size, err) < 0)
        return -1;
    if (figures_image(figures, disk->alias, &image) && image.capacity)
        ret_size->capacity = image.capacity;
    return 0;
}

int on_domain_get_block_info(struct request *request, const remote_domain_get_block_info_args *args,
                             remote_domain_get_block_info_ret *ret, struct error *err)
{
    struct image_size size;
    if (check_flags(args->flags, 0, err) < 0 || check_definition(request->dom, err) < 0)
        return -1;
    owned(domain_def) struct domain_def *def = domain_def_ref(domain_current_def(request->dom));
    const struct disk *disk = disk_by_name(def, args->path, err);
    if (!disk || read_size(request->dom, disk, &size, err) < 0)
        return -1;
    if (!size.capacity && disk->format > DISK_RAW)
        return fail(err, ERR_UNSUPPORTED, "the capacity of '%s' (%s) is known only while its domain runs",
                    disk_path(disk), enum_word(&disk_format_names, disk->format));
    ret->allocation = size.allocation;
    ret->capacity = size.capacity;
    ret->physical = size.physical;
    return 0;
}

int on_domain_block_resize(struct request *request, const remote_domain_block_resize_args *args, nothing *ret,
                           struct error *err)
{
    enum { IN_BYTES = 1 };
    uint64_t unit = args->flags & IN_BYTES ? 1 : 1024;
    if (check_flags(args->flags, IN_BYTES, err) < 0 || domain_check_active(request->dom, err) < 0 ||
        check_definition(request->dom, err) < 0)
        return -1;
    if (args->size > INT64_MAX / unit)
        return fail(err, ERR_INVALID_ARG, "no disk has %llu %s", (unsigned long long) args->size,
                    unit == 1 ? "bytes" : "KiB");
    const struct disk *disk = disk_by_name(domain_current_def(request->dom), args->disk, err);
    if (!disk)
        return -1;
    if (!disk_path(disk) || disk->readonly)
        return fail(err, ERR_INVALID_ARG, "disk '%s' has no image that could be resized", disk->target);
    owned_memory char *alias = memory_copy_text(disk->alias);
    return domain_resize_disk(request->dom, alias, args->size * unit, err);
}

/* Asked for twice: first how many disks there are at all. */
int on_domain_get_disk_errors(struct request *request, const remote_domain_get_disk_errors_args *args,
                              remote_domain_get_disk_errors_ret *ret, struct error *err)
{
    struct domain *dom = request->dom;
    struct image_figures image;
    if (check_flags(args->flags, 0, err) < 0 || domain_check_active(dom, err) < 0)
        return -1;
    owned(domain_def) struct domain_def *def = domain_def_ref(domain_current_def(dom));
    ret->nerrors = (int) def->disks.count;
    if (!args->maxerrors)
        return 0;
    owned(figures) struct figures *figures = figures_ask(dom, FIGURES_IMAGES, err);
    if (!figures || figures_wait(figures, err) < 0)
        return -1;
    unsigned most = args->maxerrors < DISK_ERRORS_MAX ? args->maxerrors : DISK_ERRORS_MAX, count = 0;
    ret->errors.errors_val = memory_new(most * sizeof *ret->errors.errors_val);
    for (size_t i = 0; i < def->disks.count && count < most; i++) {
        const struct disk *disk = def->disks.items[i];
        if (figures_image(figures, disk->alias, &image) && (image.failed || image.no_space))
            ret->errors.errors_val[count++] =
                (remote_domain_disk_error) { memory_copy_text(disk->target),
                                             image.no_space ? DISK_ERROR_NO_SPACE : DISK_ERROR_UNSPECIFIC };
    }
    ret->errors.errors_len = count;
    ret->nerrors = (int) count;
    return 0;
}

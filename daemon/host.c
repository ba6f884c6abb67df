/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"

enum { SMALL_FILE = 4096, CPUINFO_MAX = 16 << 20 };

/* The number in a one-line file of the kernel's, or `otherwise`. */
static uint64_t kernel_number(const char *path, uint64_t otherwise)
{
    owned_buffer struct buffer text = { 0 };
    error_scope(missing);
    uint64_t value;
    if (file_read(path, SMALL_FILE, &text, &missing) < 0)
        return otherwise;
    char *end = strchr(buffer_text(&text), '\n');
    if (end)
        *end = '\0';
    return text_to_u64(buffer_text(&text), UINT64_MAX, &value) ? value : otherwise;
}

/* How many there are in "0-3,7". */
static unsigned count_list(const char *path)
{
    owned_buffer struct buffer text = { 0 };
    error_scope(missing);
    unsigned count = 0;
    if (file_read(path, SMALL_FILE, &text, &missing) < 0)
        return 1;
    for (char *part = buffer_text(&text)[0] ? text.data : NULL; part; part = strchr(part, ',')) {
        unsigned first, last;
        if (*part == ',')
            part++;
        int found = sscanf(part, "%u-%u", &first, &last);
        if (found == 1)
            count++;
        else if (found == 2 && last >= first)
            count += last - first + 1;
    }
    return count ? count : 1;
}

static void read_topology(struct host *host)
{
    unsigned packages = 0;
    for (unsigned i = 0; i < host->cpus; i++) {
        owned_memory char *path =
            memory_printf("/sys/devices/system/cpu/cpu%u/topology/physical_package_id", i);
        uint64_t package = kernel_number(path, 0);
        if (package + 1 > packages && package < host->cpus)
            packages = (unsigned) package + 1;
    }
    host->nodes = count_list("/sys/devices/system/node/online");
    host->threads = count_list("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list");
    host->sockets = packages > host->nodes ? packages / host->nodes : 1;
    host->cores = host->cpus / (host->nodes * host->sockets * host->threads);
    if (host->nodes * host->sockets * host->cores * host->threads != host->cpus) {
        /* Lopsided: counted flat, since clients multiply these. */
        host->nodes = host->sockets = host->threads = 1;
        host->cores = host->cpus;
    }
}

static unsigned read_mhz(void)
{
    uint64_t khz = kernel_number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", 0);
    owned_buffer struct buffer text = { 0 };
    error_scope(missing);
    double mhz = 0;
    if (khz)
        return (unsigned) (khz / 1000);
    if (file_read("/proc/cpuinfo", CPUINFO_MAX, &text, &missing) < 0)
        return 0;
    const char *line = strstr(buffer_text(&text), "cpu MHz");
    const char *colon = line ? strchr(line, ':') : NULL;
    return colon && sscanf(colon + 1, "%lf", &mhz) == 1 ? (unsigned) mhz : 0;
}

/* The machine id is 32 hexadecimal digits, and lasts as long as the installation. */
static struct uuid read_uuid(void)
{
    static struct uuid made_up;
    owned_buffer struct buffer text = { 0 };
    error_scope(missing);
    struct uuid uuid;
    if (file_read("/etc/machine-id", SMALL_FILE, &text, &missing) == 0 && text.length >= 32) {
        text.data[32] = '\0';
        if (uuid_parse(text.data, &uuid) && !uuid_is_zero(&uuid))
            return uuid;
    }
    if (uuid_is_zero(&made_up))
        made_up = uuid_random();
    return made_up;
}

int host_read(struct host *ret_host, struct error *err)
{
    struct utsname name;
    struct sysinfo info;
    if (uname(&name) < 0 || sysinfo(&info) < 0)
        return fail_errno(err, errno, "cannot ask the kernel about this host");
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct host host = { .uuid = read_uuid(), .mhz = read_mhz(), .cpus = cpus > 0 ? (unsigned) cpus : 1 };
    snprintf(host.arch, sizeof host.arch, "%.31s", name.machine);
    host.memory_kib = (uint64_t) info.totalram * info.mem_unit / 1024;
    read_topology(&host);
    *ret_host = host;
    return 0;
}

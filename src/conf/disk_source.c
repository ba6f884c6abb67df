/* SPDX-License-Identifier: Apache-2.0 */
/* Where a disk's data are: its own image, and the chain of images below that. */
#include "conf/disk_check.h"

#include "conf/disk.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(startup_policy, STARTUP_POLICIES);
DEFINE_ENUM_CODEC(host_transport, HOST_TRANSPORTS);
DEFINE_WORDS_CODEC(net_protocol, "nbd", "rbd", "sheepdog", "gluster", "iscsi", "http", "https", "ftp", "ftps",
                   "tftp", "ssh", "vxhs", "nfs");
DEFINE_WORDS_CODEC(volume_mode, "host", "direct");
BORROW_ENUM_CODEC(disk_type);
BORROW_ENUM_CODEC(disk_format);

/* tcp is what goes without saying. */
static void host_check(void *self, struct xml_context *x)
{
    struct disk_host *host = self;
    if (host->transport == TRANSPORT_TCP)
        host->transport = TRANSPORT_ABSENT;
}

#define SELF struct disk_host
PART_CHECKED(host_element, "host", "A server that has the image.", host_check,
    ATTR("transport", transport, host_transport, "how it is reached, tcp if nobody says"),
    ATTR("name", name, string, "its name or address", UNLESS(transport, TRANSPORT_UNIX)),
    ATTR("port", port, string, "port", UNLESS(transport, TRANSPORT_UNIX)),
    ATTR("socket", socket, string, "path of the socket", IF(transport, TRANSPORT_UNIX)));
#undef SELF

#define SELF struct disk
PART(ssl, "ssl", "Encryption.",
    ATTR("verify", ssl_verify, yes_no, "must the certificate be good?", REQUIRED));
PART(readahead, "readahead", "Reading in advance.",
    ATTR("size", read_ahead, u32, "bytes", REQUIRED));
PART(timeout, "timeout", "How long an answer may take.", ATTR("seconds", timeout, u32, "seconds", REQUIRED));
PART(reconnect, "reconnect", "After the connection broke.",
    ATTR("delay", reconnect_delay, u32, "seconds for which requests wait", REQUIRED));
PART(iqn, "iqn", "The guest's own name.", ATTR("name", initiator, string, "iqn", REQUIRED));
PART(initiator, "initiator", "Who asks the server.", INLINE(iqn));

#define SOURCE_ROWS \
    ATTR("file", file, string, "path of the image", IF(type, DISK_FILE)), \
    ATTR("dev", dev, string, "path of the block device", IF(type, DISK_BLOCK)), \
    ATTR("dir", dir, string, "directory", IF(type, DISK_DIR)), \
    ATTR("protocol", protocol, net_protocol, "network protocol", IF(type, DISK_NETWORK)), \
    ATTR("name", source_name, string, "name of the image on the server", IF(type, DISK_NETWORK)), \
    ATTR("query", query, string, "query part of the address", IF(type, DISK_NETWORK)), \
    ATTR("tls", tls, yes_no, "encrypt the connection?", IF(type, DISK_NETWORK)), \
    ATTR("tlsHostname", tls_hostname, string, "name in the server's certificate", IF(type, DISK_NETWORK)), \
    ATTR("pool", pool, string, "storage pool", IF(type, DISK_VOLUME)), \
    ATTR("volume", volume, string, "volume in the pool", IF(type, DISK_VOLUME)), \
    ATTR("mode", mode, volume_mode, "how an iscsi volume is reached", IF(type, DISK_VOLUME)), \
    ATTR("startupPolicy", startup_policy, startup_policy, "what happens if the medium is missing"), \
    LIST(hosts, host_element, IF(type, DISK_NETWORK)), \
    INLINE(initiator, IF(type, DISK_NETWORK)), \
    INLINE(ssl, IF(type, DISK_NETWORK)), \
    INLINE(readahead, IF(type, DISK_NETWORK)), \
    INLINE(timeout, IF(type, DISK_NETWORK)), \
    INLINE(reconnect, IF(type, DISK_NETWORK))
#define INDEX_ROW ATTR("index", source_index, opt_u32, "number of the image while the guest runs", LIVE_ONLY)
const struct element disk_source_element =
    ELEMENT("source", "Where the data are.", SOURCE_ROWS, INDEX_ROW);
PART(backing_source, "source", "Where the data are.", SOURCE_ROWS);

PART(format, "format", "How the data are written down.",
    ATTR("type", format, disk_format, "format of the image", REQUIRED, CODE(ERR_CONFIG_UNSUPPORTED)));

/* Without a type it says that nothing is below. */
static void backing_check(void *self, struct xml_context *x)
{
    struct disk *image = self;
    image->readonly = true;
    if ((image->type == DISK_FILE || image->type == DISK_BLOCK) && !disk_path(image))
        xml_refuse(x, image, ERR_XML, NULL, "a backing image needs a source");
}

const struct element backing_element = ELEMENT_CHECKED("backingStore", "The image below.", backing_check,
    ATTR("type", type, disk_type, "kind of source; none: there is no image below"),
    INDEX_ROW,
    INLINE(format, REQUIRED, UNLESS(type, DISK_TYPE_ABSENT)),
    INLINE(backing_source, REQUIRED, UNLESS(type, DISK_TYPE_ABSENT)), CHILD(backing, backing_element));

const struct disk *disk_below(const struct disk *image)
{
    return image->backing && image->backing->type ? image->backing : NULL;
}

size_t disk_images_below(const struct disk *disk)
{
    size_t count = 0;
    for (const struct disk *image = disk_below(disk); image; image = disk_below(image))
        count++;
    return count;
}

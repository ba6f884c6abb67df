/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/filesystem.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(filesystem_type, FILESYSTEM_TYPES);
DEFINE_ENUM_CODEC(access_mode, ACCESS_MODES);
DEFINE_ENUM_CODEC(multidevs, MULTIDEVS);
DEFINE_ENUM_CODEC(filesystem_model, FILESYSTEM_MODELS);
DEFINE_ENUM_CODEC(filesystem_driver, FILESYSTEM_DRIVERS);
DEFINE_WORDS_CODEC(write_policy, "immediate");

static void filesystem_check(void *self, struct xml_context *x)
{
    const struct filesystem *filesystem = self;
    if (filesystem->type == FILESYSTEM_MOUNT && !filesystem->source && !filesystem->socket)
        xml_refuse(x, filesystem, ERR_XML, "<source dir='...'>", "a filesystem needs a folder");
}

#define SELF struct filesystem
PART(driver, "driver", "How the guest reaches it.",
    ATTR("type", driver, filesystem_driver, "kind of driver"),
    ATTR("wrpolicy", write_policy, write_policy, "write through the host's cache"),
    ATTR("queue", queue, u32, "size of the queue", NONZERO),
    VIRTIO_ROWS);
PART(source, "source", "The folder.",
    ATTR("dir", source, string, "path", IF(type, FILESYSTEM_MOUNT, FILESYSTEM_BIND)),
    ATTR("socket", socket, string, "socket of a virtiofs daemon", IF(type, FILESYSTEM_MOUNT)));
PART(target, "target", "How the guest sees it.", ATTR("dir", target, string, "name to mount", REQUIRED));
BOOT_PART;
ALIAS_PART;

const struct element filesystem_element = ELEMENT_CHECKED(
    "filesystem", "A folder of the host.", filesystem_check,
    ATTR("type", type, filesystem_type, "kind of source", DEFAULT("mount")),
    ATTR("accessmode", access, access_mode, "whose rights the files have", DEFAULT("passthrough")),
    ATTR("model", model, filesystem_model, "model of the device"),
    ATTR("multidevs", multidevs, multidevs, "what happens if there are several devices in the folder"),
    ATTR("fmode", file_mode, string, "mode of new files"),
    ATTR("dmode", folder_mode, string, "mode of new folders"),
    INLINE(driver), INLINE(source), INLINE(target, REQUIRED),
    FLAG("readonly", readonly, "The guest cannot write to it."),
    INLINE(boot), INLINE(alias), CHILD(address, address_element));

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "conf/defaults.h"
#include "conf/machine.h"
#include "xml/element.h"

/* How a bus numbers its drives. */
static const struct layout {
    enum disk_bus bus;
    enum controller_type controller;
    uint32_t units, buses;              /* units of a bus, buses of a controller */
} layouts[] = {
    { DISK_BUS_IDE, CONTROLLER_IDE, 2, 2 },
    { DISK_BUS_SATA, CONTROLLER_SATA, 6, 1 },
    { DISK_BUS_SCSI, CONTROLLER_SCSI, 15, 1 },
    { DISK_BUS_FDC, CONTROLLER_FDC, 2, 1 },
};

static const struct layout *find_layout(enum disk_bus bus)
{
    for (size_t i = 0; i < ARRAY_COUNT(layouts); i++)
        if (layouts[i].bus == bus)
            return &layouts[i];
    return NULL;
}

/* The place that the target's name stands for.  Unit 7 of a scsi bus is the controller itself. */
static void place(const struct layout *layout, uint32_t index, struct drive_address *ret_drive)
{
    uint32_t all = layout->units * layout->buses;
    *ret_drive = (struct drive_address) {
        .controller = index / all, .bus = index % all / layout->units, .unit = index % layout->units,
    };
    if (layout->bus == DISK_BUS_SCSI && ret_drive->unit >= 7)
        ret_drive->unit++;
}

static void place_disk(struct disk *disk, const struct layout *layout, struct arena *arena)
{
    uint32_t index;
    if ((disk->address && disk->address->type != ADDRESS_NONE) || !disk_target_index(disk->target, &index))
        return;
    struct address *address = ARENA_NEW(arena, struct address);
    address->type = ADDRESS_DRIVE;
    place(layout, index, &address->drive);
    disk->address = address;
}

static void add_controllers(struct domain_def *def, const struct layout *layout, uint32_t most,
                            struct arena *arena)
{
    enum machine_kind kind = machine_kind(def);
    for (uint32_t i = 0; i <= most; i++) {
        if (find_controller(def, layout->controller, i))
            continue;
        enum controller_model model = CONTROLLER_MODEL_ABSENT;
        if (layout->controller == CONTROLLER_SCSI && kind != MACHINE_OTHER)
            model = CONTROLLER_LSILOGIC;
        defaults_add_controller(def, layout->controller, i, model, arena);
    }
}

/* More controllers of a kind than this come from a stray address, not from somebody's wish. */
enum { CONTROLLERS_MAX = 256 };

static bool check_controller(const struct domain_def *def, const struct disk *disk,
                             const struct layout *layout, struct xml_context *x)
{
    uint32_t index = disk->address->drive.controller, most = CONTROLLERS_MAX;
    if ((layout->controller == CONTROLLER_IDE || layout->controller == CONTROLLER_FDC) &&
        machine_kind(def) != MACHINE_OTHER)
        most = 1;
    if (index < most)
        return true;
    xml_refuse(x, disk, ERR_CONFIG_UNSUPPORTED, NULL,
               "disk '%s' needs %s controller %u; there can be %u of a kind", disk->target,
               enum_word(&controller_type_names, layout->controller), index, most);
    return false;
}

void defaults_place_disks(struct domain_def *def, struct xml_context *x)
{
    uint32_t most[ARRAY_COUNT(layouts)];
    bool used[ARRAY_COUNT(layouts)] = { false };
    for (size_t i = 0; i < def->disks.count; i++) {
        struct disk *disk = def->disks.items[i];
        const struct layout *layout = find_layout(disk->bus);
        if (!layout)
            continue;
        place_disk(disk, layout, xml_arena(x));
        if (!disk->address || disk->address->type != ADDRESS_DRIVE || !check_controller(def, disk, layout, x))
            continue;
        size_t k = (size_t) (layout - layouts);
        uint32_t controller = disk->address->drive.controller;
        most[k] = used[k] && most[k] > controller ? most[k] : controller;
        used[k] = true;
    }
    for (size_t k = 0; k < ARRAY_COUNT(layouts); k++)
        if (used[k])
            add_controllers(def, &layouts[k], most[k], xml_arena(x));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/machine.h"

#include "base/text.h"
#include "conf/domain_def.h"

bool machine_is_x86(const struct domain_def *def)
{
    return text_equal(def->os.arch, "x86_64") || text_equal(def->os.arch, "i686");
}

bool machine_is_microvm(const struct domain_def *def)
{
    return machine_is_x86(def) && text_equal(def->os.machine, "microvm");
}

enum machine_kind machine_kind(const struct domain_def *def)
{
    const char *machine = def->os.machine;
    if (!machine || !machine_is_x86(def))
        return MACHINE_OTHER;
    if (text_equal(machine, "q35") || text_starts(machine, "pc-q35-"))
        return MACHINE_Q35;
    if (text_equal(machine, "pc") || text_starts(machine, "pc-i440fx-") || text_starts(machine, "pc-0.") ||
        text_starts(machine, "pc-1.") || text_starts(machine, "rhel"))
        return MACHINE_PC;
    return MACHINE_OTHER;
}

/* What any emulator's machine of this kind can have; the one at hand may have less, which a start finds out.
 * */
uint32_t machine_max_vcpus(enum machine_kind kind)
{
    switch (kind) {
    case MACHINE_PC: return 255;
    case MACHINE_Q35: return 4096;
    default: return 1024;
    }
}

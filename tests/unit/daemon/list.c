/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "daemon/domain_list.h"
#include "domain/domain.h"

static struct domain running = { .id = 1, .state = DOMAIN_RUNNING, .persistent = true, .autostart = true };
static struct domain paused = { .id = 2, .state = DOMAIN_PAUSED };
static struct domain defined = { .id = -1, .state = DOMAIN_SHUTOFF, .persistent = true };
static struct domain on_its_way = { .id = -1, .state = DOMAIN_SHUTOFF };

static void expect(unsigned flags, bool first, bool second, bool third)
{
    cr_assert_eq(domain_list_matches(&running, flags), first, "running, 0x%x", flags);
    cr_assert_eq(domain_list_matches(&paused, flags), second, "paused, 0x%x", flags);
    cr_assert_eq(domain_list_matches(&defined, flags), third, "defined, 0x%x", flags);
    cr_assert_not(domain_list_matches(&on_its_way, flags), "not yet there, 0x%x", flags);
}

Test(list, words_of_a_group_are_alternatives_and_groups_are_conditions)
{
    expect(0, true, true, true);
    expect(LIST_ACTIVE, true, true, false);
    expect(LIST_INACTIVE, false, false, true);
    expect(LIST_ACTIVE | LIST_INACTIVE, true, true, true);
    expect(LIST_PERSISTENT, true, false, true);
    expect(LIST_TRANSIENT, false, true, false);
    expect(LIST_RUNNING, true, false, false);
    expect(LIST_PAUSED | LIST_SHUTOFF, false, true, true);
    expect(LIST_OTHER, false, false, false);
    expect(LIST_AUTOSTART, true, false, false);
    expect(LIST_NO_AUTOSTART | LIST_ACTIVE, false, true, false);
    expect(LIST_ACTIVE | LIST_SHUTOFF, false, false, false);
}

Test(list, there_are_no_snapshots_checkpoints_or_saved_images)
{
    expect(LIST_SNAPSHOT, false, false, false);
    expect(LIST_NO_SNAPSHOT | LIST_NO_CHECKPOINT | LIST_NO_MANAGED_SAVE, true, true, true);
    expect(LIST_CHECKPOINT, false, false, false);
    expect(LIST_MANAGED_SAVE, false, false, false);
}

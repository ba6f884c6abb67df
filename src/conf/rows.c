/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/rows.h"

#include "base/text.h"

bool alias_is_users(const void *member)
{
    const char *alias = *(const char *const *) member;
    return alias && text_starts(alias, "ua-");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* disk_names.h - which disk a client means. */
#pragma once
#include "base/error.h"
#include "conf/domain_def.h"

/* By target or by source; NULL and an error if there is none. */
const struct disk *disk_by_name(const struct domain_def *def, const char *name, struct error *err);

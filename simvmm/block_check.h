/* SPDX-License-Identifier: Apache-2.0 */
/* block_check.h - the words of -blockdev and blockdev-add, before anything is opened. */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "json/json.h"

/* `strict`: written as JSON, where "on" is no boolean. */
int block_check(const struct json *given, bool strict, struct error *err);
bool block_is_format(const char *driver);       /* lies on another node */
bool block_is_driver(const char *driver);       /* or a protocol */

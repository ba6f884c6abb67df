/* SPDX-License-Identifier: Apache-2.0 */
/* uuid.h - 16 bytes and their text form. */
#pragma once
#include <stdbool.h>

enum { UUID_TEXT_SIZE = 37 };

struct uuid { unsigned char bytes[16]; };

struct uuid uuid_random(void);
/* 32 hexadecimal digits with hyphens or not, as libvirt reads them; false for anything else. */
bool uuid_parse(const char *text, struct uuid *ret_uuid);
void uuid_format(const struct uuid *uuid, char ret_text[UUID_TEXT_SIZE]);
bool uuid_equal(const struct uuid *a, const struct uuid *b);
bool uuid_is_zero(const struct uuid *uuid);

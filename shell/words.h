/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - a line typed at the prompt, cut into commands and words.
 *
 * Words are parted by blanks, commands by semicolons and line ends; '#' at a word's start begins a comment.
 * '...' keeps everything, "..." keeps all but a backslash's escape, and a backslash keeps the next character.
 */
#pragma once
#include <stddef.h>

#include "base/error.h"

/* Takes the next command off *text.  The words end with NULL; NULL without an error when there is none left.
 * Release with words_free(). */
char **words_next(const char **text, size_t *ret_count, struct error *err);
void words_free(char **words);

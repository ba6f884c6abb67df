/* SPDX-License-Identifier: Apache-2.0 */
#include "recorded.h"

#include <stdlib.h>

#include "base/memory.h"

char *recorded_path(const char *name)
{
    const char *shared = getenv("DOMUS_SHARED");
    return memory_printf("%s/corpus/upstream/public/%s", shared ? shared : "../shared", name);
}

void recorded_split(const char *text, struct argv *argv)
{
    owned_buffer struct buffer word = { 0 };
    bool quoted = false, any = false;
    for (; *text; text++) {
        if (*text == '\'') {
            quoted = !quoted;
            any = true;
        } else if (!quoted && *text == '\\' && text[1] == '\n') {
            text++;
        } else if (!quoted && *text == '\\' && text[1]) {
            buffer_add_char(&word, *++text);
        } else if (!quoted && (*text == ' ' || *text == '\n')) {
            if (word.length || any)
                argv_add(argv, buffer_text(&word));
            buffer_drop(&word, word.length);
            any = false;
        } else {
            buffer_add_char(&word, *text);
        }
    }
}

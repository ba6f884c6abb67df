/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/faults.h"

void fault_print(FILE *out, const char *file, bool is_error, unsigned line, const char *path,
                 const char *text)
{
    fprintf(out, "%s:", file);
    if (line)
        fprintf(out, "%u:", line);
    fprintf(out, " %s: ", is_error ? "error" : "warning");
    if (path && *path)
        fprintf(out, "%s: ", path);
    fprintf(out, "%s\n", text);
}

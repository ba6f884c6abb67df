/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over the files named, without libFuzzer. */
#include <stdint.h>
#include <stdio.h>

#include "base/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int main(int argc, char **argv)
{
    error_scope(err);
    owned_buffer struct buffer input = { 0 };
    for (int i = 1; i < argc; i++) {
        if (file_read(argv[i], 64 << 20, &input, &err) < 0) {
            fprintf(stderr, "%s\n", error_text(&err));
            return 1;
        }
        fprintf(stderr, "%s\n", argv[i]);
        LLVMFuzzerTestOneInput((const uint8_t *) buffer_text(&input), input.length);
    }
    return 0;
}

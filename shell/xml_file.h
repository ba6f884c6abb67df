/* SPDX-License-Identifier: Apache-2.0 */
/* xml_file.h - the XML that a command's --file names. */
#pragma once
#include "base/buffer.h"
#include "shell/arguments.h"

enum { XML_FILE_MAX = 4 << 20 };        /* more than that the daemon would not take */

#define XML_FILE_PARAMETER                                                                                   \
    {                                                                                                        \
        "file", PARAMETER_TEXT, .position = true, .required = true,                                          \
                                .help = "file with XML, - is standard input"                                 \
    }

int xml_file_read(const char *path, struct buffer *out, struct error *err);

/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/xml_file.h"

#include "base/files.h"
#include "base/text.h"

int xml_file_read(const char *path, struct buffer *out, struct error *err)
{
    return file_read(text_equal(path, "-") ? "/dev/stdin" : path, XML_FILE_MAX, out, err);
}

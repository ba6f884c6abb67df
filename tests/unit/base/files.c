/* SPDX-License-Identifier: Apache-2.0 */
#include "base/files.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/own.h"

Test(files, a_file_is_replaced_read_back_listed_and_removed)
{
    error_scope(err);
    char root[] = "/tmp/domus-XXXXXX";
    cr_assert(mkdtemp(root));
    owned_memory char *folder = memory_printf("%s/a/b", root);
    owned_memory char *path = memory_printf("%s/x.xml", folder);
    owned_buffer struct buffer text = { 0 };
    cr_assert_eq(folder_make(folder, 0700, &err), 0);
    cr_assert_eq(file_replace(path, "one", 3, 0600, &err), 0);
    owned_memory char *leftover = memory_printf("%s.new", path);
    cr_assert_eq(file_replace(leftover, "of a crash", 10, 0600, &err), 0);
    cr_assert_eq(file_replace(path, "second", 6, 0600, &err), 0);
    cr_assert_eq(file_read(path, 6, &text, &err), 0);
    cr_assert_str_eq(text.data, "second");
    cr_assert_eq(file_read(path, 5, &text, &err), -1, "the limit holds");
    char **names;
    size_t count;
    cr_assert_eq(folder_list(folder, &names, &count, &err), 0);
    cr_assert_eq(count, 1);
    cr_assert_str_eq(names[0], "x.xml");
    folder_names_free(names, count);
    cr_assert_eq(file_replace(leftover, "of a crash", 10, 0600, &err), 0);
    cr_assert_eq(file_swap(path, "3", 1, 0600, &err), 0);
    cr_assert_eq(file_read(path, 5, &text, &err), 0);
    cr_assert_str_eq(text.data, "3");
    cr_assert_eq(file_drop(path, &err), 0);
    cr_assert_eq(file_drop(path, &err), 0, "a missing file is no error");
    cr_assert_eq(file_replace(path, "again", 5, 0600, &err), 0);
    cr_assert_eq(file_remove(path, &err), 0);
    cr_assert_eq(file_remove(path, &err), 0, "a missing file is no error");
    owned_memory char *nowhere = memory_printf("%s/none/x", path);
    cr_assert_eq(file_remove(nowhere, &err), 0, "nor is one in a folder that is missing, too");
    cr_assert_eq(file_read(path, 6, &text, &err), -1);
    rmdir(folder);
    owned_memory char *above = memory_printf("%s/a", root);
    rmdir(above);
    cr_assert_eq(rmdir(root), 0);
}

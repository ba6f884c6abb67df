/* SPDX-License-Identifier: Apache-2.0 */
/* files.h - small files, whole.
 *
 * These block for as long as the file system takes; on the loop's thread they belong into await_work().
 */
#pragma once
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"

/* Reads the whole file into `out` (which is emptied first).  More than `limit` bytes is an error. */
int file_read(const char *path, size_t limit, struct buffer *out, struct error *err);
/* The same of one that must not keep us waiting: a pipe, a device or a folder in its place is an error. */
int file_read_regular(const char *path, size_t limit, struct buffer *out, struct error *err);
/* Replaces the file so that after a crash either the old or the new one is there, whole: a temporary file in
 * the same folder, fsync, rename, fsync of the folder. */
int file_replace(const char *path, const void *bytes, size_t length, mode_t mode, struct error *err);
/* Removes it and fsyncs the folder; a missing file is no error. */
int file_remove(const char *path, struct error *err);
/* The same two without a sync: whole for everybody else at any moment, whenever we are killed.  Only a
 * crash of the host may leave the old file, none, an empty or a torn one.  For caches, and for what a host
 * that crashed has no use for. */
int file_swap(const char *path, const void *bytes, size_t length, mode_t mode, struct error *err);
int file_drop(const char *path, struct error *err);
/* Makes the folder and those above it. */
int folder_make(const char *path, mode_t mode, struct error *err);
/* For main(): where 0, 1 or 2 is closed, the next socket would get that number, and what is printed.
 * Writing to what stands there now fails. */
void files_fill_standard(void);
/* Sorted names, without "." and ".."; for folder_names_free().  A missing folder is empty. */
int folder_list(const char *path, char ***ret_names, size_t *ret_count, struct error *err);
void folder_names_free(char **names, size_t count);

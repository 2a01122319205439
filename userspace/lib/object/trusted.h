/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that root alone could have written. */
#ifndef SPT_TRUSTED_H
#define SPT_TRUSTED_H

#include <glib.h>
#include <stdbool.h>
#include <sys/stat.h>

G_BEGIN_DECLS

/*
 * Opens the regular file at @path, an absolute path without links, for reading.  Root must own it
 * and each directory above it, and nobody else may be able to write to them.  -1 and errno; EPERM:
 * that is not so.
 */
int spt_trusted_open(const char *path);
/* Whether the file at @path is the one that is open as @fd. */
bool spt_trusted_is(const char *path, int fd);
bool spt_is_same_file(const struct stat *a, const struct stat *b);

G_END_DECLS

#endif

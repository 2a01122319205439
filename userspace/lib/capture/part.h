/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FILE.part, which a capture is while it is written. */
#ifndef SPT_CAPTURE_PART_H
#define SPT_CAPTURE_PART_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/*
 * Makes a new file at @path, replacing one that nobody writes any more.  Only its owner can read
 * it, since recordings have other users' command lines.  The descriptor, which has it locked, or -1
 * and errno; EWOULDBLOCK: somebody writes it.
 */
int spt_part_create(const char *path);
/* Why spt_part_create() failed with @number: part of a sentence. */
char *spt_part_failure(const char *path, int number);
/* Whether @path still is the name of the file that @fd writes. */
bool spt_part_is_named(int fd, const char *path);
/*
 * Renames an existing file at @path, which is about to be replaced, to @path.old.  True also if
 * there is none.  False: errno says why.
 */
bool spt_part_keep_old(const char *path);

G_END_DECLS

#endif

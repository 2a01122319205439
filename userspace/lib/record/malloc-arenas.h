/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What glibc's allocator does with its arenas: the marks (SDT) that it has for that, where it was
 * built with them.  profile/malloc-arenas.h adds them up.
 */
#ifndef SPT_RECORD_MALLOC_ARENAS_H
#define SPT_RECORD_MALLOC_ARENAS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/*
 * The file with the allocator of @command, which is looked up in PATH, or else of the @n @pids: the
 * C library that they use, or the program itself if it uses none; this machine's, "libc", if there
 * is neither.  NULL: the processes have different ones.  To be freed.
 */
char *spt_malloc_arenas_file(const char *command, const uint32_t *pids, unsigned n,
			     GError **error);
/*
 * Appends the marks of @file, a C library or static program (a path, or "libc" for this machine's) to @points, with
 * names for their arguments.  False: it has none, or cannot be read.
 */
bool spt_malloc_arenas_find(GPtrArray *points, const char *file, GError **error);

G_END_DECLS

#endif

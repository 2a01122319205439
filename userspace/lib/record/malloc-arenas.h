/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What glibc's allocator does with its arenas: the marks (SDT) that it has for that, where it was
 * built with them.  profile/malloc-arenas.h adds them up.
 */
#ifndef SPT_RECORD_MALLOC_ARENAS_H
#define SPT_RECORD_MALLOC_ARENAS_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/*
 * Appends the marks of the C library @file (a path, or "libc" for this machine's) to @points, with
 * names for their arguments.  False: it has none, or cannot be read.
 */
bool spt_malloc_arenas_find(GPtrArray *points, const char *file, GError **error);

G_END_DECLS

#endif

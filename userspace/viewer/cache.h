/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that were not saved, below the user's cache directory. */
#ifndef SPT_CACHE_H
#define SPT_CACHE_H

#include <glib.h>
#include <stdbool.h>

/* A name for a new recording.  Makes room: only the newest few older ones stay. */
char *spt_cache_new_path(GError **error);
/*
 * A title for @path, a recording of @what: "mt-2026-11-23"; NULL: it is not in the cache.  The
 * caller frees it.
 */
char *spt_cache_title(const char *path, const char *what);
bool spt_cache_owns(const char *path);

#endif

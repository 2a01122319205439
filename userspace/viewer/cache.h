/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where recordings lie that nobody saved: below the user's cache directory. */
#ifndef SPT_CACHE_H
#define SPT_CACHE_H

#include <glib.h>
#include <stdbool.h>

/* A name for a new recording.  Makes room: of the older ones only the newest few stay. */
char *spt_cache_new_path(GError **error);
/*
 * What to call @path, which a recording of @what was made in, as "mt-2026-11-23"; NULL if it is not
 * of the cache.  To be freed.
 */
char *spt_cache_title(const char *path, const char *what);
bool spt_cache_owns(const char *path);

#endif

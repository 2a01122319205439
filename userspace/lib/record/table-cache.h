/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables that were compiled once, kept as files by a key of what they were made of
 * (unwind/extract.h): a build-id, which a file states of itself, would let one file's table stand
 * for another's.  What is read is taken for hostile: it has to be of the very key, with the right
 * checksum, and a table as unwind/table.h describes it; else it is as if it were not there.  Any
 * thread.
 */
#ifndef SPT_TABLE_CACHE_H
#define SPT_TABLE_CACHE_H

#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct SptTableCache SptTableCache;

/* Tables of the system's programs, that root has made for everybody (sysprof-cli tables). */
#define SPT_TABLE_CACHE_OF_SYSTEM "/var/cache/sysprof-trace/unwind"

/*
 * In directory @path, made if it is not there; its files are bounded by @max_bytes: the least
 * recently used ones go.  NULL if the directory cannot be had, or others than the user could have
 * put something there.
 */
SptTableCache *spt_table_cache_new(const char *path, uint64_t max_bytes);
/* The user's own. */
SptTableCache *spt_table_cache_of_user(void);
/*
 * The one of the system: its files are for everybody to read, and for root to write.  NULL if it is
 * not there, or others could have put something there.
 */
SptTableCache *spt_table_cache_of_system(const char *path);
void spt_table_cache_free(SptTableCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTableCache, spt_table_cache_free)

/* @kind distinguishes two tables of the same key.  NULL: there is none. */
SptUnwindTable *spt_table_cache_get(SptTableCache *cache, const uint8_t *key, unsigned n,
				    char kind);
/* Without success if there is no room, or no right to write. */
void spt_table_cache_put(SptTableCache *cache, const uint8_t *key, unsigned n, char kind,
			 const SptUnwindTable *table);

G_END_DECLS

#endif

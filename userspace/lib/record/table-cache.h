/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled unwind tables, kept as files by a key of their contents (unwind/extract.h).  A build-id
 * would not do: a file states it of itself, so one file could replace another's table.  What is
 * read may be hostile.  It must have the same key and the right checksum, and be a table as
 * unwind/table.h describes it; else it is ignored.  Any thread.
 */
#ifndef SPT_TABLE_CACHE_H
#define SPT_TABLE_CACHE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct SptTableCache SptTableCache;

/* Tables of the system's programs that root has made for everybody (sysprof-cli tables). */
#define SPT_TABLE_CACHE_OF_SYSTEM "/var/cache/sysprof-trace/unwind"

/*
 * The cache in directory @path, which is made if it is not there.  @max_bytes limits its files; the
 * least recently used ones are deleted.  NULL: there can be no such directory, or others than the
 * user could have put something there.
 */
SptTableCache *spt_table_cache_new(const char *path, uint64_t max_bytes);
/* The cache of this user. */
SptTableCache *spt_table_cache_of_user(void);
/*
 * The cache of the system: everybody can read its files, and root can write them.  NULL: it is not
 * there, or others could have put something there.
 */
SptTableCache *spt_table_cache_of_system(const char *path);
void spt_table_cache_free(SptTableCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTableCache, spt_table_cache_free)

/* @kind distinguishes two tables of the same key.  NULL: there is none. */
SptUnwindTable *spt_table_cache_get(SptTableCache *cache, const uint8_t *key, unsigned n,
				    char kind);
/* Does nothing if there is no room, or no right to write. */
void spt_table_cache_put(SptTableCache *cache, const uint8_t *key, unsigned n, char kind,
			 const SptUnwindTable *table);

/*
 * The key of a file of which @stat says all, as it was put; for files that only root can change,
 * since making one reads some MiB.  False: there is none.
 */
bool spt_table_cache_get_key(SptTableCache *cache, const struct stat *stat, uint8_t *ret,
			     unsigned n);
/*
 * Does nothing with a file that was changed a moment ago, and may be once more at that time, or
 * whose time has no fraction: in an image those of other files may be the same.
 */
void spt_table_cache_put_key(SptTableCache *cache, const struct stat *stat, const uint8_t *key,
			     unsigned n);

G_END_DECLS

#endif

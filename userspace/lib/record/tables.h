/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind tables of objects.  A thread beside the recorder makes those of what is mapped, so that they are there when the first stack
 * leads through it; who cannot wait makes them himself.  They are kept on disk, too, for the next recording.
 */
#ifndef SPT_TABLES_H
#define SPT_TABLES_H

#include "object/object.h"
#include "record/table-cache.h"
#include "trace/trace.h"
#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct SptTables SptTables;

/* The file of an object; NULL: there is none.  Called by those who call expect() and get(), in their thread. */
typedef const SptObject *(*SptTablesOpen)(uint32_t object, void *data);

/* Hands @table, of @file, to the module.  0, or why it was not taken: ENODATA @file has no build-id, else as spt_trace_give_table(); one that is
 * there already is taken. */
int spt_tables_give(SptTrace *trace, const SptObject *file, const SptUnwindTable *table);
/* The table of @file, from @cache (may be NULL) or else made, and then put there; the caller's.  NULL: it has no information for unwinding. */
SptUnwindTable *spt_tables_make(SptTableCache *cache, const SptObject *file);

/* @cache_path: a directory to keep tables in, beside the system's, NULL for none. */
SptTables *spt_tables_new(SptTablesOpen open, void *data, const char *cache_path);
void spt_tables_free(SptTables *tables);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTables, spt_tables_free)

/* One thread calls these.  @object may soon be asked for; @is_kept_only: its table is not to be made, if it is not kept.  True: it was not expected
 * before. */
bool spt_tables_expect(SptTables *tables, uint32_t object, bool is_kept_only);
/* Whether an expected one's turn has come; then the table, the tables' own, NULL: it has none. */
bool spt_tables_is_done(SptTables *tables, uint32_t object, const SptUnwindTable **ret);
/* NULL: it has no information for unwinding.  The tables' own, until they are dropped. */
SptUnwindTable *spt_tables_get(SptTables *tables, uint32_t object);
/* Whether the code of @object is known to keep frame pointers. */
bool spt_tables_keep_frame_pointer(SptTables *tables, uint32_t object);
/* Calls @each for every object that was asked for and has a table. */
void spt_tables_foreach(SptTables *tables, void (*each)(uint32_t object, bool keeps_frame_pointer, void *data), void *data);
/* If they take too much memory all are dropped, to be made again as they are needed; true then. */
bool spt_tables_trim(SptTables *tables);

G_END_DECLS

#endif

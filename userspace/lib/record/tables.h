/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind tables of objects.  Threads beside the recorder find those of what is mapped or have
 * them made, so that they are there when the first stack leads through it; who asks before waits a
 * short time.  A helper reads the files, so that whatever is in one costs the helper, and that file
 * its table.  They are kept on disk, too, for the next recording.
 */
#ifndef SPT_TABLES_H
#define SPT_TABLES_H

#include "object/object.h"
#include "record/output.h"
#include "record/table-cache.h"
#include "symbols/reader.h"
#include "trace/trace.h"
#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct SptTables SptTables;

/*
 * The file of an object; NULL: there is none.  Called by those who call expect() and get(), in
 * their thread.
 */
typedef const SptObject *(*SptTablesOpen)(uint32_t object, void *data);
/*
 * What reads the file of an object has failed: why, as a part of a sentence.  Called by those who
 * call is_done() and get(), once for each.
 */
typedef void (*SptTablesFailed)(uint32_t object, const char *problem, void *data);

/*
 * Hands @table, of @file, to the module.  0, or why it was not taken: ENODATA @file has no
 * build-id, EPERM it would serve everybody and others than root could have written @file, which
 * states its build-id itself, else as spt_trace_give_table(); one that is there already is taken.
 */
int spt_tables_give(SptTrace *trace, const SptObject *file, const SptUnwindTable *table);
/* What reads files for spt_tables_make(). */
SptReader *spt_tables_reader(void);
/*
 * The table of @file, from @cache or else made, and then put there; the caller's.  NULL and an
 * SPT_UNWIND_ERROR: it has none, or what reads it failed.
 */
SptUnwindTable *spt_tables_make(SptTableCache *cache, SptReader *reader, const SptObject *file,
				GError **error);

/* The same, or from the system's cache; NULL also if *@stop has become other than 0. */
SptUnwindTable *spt_tables_have(SptTableCache *cache, SptReader *reader, const SptObject *file,
				const gint *stop);

/*
 * @cache becomes the tables': where they are kept, beside the system's; NULL: nowhere.  So does
 * @reader.
 */
SptTables *spt_tables_new(SptTablesOpen open, SptTablesFailed failed, void *data,
			  SptTableCache *cache, SptReader *reader);
/* Who asks waits for a table no longer than @may_wait says so; asked now and then meanwhile. */
void spt_tables_wait_while(SptTables *tables, bool (*may_wait)(void *data), void *data);
/*
 * Those of the files that @output holds, which outlives them; kept in the user's cache.  What fails
 * is noted in the recording.  They take an eighth of the memory that @output may have.
 */
SptTables *spt_tables_of_output(SptOutput *output);
/* They are dropped when they take more than @bytes; half of it is for what nobody asked for. */
void spt_tables_limit(SptTables *tables, uint64_t bytes);
void spt_tables_free(SptTables *tables);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTables, spt_tables_free)

/*
 * One thread calls these.  @object may soon be asked for; @is_kept_only: its table is not to be
 * made, if it is not kept.  True: it was not expected before.
 */
bool spt_tables_expect(SptTables *tables, uint32_t object, bool is_kept_only);
/* Whether an expected one's turn has come; then the table, the tables' own, NULL: it has none. */
bool spt_tables_is_done(SptTables *tables, uint32_t object, const SptUnwindTable **ret);
/*
 * NULL: it has no information for unwinding, or what reads it is late.  The tables' own, until they
 * are dropped.
 */
SptUnwindTable *spt_tables_get(SptTables *tables, uint32_t object);
/* Whether the code of @object is known to keep frame pointers. */
bool spt_tables_keep_frame_pointer(SptTables *tables, uint32_t object);
/* Calls @each for every object that was asked for and has a table. */
void spt_tables_foreach(SptTables *tables,
			void (*each)(uint32_t object, bool keeps_frame_pointer, void *data),
			void *data);
/*
 * True: ask again.  One that was late has come; or they took too much memory, and all were dropped,
 * to be made again as they are needed.
 */
bool spt_tables_renew(SptTables *tables);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind tables of objects.  Threads beside the recorder find or make the tables of mapped
 * objects, so that they are there when the first stack needs one.  Before that, a caller waits a
 * short time.  A helper process reads the files, so that a hostile file only costs the helper, and
 * that file its table.  Tables are also kept on disk, for the next recording.
 */
#ifndef SPT_TABLES_H
#define SPT_TABLES_H

#include "object/object.h"
#include "record/output.h"
#include "record/table-cache.h"
#include "symbols/helpers.h"
#include "trace/trace.h"
#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct SptTables SptTables;

/*
 * Returns the file of an object; NULL: there is none.  Called by expect() and get(), in their
 * thread.
 */
typedef const SptObject *(*SptTablesOpen)(uint32_t object, void *data);
/*
 * Reports that the helper of an object's file has failed: @problem is a part of a sentence.  Called
 * by is_done() and get(), once for each object.
 */
typedef void (*SptTablesFailed)(uint32_t object, const char *problem, void *data);

/*
 * Gives @table, of @file, to the module: for all files with its build-id, if root alone could have
 * written it, else for this file alone.  @object: the mapped file that it should be; 0: any.
 * Returns 0, also if the module has it already, or why it was refused: ESTALE (it is another file),
 * ENOENT (the module does not know it), or as spt_tables_give_all().
 */
int spt_tables_give(SptTrace *trace, const SptObject *file, const SptUnwindTable *table,
		    uint32_t object);
/*
 * The same for all files with its build-id, or not at all: ENODATA (@file has no build-id), EPERM
 * (it would serve everybody, and others than root could have written @file, which states its
 * build-id itself), or an error of spt_trace_give_table().
 */
int spt_tables_give_all(SptTrace *trace, const SptObject *file, const SptUnwindTable *table);
/*
 * Whether what is made of @file is given for this file alone: it has no build-id, or others than
 * root could have written it.
 */
bool spt_tables_are_of_file(const SptObject *file);
/*
 * Whether the module can be given what it uses by the build-id of @file: 0, or ENODATA or EPERM as
 * above.
 */
int spt_tables_may_give(const SptObject *file);
/* The helper of files for spt_tables_make(). */
SptHelpers *spt_tables_helpers(void);
/*
 * The table of @file, from @cache, or else made and put there; the caller owns it.  NULL and an
 * SPT_UNWIND_ERROR: it has none, or its helper failed.
 */
SptUnwindTable *spt_tables_make(SptTableCache *cache, SptHelpers *helpers, const SptObject *file,
				GError **error);

/* The same, or from the system's cache; NULL also if *@stop is not 0 any more. */
SptUnwindTable *spt_tables_have(SptTableCache *cache, SptHelpers *helpers, const SptObject *file,
				const gint *stop);

/*
 * Takes over @cache, in which the tables are kept, beside the system's (NULL: nowhere), and
 * @helper.
 */
SptTables *spt_tables_new(SptTablesOpen open, SptTablesFailed failed, void *data,
			  SptTableCache *cache, SptHelpers *helpers);
/* A caller waits for a table only while @may_wait returns true; it is called from time to time. */
void spt_tables_wait_while(SptTables *tables, bool (*may_wait)(void *data), void *data);
/*
 * The tables of the files that @output holds, which outlives them.  They are kept in the user's
 * cache.  Failures are noted in the recording.  They use an eighth of the memory that @output may
 * have.
 */
SptTables *spt_tables_of_output(SptOutput *output);
/* Drops tables when they take more than @bytes; half of that is for tables that nobody has used. */
void spt_tables_limit(SptTables *tables, uint64_t bytes);
void spt_tables_free(SptTables *tables);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTables, spt_tables_free)

/*
 * One thread calls these.  @object may soon be needed; @is_kept_only: its table is not made if it
 * is not in a cache.  True: it was not expected before.
 */
bool spt_tables_expect(SptTables *tables, uint32_t object, bool is_kept_only);
/*
 * Whether an expected table is done; @ret: the table, owned by the tables; NULL: the object has
 * none.
 */
bool spt_tables_is_done(SptTables *tables, uint32_t object, const SptUnwindTable **ret);
/*
 * The table of @object, owned by the tables until it is dropped.  NULL: the object has no unwind
 * information, or its helper is late.
 */
SptUnwindTable *spt_tables_get(SptTables *tables, uint32_t object);
/* The same without waiting.  False: its table is not made yet. */
bool spt_tables_get_now(SptTables *tables, uint32_t object, SptUnwindTable **ret);
/* Whether the code of @object is known to keep frame pointers. */
bool spt_tables_keep_frame_pointer(SptTables *tables, uint32_t object);
/* Calls @each for every object that was requested and has a table. */
void spt_tables_foreach(SptTables *tables,
			void (*each)(uint32_t object, bool keeps_frame_pointer, void *data),
			void *data);
/*
 * True: call again, since a late table has come, or all tables were dropped for lack of memory and
 * are made again when needed.
 */
bool spt_tables_renew(SptTables *tables);

G_END_DECLS

#endif

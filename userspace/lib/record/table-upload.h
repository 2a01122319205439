/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives the module the unwind tables of the objects on stacks, by which it walks them. */
#ifndef SPT_TABLE_UPLOAD_H
#define SPT_TABLE_UPLOAD_H

#include "record/output.h"
#include "record/stage.h"
#include "record/tables.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptTableUpload SptTableUpload;

/*
 * @output holds the files, and @trace gets the tables, which are those of @tables; all outlive it.
 * @is_frugal: gives only tables that stacks needed and the module lacked, not the cached tables of
 * everything that is mapped.
 */
SptTableUpload *spt_table_upload_new(SptOutput *output, SptTrace *trace, SptTables *tables,
				     bool is_frugal);
void spt_table_upload_free(SptTableUpload *upload);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTableUpload, spt_table_upload_free)

/*
 * @sample could not be walked by tables alone.  The tables of the objects on its stack, as far as
 * it was walked, are made next.
 */
void spt_table_upload_missed(SptTableUpload *upload, const struct sysprof_sample *sample);

extern const SptStage spt_table_upload_stage;

G_END_DECLS

#endif

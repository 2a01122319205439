/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives the module the unwind tables of the objects on stacks, by which it walks them. */
#ifndef SPT_HANDOVER_H
#define SPT_HANDOVER_H

#include "record/output.h"
#include "record/tables.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptHandover SptHandover;

/*
 * @output holds the files, and @trace gets the tables, which are those of @tables; all outlive it.
 * @is_frugal: gives only tables that stacks needed and the module lacked, not the cached tables of
 * everything that is mapped.
 */
SptHandover *spt_handover_new(SptOutput *output, SptTrace *trace, SptTables *tables,
			      bool is_frugal);
void spt_handover_free(SptHandover *handover);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptHandover, spt_handover_free)

/* @object is mapped: gives its table if it is in the cache. */
void spt_handover_mapped(SptHandover *handover, uint32_t object);
/*
 * @sample could not be walked by tables alone.  The tables of the objects on its stack, as far as
 * it was walked, are made next.
 */
void spt_handover_missed(SptHandover *handover, const struct sysprof_sample *sample);
/* Gives the tables that have been made meanwhile; called from time to time. */
void spt_handover_step(SptHandover *handover);
/* Gives tables until all cached ones are given, for at most half a second. */
void spt_handover_settle(SptHandover *handover);
/* Number of tables that the module has. */
unsigned spt_handover_count(const SptHandover *handover);
/* A text with the number of tables that it refused, and why; NULL: it refused none. */
char *spt_handover_refusals(const SptHandover *handover);

G_END_DECLS

#endif

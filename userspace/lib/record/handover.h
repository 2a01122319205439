/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hands the unwind tables of what stacks lead through to the module, which walks them by these. */
#ifndef SPT_HANDOVER_H
#define SPT_HANDOVER_H

#include "record/output.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptHandover SptHandover;

/*
 * @output holds the files, @trace gets the tables; both outlive it.  @is_frugal: only what stacks
 * were missing is handed over, not what is kept of all that is mapped.
 */
SptHandover *spt_handover_new(SptOutput *output, SptTrace *trace, bool is_frugal);
void spt_handover_free(SptHandover *handover);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptHandover, spt_handover_free)

/* @object is mapped: its table is handed over if it is kept from another time. */
void spt_handover_mapped(SptHandover *handover, uint32_t object);
/*
 * @sample could not be walked by tables alone: those of the objects it leads through, as far as it
 * does, are made next.
 */
void spt_handover_missed(SptHandover *handover, const struct sysprof_sample *sample);
/* Hands over what has been made meanwhile; now and then. */
void spt_handover_step(SptHandover *handover);
/* Does so until all that were kept are handed over, half a second at most. */
void spt_handover_settle(SptHandover *handover);
/* How many tables the module has. */
unsigned spt_handover_count(const SptHandover *handover);
/* How many it did not take, and why; NULL: it took all. */
char *spt_handover_refusals(const SptHandover *handover);

G_END_DECLS

#endif

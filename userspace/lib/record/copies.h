/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of stacks is copied, for sources that can be told: little at first, more of tasks of a
 * name whose copies were too short, and nothing, if wanted, of those through whose stacks frame
 * pointers lead.  Where all have one size, it grows as soon as more than a twentieth is too short.
 */
#ifndef SPT_COPIES_H
#define SPT_COPIES_H

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptCopies SptCopies;

/*
 * @most_bytes: up to which they grow; 0: they do not.  @if_needed: what frame pointers lead through
 * is not copied.
 */
SptCopies *spt_copies_new(SptTrace *trace, uint32_t most_bytes, bool if_needed);
void spt_copies_free(SptCopies *copies);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptCopies, spt_copies_free)

/* The source runs. */
void spt_copies_begin(SptCopies *copies);
/* A copy of @bytes of a stack of a task called @comm did not reach its end, if @is_cut, or did. */
void spt_copies_taken(SptCopies *copies, const char *comm, uint32_t bytes, bool is_cut);
/* Whether it is of interest which way the stacks of @comm can be walked; then tell. */
bool spt_copies_asks(SptCopies *copies, const char *comm);
/* @by_frame_pointers: frame pointers lead through this stack, copied or not, to its end. */
void spt_copies_tell(SptCopies *copies, const char *comm, bool by_frame_pointers);

G_END_DECLS

#endif

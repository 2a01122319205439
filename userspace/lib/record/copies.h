/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of stacks is copied, for sources that take requests: little at first, more of tasks of a
 * name whose copies were too short, and nothing, if wanted, of those through whose stacks frame
 * pointers lead.  Where all have one size, it grows as soon as more than one in 64 of a name is too
 * short.
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
#define SPT_COPIES_CUT UINT64_MAX
/*
 * Of @bytes that were copied of a stack of a task called @comm, its frames took @depth;
 * SPT_COPIES_CUT: more than there are.
 */
void spt_copies_taken(SptCopies *copies, const char *comm, uint32_t bytes, uint64_t depth);
/*
 * Half as much from now on, and not more until spt_copies_restore(); returns how much.  0: it is
 * the least already, half would cut stacks off, or it is not the same for all.
 */
uint32_t spt_copies_less(SptCopies *copies);
/* Undoes what it did last; returns to how much copies are lowered nevertheless, 0: not at all. */
uint32_t spt_copies_restore(SptCopies *copies);
/* Whether there is room for more of them while those before are looked at. */
bool spt_copies_make_room(SptCopies *copies);
/* Whether it is of interest how the stacks of @comm can be walked; then report it. */
bool spt_copies_asks(SptCopies *copies, const char *comm);
/* @by_frame_pointers: frame pointers lead through this stack, copied or not, to its end. */
void spt_copies_tell(SptCopies *copies, const char *comm, bool by_frame_pointers);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets how much of each stack is copied, for sources that take requests: little at first, and more
 * for a task name whose copies were too short.  On request, nothing is copied of tasks whose stacks
 * frame pointers can follow.  If all tasks have one size, it grows as soon as more than one in 64
 * copies of a name is too short.
 */
#ifndef SPT_COPIES_H
#define SPT_COPIES_H

#include "record/stage.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptCopies SptCopies;

/*
 * @most_bytes: size up to which copies grow; 0: they do not grow.  @if_needed: stacks that frame
 * pointers can follow are not copied.
 */
SptCopies *spt_copies_new(SptTrace *trace, uint32_t most_bytes, bool if_needed);
void spt_copies_free(SptCopies *copies);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptCopies, spt_copies_free)

/* Called when the source runs. */
void spt_copies_begin(SptCopies *copies);
#define SPT_COPIES_CUT UINT64_MAX
/*
 * @bytes of a stack of a task called @comm were copied, and its frames took @depth of them;
 * SPT_COPIES_CUT: they need more.
 */
void spt_copies_taken(SptCopies *copies, const char *comm, uint32_t bytes, uint64_t depth);
/*
 * Halves the copies, and keeps them there until spt_copies_restore(); returns the size.  0: it is
 * the smallest already, half would cut stacks off, or tasks have different sizes.
 */
uint32_t spt_copies_less(SptCopies *copies);
/*
 * Undoes the last spt_copies_less().  Returns the size to which copies are still lowered; 0: not at
 * all.
 */
uint32_t spt_copies_restore(SptCopies *copies);
/* Whether there is room for more copies while the earlier ones are unwound. */
bool spt_copies_make_room(SptCopies *copies);
/* Whether spt_copies_tell() is needed for the stacks of @comm. */
bool spt_copies_asks(SptCopies *copies, const char *comm);
/* @by_frame_pointers: frame pointers follow this stack to its end, copied or not. */
void spt_copies_tell(SptCopies *copies, const char *comm, bool by_frame_pointers);

extern const SptStage spt_copies_stage;

G_END_DECLS

#endif

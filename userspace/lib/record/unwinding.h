/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns raw stacks of samples into frames as they come in, by the unwind tables of the objects on
 * them.
 */
#ifndef SPT_UNWINDING_H
#define SPT_UNWINDING_H

#include "process/spaces.h"
#include "record/copies.h"
#include "record/made-frames.h"
#include "record/output.h"
#include "record/stage.h"
#include "record/tables.h"

G_BEGIN_DECLS

typedef struct SptUnwinding SptUnwinding;

/*
 * @output holds the files, whose unwind tables @tables has, @spaces has the mappings, @copies sets
 * how much of stacks is copied; all outlive it.  @made, which it takes over, finds frames in code
 * that was made at run time.
 */
SptUnwinding *spt_unwinding_new(SptOutput *output, const SptSpaces *spaces, SptTables *tables,
				SptCopies *copies, SptMadeFrames *made);
void spt_unwinding_free(SptUnwinding *unwinding);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptUnwinding, spt_unwinding_free)

/* A program has mapped @object, which may soon be on stacks. */
void spt_unwinding_mapped(SptUnwinding *unwinding, uint32_t object);
/* An image began to run in @mm.  All its mappings are reported, and no snapshot has more. */
void spt_unwinding_began(SptUnwinding *unwinding, uint64_t mm);
/* A snapshot was taken: what it did not have stays unknown. */
void spt_unwinding_had_snapshot(SptUnwinding *unwinding);
/* The number of the next one. */
unsigned spt_unwinding_next_snapshot(const SptUnwinding *unwinding);

typedef enum {
	SPT_UNWOUND,
	/*
	 * The mappings are not known: it keeps its frames, unless it waits for a snapshot.  One is
	 * asked for once for each address space; after that such stacks are SPT_UNWOUND.
	 */
	SPT_UNWOUND_UNKNOWN,
	SPT_UNWOUND_LATE,		/* the table of an object is still being made */
} SptUnwound;

/*
 * Replaces *@sample by one whose user frames are the addresses of its unwound raw stack; user_end
 * says why there are no more (enum sysprof_end or SPT_END_*).  If there is no raw stack, or the
 * mappings are not known, it keeps its frames.  Valid until the next call.  @comm: the task's name.
 * @ret_late: the object whose table is late.  NULL: it waits for tables, for a short time; after
 * that the stack is unwound without.
 */
SptUnwound spt_unwinding_take(SptUnwinding *unwinding, const struct sysprof_sample **sample,
			      const char *comm, uint32_t *ret_late);

extern const SptStage spt_unwinding_stage;

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames in code that was made at run time, in copies of stacks.  Of a virtual machine its chain
 * (scripts/chain-steps.h) finds which functions of its program they are, and where their callers
 * are.  What the chain reads beside the copy is read from the process once the copy is here.  So
 * these are chains that only follow what stays where it is, as HotSpot's do: compiled code, and
 * what is known of methods.  Of other code it is seen where it returns to, if it does so straight
 * away (unwind/straight.h), as Python's trampolines do.
 */
#ifndef SPT_MADE_FRAMES_H
#define SPT_MADE_FRAMES_H

#include "base/proc-files.h"
#include "process/spaces.h"
#include "record/output.h"
#include "unwind/stepper.h"

G_BEGIN_DECLS

typedef struct SptMadeFrames SptMadeFrames;

/*
 * @output and @files outlive it; these read memory of other users' processes, which may hold up who
 * reads it.  @keeps_native: native frames that execute functions of the program are kept.
 */
SptMadeFrames *spt_made_frames_new(SptOutput *output, SptProcFiles *files, bool keeps_native);
void spt_made_frames_free(SptMadeFrames *frames);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMadeFrames, spt_made_frames_free)

/* The chain of @object; ignored unless it is one of steps. */
void spt_made_frames_chain(SptMadeFrames *frames, uint32_t object, GBytes *chain);
/* Whether an object in @space has a chain. */
bool spt_made_frames_are_in(SptMadeFrames *frames, const SptSpace *space);

/* Begins with the stack @raw of @sample; false: it is of a machine that is not known. */
bool spt_made_frames_begin(SptMadeFrames *frames, const SptSpace *space,
			   const struct sysprof_sample *sample, const struct sysprof_raw *raw);
/* As SptUnwindFindMade, after that. */
SptUnwindMadeIs spt_made_frames_find(SptMadeFrames *frames, SptUnwindMade *made);
/* Whether something was found in the stack that was begun last. */
bool spt_made_frames_has_any(const SptMadeFrames *frames);
/*
 * Puts functions of the program and @n native frames, as they are in records, at @to, which has
 * room for @most; returns how many there are then.
 */
unsigned spt_made_frames_put(SptMadeFrames *frames, const SptUnwindFrame *native, unsigned n,
			     __u64 *to, unsigned most);

G_END_DECLS

#endif

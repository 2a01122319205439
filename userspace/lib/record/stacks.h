/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns a sample's frames, as the source reports them, into a node of the stash.  Most stacks were
 * seen before, wholly or except for their innermost frames; those frames are neither resolved nor
 * looked up again.
 */
#ifndef SPT_STACKS_H
#define SPT_STACKS_H

#include <stdbool.h>

#include "process/spaces.h"
#include "record/jit.h"
#include "record/script-names.h"
#include "stash/stash.h"
#include "sysprof.h"
#include "trace/once.h"

G_BEGIN_DECLS

/*
 * The vdso of 32-bit programs: a separate object with another image, for which there are no names.
 */
#define SPT_STACKS_VDSO32 5
/*
 * Objects that replace the outermost frame's caller where a raw stack did not lead to it: the copy
 * was too short, or something else prevented it.
 */
#define SPT_STACKS_CUT 6
#define SPT_STACKS_INCOMPLETE 7
/* An object of names: its offsets are those of spt_output_named(). */
#define SPT_STACKS_NAMED 8
/* An object that replaces functions of scripts that have no names. */
#define SPT_STACKS_SCRIPT 9

typedef struct SptStacks SptStacks;

/*
 * @spaces: resolves addresses; @jit: knows about code that replaced other code; @scripts: the
 * functions of scripts, or NULL.  They outlive it.
 */
SptStacks *spt_stacks_new(const SptSpaces *spaces, const SptJit *jit, const SptScriptNames *scripts,
			  unsigned n_cpus);
void spt_stacks_free(SptStacks *stacks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptStacks, spt_stacks_free)

typedef struct {
	/* Enum sysprof_end: why the user part ends, which may be before the sample's last frame. */
	uint8_t user_end;
	/* There is a user part, and its first frame is known. */
	bool has_user;
} SptStackEnd;

/* The stack of a sample or an event, where it lies. */
typedef struct {
	const struct sysprof_record *record;
	const __u64 *frames;		/* n_kernel + n_user */
	uint64_t mm;
	uint32_t raw_bytes;
	uint16_t n_kernel, n_user;
	uint8_t user_mode, user_end;
} SptStackView;

static inline SptStackView spt_stack_of_sample(const struct sysprof_sample *sample)
{
	return (SptStackView){ &sample->record,	  sample->frames,   sample->mm,
			       sample->raw_bytes, sample->n_kernel, sample->n_user,
			       sample->user_mode, sample->user_end };
}

/*
 * The node of the stack in @stash, which must be the same one until spt_stacks_forget().
 * @is_in_exec: a user part whose first frame is unknown is dropped, instead of being [unresolved].
 */
uint32_t spt_stacks_node(SptStacks *stacks, SptStash *stash, const SptStackView *view,
			 bool is_in_exec, SptStackEnd *ret_end);
/*
 * The same of a stack of positions in files that was followed by unwind tables to its end.  @outer
 * are its outermost user frames: if they are known, nothing is done for them.  False: it is another
 * stack, or has no frames but these.
 */
bool spt_stacks_node_by_outer(SptStacks *stacks, SptStash *stash, const SptStackView *view,
			      const SptOuter *outer, uint32_t *ret_node);
/* Called when the stash is replaced. */
void spt_stacks_forget(SptStacks *stacks);

G_END_DECLS

#endif

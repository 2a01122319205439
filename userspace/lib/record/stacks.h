/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a sample's frames, as the source reports them, to a node of the stash.  Most stacks have
 * been seen before, as a whole or but for their innermost frames: those are neither resolved nor
 * looked up again.
 */
#ifndef SPT_STACKS_H
#define SPT_STACKS_H

#include <stdbool.h>

#include "process/spaces.h"
#include "record/jit.h"
#include "stash/stash.h"
#include "sysprof.h"

G_BEGIN_DECLS

/*
 * The vdso of 32-bit programs: an object of its own, another image, for which there are no names at
 * hand.
 */
#define SPT_STACKS_VDSO32 5
/*
 * Objects of one place, which stands where the outermost frame's caller would if a raw stack led to
 * it: the copy was too short, or something else was in the way.
 */
#define SPT_STACKS_CUT 6
#define SPT_STACKS_INCOMPLETE 7
/* An object of names: those of spt_output_named() have its offsets. */
#define SPT_STACKS_NAMED 8

typedef struct SptStacks SptStacks;

/*
 * @spaces: what addresses are resolved against; @jit: what knows of code that replaced other code.
 * Both outlive it.
 */
SptStacks *spt_stacks_new(const SptSpaces *spaces, const SptJit *jit, unsigned n_cpus);
void spt_stacks_free(SptStacks *stacks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptStacks, spt_stacks_free)

typedef struct {
	/* Enum sysprof_end: why the user part ends, which may be before the sample's frames do */
	uint8_t user_end;
	/* There is a user part, and its first frame is known */
	bool has_user;
} SptStackEnd;

/*
 * The node of @sample's stack in @stash, which is the same one until spt_stacks_forget().
 * @is_in_exec: a user part that begins nowhere is no part of the stack, instead of one that is
 * [unresolved].
 */
uint32_t spt_stacks_node(SptStacks *stacks, SptStash *stash, const struct sysprof_sample *sample,
			 bool is_in_exec, SptStackEnd *ret_end);
/* The stash is another one. */
void spt_stacks_forget(SptStacks *stacks);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw stacks of samples become frames as they come in, by the tables of the objects that they lead
 * through.
 */
#ifndef SPT_UNWINDING_H
#define SPT_UNWINDING_H

#include "process/spaces.h"
#include "record/copies.h"
#include "record/output.h"

G_BEGIN_DECLS

typedef struct SptUnwinding SptUnwinding;

/*
 * @output holds the files, @spaces knows where they lie, @copies how much of stacks is copied; all
 * outlive it.
 */
SptUnwinding *spt_unwinding_new(SptOutput *output, const SptSpaces *spaces, SptCopies *copies);
void spt_unwinding_free(SptUnwinding *unwinding);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptUnwinding, spt_unwinding_free)

/* A program has mapped @object: soon there may be stacks that lead through it. */
void spt_unwinding_mapped(SptUnwinding *unwinding, uint32_t object);
/* An image began to run in @mm: its mappings are reported, and no snapshot has more. */
void spt_unwinding_began(SptUnwinding *unwinding, uint64_t mm);
/*
 * *@sample becomes one with the addresses its raw stack leads to as user frames, and why there are
 * no more: user_end is one of enum sysprof_end or of SPT_END_*.  Where there is no raw stack, or
 * nobody knows what lies where, the frames are those it came with.  Valid until the next one.
 * @comm: the task's name.  False: a snapshot would help, the first time for this address space.
 */
bool spt_unwinding_take(SptUnwinding *unwinding, const struct sysprof_sample **sample,
			const char *comm);
/*
 * The names of the objects met so far whose code keeps frame pointers, or does not; NULL: there are
 * none.
 */
char *spt_unwinding_objects(SptUnwinding *unwinding, bool keep_frame_pointer);

G_END_DECLS

#endif

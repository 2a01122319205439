/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw stacks of samples become frames as they come in.  The tables of the objects they lie in are compiled when they are needed first. */
#ifndef SPT_UNWINDING_H
#define SPT_UNWINDING_H

#include "process/spaces.h"
#include "record/output.h"

G_BEGIN_DECLS

typedef struct SptUnwinding SptUnwinding;

/* @output holds the files, @spaces knows where they lie; both outlive it. */
SptUnwinding *spt_unwinding_new(SptOutput *output, const SptSpaces *spaces);
void spt_unwinding_free(SptUnwinding *unwinding);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptUnwinding, spt_unwinding_free)

/*
 * @sample with the addresses its raw stack leads to as user frames, and why there are no more: user_end is one of enum sysprof_end or of
 * SPT_END_*.  Itself if it has no raw stack.  Valid until the next one.
 */
const struct sysprof_sample *spt_unwinding_take(SptUnwinding *unwinding, const struct sysprof_sample *sample);

G_END_DECLS

#endif

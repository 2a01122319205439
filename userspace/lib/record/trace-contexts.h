/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What threads were at work for when they were sampled, or waited: the source puts it behind a
 * stack (SYSPROF_SAMPLE_THREAD), where it is cut off, and becomes an event of a kind that is
 * declared here, at the time and with the thread of its sample or wait.
 */
#ifndef SPT_TRACE_CONTEXTS_H
#define SPT_TRACE_CONTEXTS_H

#include "record/output.h"
#include "record/stage.h"
#include "sysprof-chain.h"

G_BEGIN_DECLS

typedef struct SptContexts SptContexts;

SptContexts *spt_contexts_new(SptOutput *output);
void spt_contexts_free(SptContexts *contexts);

/* False: the code is not one of these. */
bool spt_contexts_take(SptContexts *contexts, const struct sysprof_code *code);
/*
 * The sample without what is no frame of its stack, for the caller to free; NULL: there is nothing
 * of that.  What it was is for spt_contexts_put().
 */
struct sysprof_sample *spt_contexts_cut(SptContexts *contexts,
					const struct sysprof_sample *sample);
/* The same of a stack that has nothing of that. */
void spt_contexts_none(SptContexts *contexts);
/*
 * Puts what the stack that was cut last had, if anything, as an event at @time: @ns of the thread's
 * time were for it, on a CPU (@is_wait: off it).
 */
void spt_contexts_put(SptContexts *contexts, bool is_wait, uint64_t time, uint32_t cpu,
		      uint32_t thread, uint32_t node, uint64_t ns);

/* Of how many of these it is not known which one they had, as that did not come, or is long ago. */
uint64_t spt_contexts_lost(const SptContexts *contexts);

extern const SptStage spt_contexts_stage;

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts how many user stacks of a recording are whole, and where and why the others stop. */
#ifndef SPT_ENDS_H
#define SPT_ENDS_H

#include "record/output.h"
#include "record/stage.h"

G_BEGIN_DECLS

typedef struct SptEnds SptEnds;

SptEnds *spt_ends_new(void);
void spt_ends_free(SptEnds *ends);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptEnds, spt_ends_free)

/*
 * A stack of this @weight ends by @user_end (format.h) in code of @object (0: not known): the
 * outermost frame that was found or, along frame pointers, the innermost.
 */
void spt_ends_take(SptEnds *ends, uint8_t user_end, uint32_t object, uint64_t weight);

extern const SptStage spt_ends_stage;

G_END_DECLS

#endif

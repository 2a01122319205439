/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs the two ends of flows.  They are in rings of two threads, which are read one after the
 * other: so either may come first, and several begins before the first end.
 */
#ifndef SPT_FLOW_ENDS_H
#define SPT_FLOW_ENDS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Ends that wait for their other one. */
#define SPT_FLOW_ENDS_MOST 65536u

typedef struct SptFlowEnds SptFlowEnds;

SptFlowEnds *spt_flow_ends_new(void);
/*
 * Ends that are none of @others': of these only @most may wait, and their numbers are others', too.
 * @others must outlive it.
 */
SptFlowEnds *spt_flow_ends_new_beside(SptFlowEnds *others, unsigned most);
void spt_flow_ends_free(SptFlowEnds *ends);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptFlowEnds, spt_flow_ends_free)
/* The number of the flow, from 1 on, the same for both ends; 0: too many wait. */
uint32_t spt_flow_ends_pair(SptFlowEnds *ends, const char *name, uint64_t id, bool is_end,
			    uint64_t time);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What raw nodes weigh. */
#ifndef SPT_NODE_WEIGHTS_H
#define SPT_NODE_WEIGHTS_H

#include "profile/profile.h"

G_BEGIN_DECLS

/* By node, of what @filter leaves of a metric: what ends there, and what goes through it. */
typedef struct {
	uint64_t *self, *total;
	uint64_t n_samples;
} SptNodeWeights;

void spt_node_weights_init(SptNodeWeights *weights, const SptCapture *capture, SptSymbols *symbols,
			   const SptMetric *metric, const SptFilter *filter);
void spt_node_weights_clear(SptNodeWeights *weights);

G_END_DECLS

#endif

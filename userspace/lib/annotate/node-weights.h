/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The weights of raw nodes. */
#ifndef SPT_NODE_WEIGHTS_H
#define SPT_NODE_WEIGHTS_H

#include "profile/profile.h"

G_BEGIN_DECLS

/*
 * By node, for the samples of a metric that @filter selects: the weight that ends there, and the
 * weight that passes through.
 */
typedef struct {
	uint64_t *self, *total;
	uint64_t n_samples;
} SptNodeWeights;

void spt_node_weights_init(SptNodeWeights *weights, const SptCapture *capture, SptSymbols *symbols,
			   const SptMetric *metric, const SptFilter *filter);
void spt_node_weights_clear(SptNodeWeights *weights);

G_END_DECLS

#endif

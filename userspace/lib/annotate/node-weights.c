/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the sums of the leaves where they tell enough, else from the samples; what is asked of
 * stacks takes folding them.
 */
#include "annotate/node-weights.h"

#include "profile/selection.h"

static void take_leaves(SptNodeWeights *weights, const SptCapture *capture, const SptFilter *filter)
{
	for (uint64_t i = 0; i < capture->n_leaves; i++) {
		const SptLeafRow *leaf = &capture->leaves[i];

		if (!spt_filter_has_process(
			    filter, leaf->process ? &capture->processes[leaf->process] : NULL))
			continue;
		weights->self[leaf->node] += leaf->weight;
		weights->n_samples += leaf->samples;
	}
}

static void take_samples(SptNodeWeights *weights, const SptCapture *capture,
			 const SptFilter *filter)
{
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	const SptSampleRow *sample;
	struct spt_selection selection;
	uint32_t n;

	spt_selection_init(&selection, capture, filter);
	while ((sample = spt_samples_next(samples, &n))) {
		for (; n > 0; n--, sample++) {
			if (!spt_selection_has_time(&selection, sample->time) ||
			    !spt_selection_has_place(&selection, sample->thread, sample->cpu))
				continue;
			weights->self[sample->node] += sample->weight;
			weights->n_samples++;
		}
	}
	spt_selection_clear(&selection);
}

void spt_node_weights_init(SptNodeWeights *weights, const SptCapture *capture, SptSymbols *symbols,
			   const SptFilter *filter)
{
	uint32_t n = MAX(capture->n_nodes, 1);

	weights->self = g_new0(uint64_t, n);
	weights->total = g_new0(uint64_t, n);
	weights->n_samples = 0;
	if (spt_filter_is_about_stacks(filter))
		weights->n_samples =
			spt_profile_weigh_nodes(capture, symbols, filter, weights->self);
	else if (spt_filter_is_of_leaves(filter, capture))
		take_leaves(weights, capture, filter);
	else
		take_samples(weights, capture, filter);
	/* Children lie behind their parents. */
	for (uint32_t id = n; id-- > 0;) {
		weights->total[id] += weights->self[id];
		if (id > 0)
			weights->total[capture->nodes[id].parent] += weights->total[id];
	}
}

void spt_node_weights_clear(SptNodeWeights *weights)
{
	g_free(weights->self);
	g_free(weights->total);
}

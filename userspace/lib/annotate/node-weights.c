/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights come from the sums of the leaves where these suffice, else from the rows of the metric;
 * conditions on stacks need folded ones.
 */
#include "annotate/node-weights.h"

#include "profile/selection.h"

static void take_leaves(SptNodeWeights *weights, const SptCapture *capture, const SptFilter *filter)
{
	for (uint64_t i = 0; i < capture->n_leaves; i++) {
		const SptLeafRow *leaf = &capture->leaves[i];
		const SptProcessRow *process =
			leaf->process ? &capture->processes[leaf->process] : NULL;

		if (!spt_filter_has_process(filter, capture, process))
			continue;
		weights->self[leaf->node] += leaf->weight;
		weights->n_samples += leaf->samples;
	}
}

static void node_weights_take_rows(SptNodeWeights *weights, const SptCapture *capture,
				   const SptMetric *metric, const SptFilter *filter)
{
	g_autoptr(SptWeights) rows = NULL;
	const SptWeightRow *row;
	struct spt_selection selection;
	uint32_t n;

	spt_selection_init(&selection, capture, filter);
	rows = spt_weights_new_for(capture, metric->source, selection.threads);
	while ((row = spt_weights_next(rows, &n))) {
		for (; n > 0; n--, row++) {
			uint64_t weight = row->weight;

			if (!spt_selection_has_row(&selection, row->thread, row->cpu, &row->detail,
						   row->time, row->duration_ns, &weight))
				continue;
			weights->self[row->node] += weight;
			weights->n_samples++;
		}
	}
	spt_selection_clear(&selection);
}

void spt_node_weights_init(SptNodeWeights *weights, const SptCapture *capture, SptSymbols *symbols,
			   const SptMetric *metric, const SptFilter *filter)
{
	uint32_t n = MAX(capture->n_nodes, 1);

	weights->self = g_new0(uint64_t, n);
	weights->total = g_new0(uint64_t, n);
	weights->n_samples = 0;
	if (spt_filter_is_about_stacks(filter))
		weights->n_samples =
			spt_profile_weigh_nodes(capture, symbols, metric, filter, weights->self);
	else if (metric->source->is_leaves && spt_filter_is_of_leaves(filter, capture))
		take_leaves(weights, capture, filter);
	else
		node_weights_take_rows(weights, capture, metric, filter);
	/* Children come after their parents. */
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

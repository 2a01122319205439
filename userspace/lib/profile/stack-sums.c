/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the rows of a metric.  Whether a stack is selected depends on its functions alone:
 * conditions on stacks are applied to all samples of a node at once, by folding them.
 */
#include "profile/stack-sums.h"

#include "base/pairs.h"
#include "profile/selection.h"
#include "profile/waits.h"

#define STATE_SHIFT 24

struct stack_sums {
	GArray *sums;			/* SptStackSum */
	struct spt_pairs known;		/* (node and thread, the rest) -> index */
	unsigned parts;			/* of the metric's rows */
	const SptLinks *links;		/* NULL: there are none */
};

void spt_stack_rows_each(const SptCapture *capture, SptSymbols *symbols, const SptMetric *metric,
			 const SptFilter *filter, SptStackRowTake take, void *data)
{
	g_autoptr(SptWeights) rows = NULL;
	g_autofree uint64_t *wanted = NULL;	/* by node: not 0; NULL: all are */
	const SptWeightRow *row;
	struct spt_selection selection;
	uint32_t n;

	if (spt_filter_is_about_stacks(filter)) {
		wanted = g_new0(uint64_t, MAX(capture->n_nodes, 1));
		spt_profile_weigh_nodes(capture, symbols, metric, filter, wanted);
	}
	spt_selection_init(&selection, capture, filter);
	rows = spt_weights_new_for(capture, metric->source, selection.threads);
	while ((row = spt_weights_next(rows, &n))) {
		for (; n > 0; n--, row++) {
			uint64_t weight = row->weight;

			if (spt_selection_has_row(&selection, row->thread, row->cpu, &row->detail,
						  row->time, row->duration_ns, &weight) &&
			    weight > 0 && (!wanted || wanted[row->node]))
				take(row, weight, data);
		}
	}
	spt_selection_clear(&selection);
}

static void add_stack_row(const SptWeightRow *row, uint64_t weight, void *data)
{
	struct stack_sums *of = data;
	uint32_t cpu = of->parts & SPT_METRIC_HAS_CPU ? row->cpu : 0;
	uint32_t state = of->parts & SPT_METRIC_HAS_STATE ? spt_wait_detail_state(row->detail) : 0;
	uint32_t labels = of->parts & SPT_METRIC_HAS_FIELD ? row->detail : 0;
	/* Declared kinds have no links. */
	uint32_t link = labels ? 0 : spt_links_of(of->links, row->time, row->thread);
	/* There are few states, and fewer than 2^24 CPUs. */
	uint32_t place = state << STATE_SHIFT | cpu;
	uint32_t *index = spt_pairs_at(&of->known, (uint64_t)row->node << 32 | row->thread,
				       (uint64_t)(link | labels) << 32 | place);
	SptStackSum *sum;

	if (*index == UINT32_MAX) {
		const SptStackSum none = { .node = row->node,
					   .thread = row->thread,
					   .cpu = cpu,
					   .state = state,
					   .link = link,
					   .labels = labels };

		*index = of->sums->len;
		g_array_append_val(of->sums, none);
	}
	sum = &g_array_index(of->sums, SptStackSum, *index);
	sum->weight += weight;
	sum->samples++;
}

GArray *spt_stack_sums_of_links(const SptCapture *capture, SptSymbols *symbols,
				const SptMetric *metric, const SptFilter *filter,
				const SptLinks *links)
{
	struct stack_sums of = { .sums = g_array_new(FALSE, FALSE, sizeof(SptStackSum)),
				 .parts = metric->parts,
				 .links = links };

	spt_stack_rows_each(capture, symbols, metric, filter, add_stack_row, &of);
	spt_pairs_clear(&of.known);
	return of.sums;
}

GArray *spt_stack_sums_new(const SptCapture *capture, SptSymbols *symbols, const SptMetric *metric,
			   const SptFilter *filter)
{
	return spt_stack_sums_of_links(capture, symbols, metric, filter, NULL);
}

bool *spt_stack_sums_frames(const SptCapture *capture, const GArray *sums)
{
	g_autofree bool *used = g_new0(bool, MAX(capture->n_nodes, 1));
	bool *frames = g_new0(bool, MAX(capture->n_frames, 1));

	for (guint i = 0; i < sums->len; i++)
		used[g_array_index(sums, SptStackSum, i).node] = true;
	for (uint32_t id = capture->n_nodes; id-- > 1;) {
		used[capture->nodes[id].parent] |= used[id];
		frames[capture->nodes[id].key] |= used[id];
	}
	return frames;
}

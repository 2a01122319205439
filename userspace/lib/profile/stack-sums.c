/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the rows of a metric.  Whether a stack is selected depends on its functions alone:
 * conditions on stacks are applied to all samples of a node at once, by folding them.
 */
#include "profile/stack-sums.h"

#include "base/pairs.h"
#include "profile/selection.h"
#include "profile/waits.h"

struct stack_sums {
	GArray *sums;			/* SptStackSum */
	struct spt_pairs known;		/* (node and thread, CPU and state) -> index */
	uint64_t *wanted;		/* by node: not 0; NULL: all are */
	unsigned parts;			/* of the metric's rows */
};

static void add_stack_row(struct stack_sums *of, const SptWeightRow *row, uint64_t weight)
{
	uint32_t cpu = of->parts & SPT_METRIC_HAS_CPU ? row->cpu : 0;
	uint32_t state =
		of->parts & SPT_METRIC_HAS_STATE ? spt_wait_detail_state(row->detail) : 0;
	uint32_t *index = spt_pairs_at(&of->known, (uint64_t)row->node << 32 | row->thread,
				       (uint64_t)cpu << 32 | state);
	SptStackSum *sum;

	if (*index == UINT32_MAX) {
		const SptStackSum none = {
			.node = row->node, .thread = row->thread, .cpu = cpu, .state = state
		};

		*index = of->sums->len;
		g_array_append_val(of->sums, none);
	}
	sum = &g_array_index(of->sums, SptStackSum, *index);
	sum->weight += weight;
	sum->samples++;
}

static void add_stack_rows(struct stack_sums *of, const SptCapture *capture,
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

			if (spt_selection_has_place(&selection, row->thread, row->cpu) &&
			    spt_selection_has_detail(&selection, row->detail) &&
			    spt_selection_part(&selection, row->time, row->duration_ns, &weight) &&
			    weight > 0 && (!of->wanted || of->wanted[row->node]))
				add_stack_row(of, row, weight);
		}
	}
	spt_selection_clear(&selection);
}

GArray *spt_stack_sums_new(const SptCapture *capture, SptSymbols *symbols, const SptMetric *metric,
			   const SptFilter *filter)
{
	struct stack_sums of = { .sums = g_array_new(FALSE, FALSE, sizeof(SptStackSum)),
				 .parts = metric->parts };

	if (spt_filter_is_about_stacks(filter)) {
		of.wanted = g_new0(uint64_t, MAX(capture->n_nodes, 1));
		spt_profile_weigh_nodes(capture, symbols, metric, filter, of.wanted);
	}
	add_stack_rows(&of, capture, metric, filter);
	g_free(of.wanted);
	spt_pairs_clear(&of.known);
	return of.sums;
}

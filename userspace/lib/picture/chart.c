/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the samples of that time.  A box is open while the following stacks go through the
 * same node of the tree.
 */
#include "picture/chart.h"

#include "profile/profile-private.h"

struct open_box {
	uint32_t node;
	uint64_t begin;
};

/*
 * Boxes too narrow to be distinguished, in a row, until they are wide enough together.  A vote
 * (Boyer and Moore's, weighted) finds the function that has most of it: the rest of its lead is no
 * more than its time.
 */
struct mixture {
	SptFlameBox box; /* n_more: number of them; 0: there are none.  Its node leads */
	uint64_t lead, time;		/* without the gaps between them */
};

struct row {
	struct mixture mixture;
	uint32_t last;			/* its last box in @boxes, from 1; 0: none yet */
};

struct chart {
	const SptTreeNode *nodes;
	uint64_t begin_ns, end_ns, least_ns;
	uint64_t period_ns;		/* 0: for another metric than CPU time */
	uint64_t until;			/* of the last sample */
	GArray *open;			/* struct open_box, outermost first */
	GArray *path;			/* uint32_t: nodes of a sample, innermost first */
	GArray *rows;			/* struct row, of each depth */
	GArray *boxes;
};

static bool is_near(const struct chart *chart, const SptFlameBox *before, const SptFlameBox *box)
{
	return box->begin - (before->begin + before->weight) < chart->least_ns;
}

/* Equal boxes with a short gap are one box. */
static void add_box(struct chart *chart, struct row *row, const SptFlameBox *box)
{
	SptFlameBox *before =
		row->last ? &g_array_index(chart->boxes, SptFlameBox, row->last - 1) : NULL;

	if (before && is_near(chart, before, box) &&
	    (before->n_more ? box->n_more > 0 : !box->n_more && before->node == box->node)) {
		before->weight = box->begin + box->weight - before->begin;
		before->n_more += box->n_more;
		return;
	}
	g_array_append_val(chart->boxes, *box);
	row->last = chart->boxes->len;
}

/* A function that surely has half of a mixture represents it. */
static void end_mixture(struct chart *chart, struct row *row)
{
	SptFlameBox box = row->mixture.box;

	if (!box.n_more)
		return;
	if (row->mixture.lead >= row->mixture.time / 2)
		box.n_more = 0;
	row->mixture.box.n_more = 0;
	add_box(chart, row, &box);
}

static void chart_mix(struct chart *chart, struct row *row, const SptFlameBox *box)
{
	struct mixture *mixture = &row->mixture;

	if (mixture->box.n_more && !is_near(chart, &mixture->box, box))
		end_mixture(chart, row);
	if (!mixture->box.n_more)
		*mixture = (struct mixture){ .box = *box };
	mixture->box.n_more++;
	mixture->time += box->weight;
	mixture->box.weight = box->begin + box->weight - mixture->box.begin;
	if (mixture->box.node == box->node) {
		mixture->lead += box->weight;
	} else if (mixture->lead >= box->weight) {
		mixture->lead -= box->weight;
	} else {
		mixture->lead = box->weight - mixture->lead;
		mixture->box.node = box->node;
	}
	if (mixture->box.weight >= chart->least_ns)
		end_mixture(chart, row);
}

static void close_box(struct chart *chart, uint32_t depth, const struct open_box *open)
{
	SptFlameBox box = {
		.node = open->node,
		.depth = depth,
		.begin = open->begin - chart->begin_ns,
		.weight = chart->until - open->begin,
	};
	struct row *row;

	if (box.weight == 0)
		return;
	if (depth >= chart->rows->len)
		g_array_set_size(chart->rows, depth + 1);
	row = &g_array_index(chart->rows, struct row, depth);
	if (box.weight < chart->least_ns) {
		chart_mix(chart, row, &box);
	} else {
		end_mixture(chart, row);
		add_box(chart, row, &box);
	}
}

/* Closes all boxes from @depth on. */
static void close_from(struct chart *chart, uint32_t depth)
{
	while (chart->open->len > depth) {
		close_box(chart, chart->open->len - 1,
			  &g_array_index(chart->open, struct open_box, chart->open->len - 1));
		g_array_set_size(chart->open, chart->open->len - 1);
	}
}

/* The time before a row that it represents. */
static uint64_t length_of(const SptProfile *base, uint64_t row, uint64_t period_ns)
{
	if (base->metric->is_cpu)
		return base->rows[row].weight * period_ns;
	if (base->metric->unit != SPT_UNIT_NS || base->values[row].duration_ns)
		return base->values[row].duration_ns;
	return base->values[row].weight;
}

bool spt_chart_has_lengths(const SptProfile *base)
{
	for (uint64_t i = 0; i < base->n_rows; i++)
		if (length_of(base, i, 1) > 0)
			return true;
	return false;
}

static void add_sample(struct chart *chart, uint64_t time, uint64_t length, uint32_t leaf)
{
	uint64_t begin = MAX(time > length ? time - length : 0, chart->begin_ns);
	/* Ticks of neighbouring periods are at most two periods apart. */
	bool is_gap = begin > chart->until + chart->period_ns;
	uint32_t depth = 0;

	begin = MAX(begin, chart->until);
	g_array_set_size(chart->path, 0);
	for (uint32_t node = leaf; node != 0; node = chart->nodes[node].parent)
		g_array_append_val(chart->path, node);
	while (!is_gap && depth < chart->open->len && depth < chart->path->len &&
	       g_array_index(chart->open, struct open_box, depth).node ==
	       g_array_index(chart->path, uint32_t, chart->path->len - 1 - depth))
		depth++;
	close_from(chart, depth);
	for (; depth < chart->path->len; depth++) {
		struct open_box open = { g_array_index(chart->path, uint32_t,
						       chart->path->len - 1 - depth),
					 is_gap ? begin : chart->until };

		open.begin = MAX(open.begin, chart->begin_ns);
		g_array_append_val(chart->open, open);
	}
	chart->until = MAX(time, begin);
}

/* By id: whether this is the thread. */
static bool *chart_find_threads(const SptCapture *capture, uint32_t tid)
{
	bool *is_wanted = g_new0(bool, (size_t)capture->n_threads + 1);

	for (uint32_t i = 0; i < capture->n_threads; i++)
		is_wanted[i] = capture->threads[i].id && capture->threads[i].tid == tid;
	return is_wanted;
}

static int compare_boxes(gconstpointer a, gconstpointer b)
{
	const SptFlameBox *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

GArray *spt_chart_new(const SptProfile *base, uint32_t tid, uint64_t begin_ns, uint64_t end_ns,
		      uint64_t least_ns)
{
	g_autofree bool *is_wanted = chart_find_threads(base->capture, tid);
	struct chart chart = {
		.nodes = (const SptTreeNode *)base->tree->data,
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.least_ns = least_ns,
		.period_ns = base->metric->is_cpu ?
				     MAX(spt_capture_period_ns(base->capture), 1) :
				     0,
		.until = begin_ns,
		.open = g_array_new(FALSE, FALSE, sizeof(struct open_box)),
		.path = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.rows = g_array_new(FALSE, TRUE, sizeof(struct row)),
		.boxes = g_array_new(FALSE, FALSE, sizeof(SptFlameBox)),
	};

	for (uint64_t i = spt_profile_row_at(base, begin_ns + 1);
	     i < base->n_rows && base->sources[i].time <= end_ns; i++) {
		if (is_wanted[base->sources[i].thread])
			add_sample(&chart, base->sources[i].time,
				   length_of(base, i, chart.period_ns), base->rows[i].leaf);
	}
	close_from(&chart, 0);
	for (unsigned i = 0; i < chart.rows->len; i++)
		end_mixture(&chart, &g_array_index(chart.rows, struct row, i));
	g_array_sort(chart.boxes, compare_boxes);
	g_array_unref(chart.open);
	g_array_unref(chart.path);
	g_array_unref(chart.rows);
	return chart.boxes;
}

GArray *spt_chart_gaps(const GArray *boxes, uint64_t length_ns, uint64_t least_ns)
{
	GArray *gaps = g_array_new(FALSE, FALSE, sizeof(SptFlameBox));
	SptFlameBox gap = { .node = 0 };
	unsigned i = 0;

	/* Boxes of one row follow each other, the outermost row first. */
	do {
		bool is_box = i < boxes->len && g_array_index(boxes, SptFlameBox, i).depth == 0;
		const SptFlameBox *box = is_box ? &g_array_index(boxes, SptFlameBox, i++) : NULL;
		uint64_t end = box ? box->begin : length_ns;

		gap.weight = end - MIN(gap.begin, end);
		if (gap.weight >= MAX(least_ns, 1))
			g_array_append_val(gaps, gap);
		gap.begin = box ? box->begin + box->weight : length_ns;
	} while (gap.begin < length_ns);
	return gaps;
}

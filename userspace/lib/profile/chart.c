/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One pass over the samples of that time; a box is open as long as the next stack goes through the same node of the tree. */
#include "profile/chart.h"

#include "profile/profile-private.h"

struct open_box {
	uint32_t node;
	uint64_t begin;
};

struct chart {
	const SptTreeNode *nodes;
	uint64_t begin_ns, end_ns, least_ns, period_ns;
	uint64_t until;			/* of the last sample */
	GArray *open;			/* struct open_box, outermost first */
	GArray *path;			/* uint32_t: nodes of a sample, innermost first */
	GArray *last;			/* uint32_t: of each depth, the last box in @boxes, from 1 */
	GArray *boxes;
};

/* What cannot be told apart becomes one: the same again after a short while, or something short beside what is short. */
static bool joins(const struct chart *chart, SptFlameBox *before, const SptFlameBox *box)
{
	bool is_same = before->node == box->node && !before->n_more;
	bool is_narrow = box->weight < chart->least_ns && (before->n_more || before->weight < chart->least_ns);

	if (box->begin - (before->begin + before->weight) >= chart->least_ns || !(is_same || is_narrow))
		return false;
	if (!is_same)
		before->n_more = MAX(before->n_more, 1) + 1;
	before->weight = box->begin + box->weight - before->begin;
	return true;
}

static void close_box(struct chart *chart, uint32_t depth, const struct open_box *open)
{
	SptFlameBox box = {
		.node = open->node, .depth = depth, .begin = open->begin - chart->begin_ns, .weight = chart->until - open->begin,
	};
	uint32_t *last;

	if (box.weight == 0)
		return;
	if (depth >= chart->last->len)
		g_array_set_size(chart->last, depth + 1);
	last = &g_array_index(chart->last, uint32_t, depth);
	if (*last && joins(chart, &g_array_index(chart->boxes, SptFlameBox, *last - 1), &box))
		return;
	g_array_append_val(chart->boxes, box);
	*last = chart->boxes->len;
}

/* All from @depth on. */
static void close_from(struct chart *chart, uint32_t depth)
{
	while (chart->open->len > depth) {
		close_box(chart, chart->open->len - 1, &g_array_index(chart->open, struct open_box, chart->open->len - 1));
		g_array_set_size(chart->open, chart->open->len - 1);
	}
}

static void add_sample(struct chart *chart, uint64_t time, const struct spt_row *row)
{
	uint64_t length = row->weight * chart->period_ns, begin = MAX(time > length ? time - length : 0, chart->begin_ns);
	bool is_gap = begin > chart->until + chart->period_ns / 2;
	uint32_t depth = 0;

	begin = MAX(begin, chart->until);
	g_array_set_size(chart->path, 0);
	for (uint32_t node = row->leaf; node != 0; node = chart->nodes[node].parent)
		g_array_append_val(chart->path, node);
	while (!is_gap && depth < chart->open->len && depth < chart->path->len &&
	       g_array_index(chart->open, struct open_box, depth).node ==
	       g_array_index(chart->path, uint32_t, chart->path->len - 1 - depth))
		depth++;
	close_from(chart, depth);
	for (; depth < chart->path->len; depth++) {
		struct open_box open = { g_array_index(chart->path, uint32_t, chart->path->len - 1 - depth), is_gap ? begin : chart->until };

		open.begin = MAX(open.begin, chart->begin_ns);
		g_array_append_val(chart->open, open);
	}
	chart->until = MAX(time, begin);
}

/* By id: whether it is the thread. */
static bool *find_threads(const SptCapture *capture, uint32_t tid)
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

GArray *spt_chart_new(const SptProfile *base, uint32_t tid, uint64_t begin_ns, uint64_t end_ns, uint64_t least_ns)
{
	g_autofree bool *is_wanted = find_threads(base->capture, tid);
	struct chart chart = {
		.nodes = (const SptTreeNode *)base->tree->data, .begin_ns = begin_ns, .end_ns = end_ns, .least_ns = least_ns,
		.period_ns = MAX(spt_capture_period_ns(base->capture), 1), .until = begin_ns,
		.open = g_array_new(FALSE, FALSE, sizeof(struct open_box)), .path = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.last = g_array_new(FALSE, TRUE, sizeof(uint32_t)), .boxes = g_array_new(FALSE, FALSE, sizeof(SptFlameBox)),
	};

	for (uint64_t i = spt_profile_row_at(base, begin_ns + 1); i < base->n_rows && base->sources[i].time <= end_ns; i++) {
		if (is_wanted[base->sources[i].thread])
			add_sample(&chart, base->sources[i].time, &base->rows[i]);
	}
	close_from(&chart, 0);
	g_array_sort(chart.boxes, compare_boxes);
	g_array_unref(chart.open);
	g_array_unref(chart.path);
	g_array_unref(chart.last);
	return chart.boxes;
}

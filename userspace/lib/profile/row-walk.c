/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that are read again wait until no later one can be earlier, which the least times say that
 * folding has noted.  At least as many are read at a time as still wait, so that sorting takes no
 * more than its share, whatever their order.
 */
#include "profile/row-walk.h"

#include <string.h>

#include "base/sort.h"

struct SptRowWalk {
	const SptProfile *base;
	/* Of a base that keeps rows: the number of the next one, and the present one. */
	uint64_t at;
	struct spt_base_row row;
	/* Of one that does not: */
	SptWeights *weights;
	const SptWeightRow *batch;
	uint32_t n_batch;
	uint64_t n_read;
	bool has_ended;
	GArray *waiting;		/* struct spt_base_row, in the order of time */
	guint n_given, n_ready;
};

void spt_reread_add(struct spt_reread *reread, uint64_t number, uint64_t time)
{
	uint64_t *least;

	if (number % SPT_REREAD_ROWS == 0)
		g_array_append_val(reread->least_times, time);
	least = &g_array_index(reread->least_times, uint64_t, number / SPT_REREAD_ROWS);
	*least = MIN(*least, time);
}

static void move_pairs(struct spt_pairs *pairs, const uint32_t *places)
{
	for (uint64_t i = 0; i < pairs->n; i++)
		pairs->pairs[i].value = places[pairs->pairs[i].value];
}

void spt_reread_settle(struct spt_reread *reread, const SptCapture *capture,
		       const uint32_t *places)
{
	uint64_t *least = (uint64_t *)reread->least_times->data;

	for (guint i = reread->least_times->len; i-- > 1;)
		least[i - 1] = MIN(least[i - 1], least[i]);
	for (uint32_t i = 0; i < capture->n_nodes; i++)
		if (reread->known.first[i].process != UINT32_MAX)
			reread->known.first[i].leaf = places[reread->known.first[i].leaf];
	move_pairs(&reread->known.others, places);
	move_pairs(&reread->without, places);
}

void spt_reread_free(struct spt_reread *reread)
{
	if (!reread)
		return;
	g_free(reread->known.first);
	spt_pairs_clear(&reread->known.others);
	spt_pairs_clear(&reread->without);
	g_free(reread->depth);
	g_free(reread->function_of_process);
	g_free(reread->threads);
	g_array_unref(reread->least_times);
	g_free(reread);
}

SptRowWalk *spt_row_walk_new(const SptProfile *base, uint64_t begin_ns)
{
	SptRowWalk *walk = g_new0(SptRowWalk, 1);

	walk->base = base;
	if (!base->reread) {
		walk->at = spt_profile_row_at(base, begin_ns);
		return walk;
	}
	walk->weights = spt_weights_new_for(base->capture, base->metric->source,
					    base->reread->threads);
	walk->waiting = g_array_new(FALSE, FALSE, sizeof(struct spt_base_row));
	return walk;
}

void spt_row_walk_free(SptRowWalk *walk)
{
	if (!walk)
		return;
	spt_weights_free(walk->weights);
	g_clear_pointer(&walk->waiting, g_array_unref);
	g_free(walk);
}

/* The same node as when the row was folded; UINT32_MAX: there was no such row. */
static uint32_t reread_leaf(const struct spt_reread *reread, const SptCapture *capture,
			    const SptWeightRow *row)
{
	uint32_t process = reread->function_of_process[capture->threads[row->thread].process];
	uint32_t leaf = row->node ? spt_known_leaf(&reread->known, process, row->node) : UINT32_MAX;
	enum spt_why_not why = SPT_TOO_MANY;

	if (leaf != UINT32_MAX)
		return leaf;
	if (row->node == 0)
		why = SPT_NOT_RECORDED;
	else if (reread->depth[row->node] > SPT_STACK_MAX_FRAMES)
		why = SPT_TOO_DEEP;
	return spt_pairs_get(&reread->without, process, why);
}

/* False: somebody has changed the file meanwhile. */
static bool take_row(const SptProfile *base, const SptWeightRow *row, struct spt_base_row *ret)
{
	uint32_t leaf = reread_leaf(base->reread, base->capture, row);

	if (leaf == UINT32_MAX || (base->moved && !base->moved[leaf]))
		return false;
	*ret = (struct spt_base_row){
		.time = row->time,
		.duration_ns = base->metric->is_cpu ? 0 : row->duration_ns,
		.weight = row->weight,
		.thread = row->thread,
		.cpu = row->cpu,
		.detail = row->detail,
		.leaf = base->moved ? base->moved[leaf] : leaf,
		.whole_leaf = leaf,
	};
	return true;
}

static void read_rows(SptRowWalk *walk)
{
	guint n = walk->waiting->len;
	struct spt_base_row *rows;

	g_array_set_size(walk->waiting, n + SPT_REREAD_ROWS);
	rows = (struct spt_base_row *)walk->waiting->data;
	for (unsigned i = 0; i < SPT_REREAD_ROWS; i++, walk->n_read++) {
		if (walk->n_batch == 0)
			walk->batch = spt_weights_next(walk->weights, &walk->n_batch);
		walk->has_ended = !walk->batch;
		if (walk->has_ended)
			break;
		n += take_row(walk->base, walk->batch++, &rows[n]);
		walk->n_batch--;
	}
	g_array_set_size(walk->waiting, n);
}

static bool are_in_order(const struct spt_base_row *rows, guint n)
{
	for (guint i = 1; i < n; i++)
		if (rows[i - 1].time > rows[i].time)
			return false;
	return true;
}

static void sort_waiting(GArray *waiting)
{
	struct spt_base_row *rows = (struct spt_base_row *)waiting->data;
	g_autofree struct spt_base_row *before = NULL;
	struct spt_item *order, *spare;

	if (are_in_order(rows, waiting->len))
		return;
	before = g_memdup2(rows, waiting->len * sizeof(*rows));
	order = g_new(struct spt_item, waiting->len);
	spare = g_new(struct spt_item, waiting->len);
	for (guint i = 0; i < waiting->len; i++)
		order[i] = (struct spt_item){ rows[i].time, i };
	spt_sort_items(&order, &spare, waiting->len);
	for (guint i = 0; i < waiting->len; i++)
		rows[i] = before[order[i].index];
	g_free(order);
	g_free(spare);
}

/* The least time of all rows that were not read. */
static uint64_t least_time_left(const SptRowWalk *walk)
{
	const GArray *least = walk->base->reread->least_times;
	uint64_t at = walk->n_read / SPT_REREAD_ROWS;

	return at < least->len ? g_array_index(least, uint64_t, at) : UINT64_MAX;
}

static void fill(SptRowWalk *walk)
{
	const struct spt_base_row *rows;
	guint n_left;

	g_array_remove_range(walk->waiting, 0, walk->n_given);
	walk->n_given = walk->n_ready = 0;
	while (!walk->has_ended && walk->n_ready == 0) {
		n_left = walk->waiting->len;
		do {
			read_rows(walk);
		} while (!walk->has_ended && walk->waiting->len < 2 * n_left);
		sort_waiting(walk->waiting);
		rows = (const struct spt_base_row *)walk->waiting->data;
		walk->n_ready = walk->waiting->len;
		/* Of equal times those that were read come first. */
		while (!walk->has_ended && walk->n_ready > 0 &&
		       rows[walk->n_ready - 1].time > least_time_left(walk))
			walk->n_ready--;
	}
}

static const struct spt_base_row *next_again(SptRowWalk *walk)
{
	if (walk->n_given == walk->n_ready)
		fill(walk);
	return walk->n_given < walk->n_ready ?
		       &g_array_index(walk->waiting, struct spt_base_row, walk->n_given++) :
		       NULL;
}

const struct spt_base_row *spt_row_walk_next(SptRowWalk *walk)
{
	const SptProfile *base = walk->base;
	const struct spt_row_source *source;

	if (base->reread)
		return next_again(walk);
	if (walk->at >= base->n_rows)
		return NULL;
	source = &base->sources[walk->at];
	walk->row = (struct spt_base_row){
		.time = source->time,
		.duration_ns = spt_row_duration(base, walk->at),
		.weight = spt_row_weight(base, walk->at),
		.thread = source->thread,
		.cpu = source->cpu,
		.detail = base->values ? base->values[walk->at].detail : source->detail,
		.leaf = base->rows[walk->at].leaf,
		.whole_leaf = spt_profile_whole(base)->rows[walk->at].leaf,
	};
	walk->at++;
	return &walk->row;
}

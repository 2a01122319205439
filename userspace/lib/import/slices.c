/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/slices.h"

#include "base/words.h"
#include "import/import.h"

/* Samples of what has all of the time. */
#define PARTS 2000

struct open_slice {
	uint32_t node;
	bool is_whole;
	uint64_t end_ns;		/* of what is not whole: that of the one around it */
};

struct slice_walk {
	SptImportValues *values;
	SptImportStacks *stacks;
	struct open_slice open[SPT_IMPORT_FRAMES];
	unsigned depth;
	uint32_t thread;
	uint64_t time_ns;		/* so far */
	uint64_t end_ns, part_ns;	/* of all */
};

/* By thread and time; then ends first, and of what begins the longer one. */
static int compare_slices(gconstpointer a, gconstpointer b)
{
	const SptImportSlice *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	if (x->kind == SPT_SLICE_WHOLE && y->kind == SPT_SLICE_WHOLE && x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return 0;
}

/* What is innermost has the time until @to. */
static const char *pass_slice_time(struct slice_walk *walk, uint64_t to)
{
	const SptSampleRow row = {
		.thread = walk->thread,
		.node = walk->depth ? walk->open[walk->depth - 1].node : 0,
	};
	uint64_t from = walk->time_ns;

	walk->time_ns = MAX(walk->time_ns, to);
	if (walk->depth == 0 || to <= from)
		return NULL;
	return spt_import_values_put_span(walk->values, walk->stacks, &row, from, to,
					  walk->part_ns);
}

/* Closes what has ended by @time, and passes the time until then. */
static const char *pass_ends(struct slice_walk *walk, uint64_t time)
{
	const char *wrong = NULL;

	while (walk->depth > 0 && walk->open[walk->depth - 1].is_whole &&
	       walk->open[walk->depth - 1].end_ns <= time && !wrong) {
		wrong = pass_slice_time(walk, walk->open[walk->depth - 1].end_ns);
		walk->depth--;
	}
	return wrong ? wrong : pass_slice_time(walk, time);
}

static const char *open_slice(struct slice_walk *walk, const SptImportSlice *slice)
{
	const struct open_slice *around = walk->depth ? &walk->open[walk->depth - 1] : NULL;
	uint64_t most = around ? around->end_ns : walk->end_ns;

	if (walk->depth == SPT_IMPORT_FRAMES)
		return SPT_WORDS("has too many frames");
	walk->open[walk->depth] = (struct open_slice){
		.node = spt_import_stacks_child(walk->stacks, around ? around->node : 0,
						&slice->frame),
		.is_whole = slice->kind == SPT_SLICE_WHOLE,
		.end_ns = slice->kind == SPT_SLICE_WHOLE ? MIN(slice->end_ns, most) : most,
	};
	walk->depth++;
	return NULL;
}

/* With the last one that began all ends that is in it. */
static void close_slice(struct slice_walk *walk)
{
	unsigned depth = walk->depth;

	while (depth > 0 && walk->open[depth - 1].is_whole)
		depth--;
	if (depth > 0)
		walk->depth = depth - 1;
}

static const char *end_slice_thread(struct slice_walk *walk)
{
	const char *wrong = NULL;

	while (walk->depth > 0 && !wrong) {
		wrong = pass_slice_time(walk, walk->open[walk->depth - 1].end_ns);
		walk->depth--;
	}
	walk->time_ns = 0;
	return wrong;
}

static const char *take_slice(struct slice_walk *walk, const SptImportSlice *slice)
{
	const char *wrong = NULL;

	if (slice->thread != walk->thread) {
		wrong = end_slice_thread(walk);
		walk->thread = slice->thread;
	}
	if (!wrong)
		wrong = pass_ends(walk, slice->begin_ns);
	if (wrong)
		return wrong;
	if (slice->kind != SPT_SLICE_END)
		return open_slice(walk, slice);
	close_slice(walk);
	return NULL;
}

const char *spt_import_slices_put(GArray *slices, SptImportValues *values, SptImportStacks *stacks,
				  uint64_t begin_ns, uint64_t end_ns, GError **error)
{
	g_autofree struct slice_walk *walk = g_new0(struct slice_walk, 1);
	const char *wrong = NULL;

	walk->values = values;
	walk->stacks = stacks;
	walk->end_ns = end_ns;
	walk->part_ns = (end_ns - begin_ns) / PARTS + 1;
	/* This sort keeps the order of equal ones. */
	g_array_sort(slices, compare_slices);
	for (guint i = 0; i < slices->len && !wrong; i++) {
		wrong = take_slice(walk, &g_array_index(slices, SptImportSlice, i));
		if (!spt_import_stacks_flush(stacks, error))
			return NULL;
	}
	return wrong ? wrong : end_slice_thread(walk);
}

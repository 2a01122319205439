/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folding: each raw stack (a node of the capture's prefix tree, in some process) becomes a path of
 * functions.  All nodes are named first, in the order of their addresses.  A (process, raw node) is
 * folded once and remembered, so a recording costs its distinct nodes, and a leaf or sample one
 * look-up.
 */
#include <string.h>

#include "base/pairs.h"
#include "base/sort.h"
#include "profile/culprit.h"
#include "profile/languages.h"
#include "profile/row-walk.h"
#include "profile/selection.h"
#include "profile/tree.h"
#include "profile/waits.h"
#include "stash/frames.h"
#include "symbols/language.h"

/* Flag of an index in folder->inlined, instead of a node's function. */
#define INLINED (1u << 31)

/* Used instead of a process's function. */
#define NOBODY UINT32_MAX
/* How often progress is reported, and the part of it that naming nodes takes. */
#define TELL_NODES 4096
#define NAMING_SHARE 0.6
/* Nodes are prefetched this far ahead of their turn. */
#define AHEAD 16
/* Rows that are sorted at a time. */
#define SORTED_ROWS (1u << 18)

/* A folded node: from and to. */
struct taken {
	uint32_t node, leaf;
	uint64_t weight, samples;
};

struct folder {
	SptProfile *profile;
	const SptCapture *capture;
	SptSymbols *symbols;
	const SptMetric *metric;
	SptProgress progress;		/* or NULL */
	void *progress_data;
	bool is_given_up;
	struct spt_tree_builder tree;
	struct spt_pairs functions;	/* (name, object), interned -> function */
	struct spt_known_leaves known;
	uint32_t *function_of_node;	/* of each raw node; INLINED: of several */
	/* uint32_t: for such nodes the number of functions and the functions, outermost first */
	GArray *inlined;
	uint32_t *function_of_process;	/* of each image; NOBODY until it is needed */
	SptFunction last;		/* the last image that was looked up, and its function */
	uint32_t last_function;
	uint16_t *depth;		/* of each raw node, saturating */
	uint32_t *path;			/* SPT_STACK_MAX_FRAMES raw nodes */
	struct spt_row *rows;		/* of a base, else NULL */
	struct spt_row_source *sources;
	struct spt_row_value *values;	/* of a base of another metric than CPU time */
	uint64_t n_rows, longest_ns;
	struct spt_reread *reread;	/* of a base that keeps no rows, else NULL */
	GArray *taken;			/* struct taken; NULL: not requested */
};

static uint32_t function_for(struct folder *folder, const SptFunction *wanted)
{
	uint32_t *function = spt_pairs_at(&folder->functions, (uintptr_t)wanted->name,
					  (uintptr_t)wanted->object);

	if (*function == UINT32_MAX) {
		*function = folder->profile->functions->len;
		g_array_append_val(folder->profile->functions, *wanted);
	}
	return *function;
}

static uint32_t function_of_name(struct folder *folder, const SptName *name, bool is_kernel)
{
	SptFunction wanted = {
		.name = name->function,
		.object = name->object,
		.has_symbol = name->has_symbol,
		.is_kernel = is_kernel,
	};
	const SptFunction *last = &folder->last;

	/* Addresses come in order: most are in the same function as the last one, or in none. */
	if (name->is_unique) {
		g_array_append_val(folder->profile->functions, wanted);
		return folder->profile->functions->len - 1;
	}
	if (last->name != wanted.name || last->object != wanted.object) {
		folder->last = wanted;
		folder->last_function = function_for(folder, &wanted);
	}
	return folder->last_function;
}

/* A function is inlined if it is so in every place. */
static uint32_t function_of_place(struct folder *folder, const SptName *name, uint32_t object,
				  bool is_inlined)
{
	SptObjectKind kind = folder->capture->objects[object].kind;
	bool is_kernel = kind == SPT_OBJECT_KERNEL || kind == SPT_OBJECT_MODULES;
	uint32_t n_before = folder->profile->functions->len,
		 number = function_of_name(folder, name, is_kernel);
	SptFunction *function = &g_array_index(folder->profile->functions, SptFunction, number);

	if (number >= n_before) {
		function->language =
			spt_language_of_function(folder->symbols, object, name->function);
		function->is_script = kind == SPT_OBJECT_SOURCE;
	}
	function->is_inlined = is_inlined && (function->is_inlined || number >= n_before);
	return number;
}

/* A function of a file that has no symbol for it knows why. */
static void note_problem(struct folder *folder, const SptFrame *frame, uint32_t number)
{
	SptFunction *function = &g_array_index(folder->profile->functions, SptFunction, number);
	const char *problem;

	if (function->has_symbol || function->problem ||
	    folder->capture->objects[frame->object].kind != SPT_OBJECT_FILE)
		return;
	problem = spt_symbols_problem(folder->symbols, frame->object);
	function->problem = spt_symbols_intern(folder->symbols, problem ? problem : "");
}

/* The value of function_of_node for nodes with this frame. */
static uint32_t function_of_frame(struct folder *folder, const SptFrame *frame)
{
	SptNamedPlace places[SPT_INLINES_MAX];
	uint32_t n = spt_symbols_functions(folder->symbols, frame, places),
		 at = folder->inlined->len;
	bool is_inlined = false;

	if (n == 1) {
		uint32_t function =
			function_of_place(folder, &places[0].name, frame->object, false);

		note_problem(folder, frame, function);
		return function;
	}
	g_array_append_val(folder->inlined, n);
	for (; n-- > 0; is_inlined = true) {
		uint32_t function = function_of_place(folder, &places[n].name, frame->object,
						      is_inlined);

		g_array_append_val(folder->inlined, function);
	}
	return INLINED | at;
}

/* The functions of raw node @node, outermost first; their number in @ret_n. */
static const uint32_t *functions_of_node(const struct folder *folder, uint32_t node,
					 uint32_t *ret_n)
{
	const uint32_t *function = &folder->function_of_node[node];

	*ret_n = 1;
	if (!(*function & INLINED))
		return function;
	function = &g_array_index(folder->inlined, uint32_t, *function & ~INLINED);
	*ret_n = *function;
	return function + 1;
}

/* Called once nodes are named: inlined functions count. */
static void measure_depths(struct folder *folder)
{
	const SptCapture *capture = folder->capture;

	for (uint32_t i = 1; i < capture->n_nodes; i++) {
		uint32_t n;

		functions_of_node(folder, i, &n);
		folder->depth[i] =
			MIN(folder->depth[capture->nodes[i].parent] + n, SPT_STACK_MAX_FRAMES + 1);
	}
}

static bool goes_on(struct folder *folder, double done)
{
	if (folder->progress && !folder->is_given_up)
		folder->is_given_up = !folder->progress(done, folder->progress_data);
	return !folder->is_given_up;
}

/* Per frame: whether a @used node has it. */
static bool *find_used_frames(const SptCapture *capture, const bool *used)
{
	bool *frames = g_new0(bool, capture->n_frames);

	for (uint32_t i = 1; i < capture->n_nodes; i++)
		frames[capture->nodes[i].key] |= used[i];
	return frames;
}

/* Finds the function of each @used raw node (NULL: of all). */
static void name_nodes(struct folder *folder, const bool *used)
{
	const SptCapture *capture = folder->capture;
	const SptNode *nodes = capture->nodes;
	uint32_t n, function = 0;
	g_autofree bool *used_frames = used ? find_used_frames(capture, used) : NULL;
	g_autofree struct spt_item *items =
		spt_sort_frames(nodes, capture->n_nodes, capture->n_frames, used_frames, &n);
	g_autofree uint32_t *functions = g_new0(uint32_t, capture->n_frames);	/* by frame */

	for (uint32_t i = 0; i < n; i++) {
		const SptFrame *frame = &nodes[items[i].index].frame;
		const SptFrame *before = i > 0 ? &nodes[items[i - 1].index].frame : NULL;

		if (i + AHEAD < n)
			__builtin_prefetch(&nodes[items[i + AHEAD].index]);
		if (i % TELL_NODES == 0 && !goes_on(folder, NAMING_SHARE * i / n))
			break;
		if (!before || before->object != frame->object || before->offset != frame->offset)
			function = function_of_frame(folder, frame);
		functions[nodes[items[i].index].key] = function;
	}
	spt_languages_find_go((SptFunction *)folder->profile->functions->data,
			      folder->profile->functions->len);
	for (uint32_t i = 1; i < capture->n_nodes; i++)
		folder->function_of_node[i] = functions[nodes[i].key];
	measure_depths(folder);
}

/* @process: an id, or 0. */
static uint32_t function_of_process(struct folder *folder, uint32_t process)
{
	const SptProcessRow *row = process ? &folder->capture->processes[process] : NULL;
	SptFunction wanted = { .is_process = true, .has_symbol = true };

	if (folder->function_of_process[process] == NOBODY) {
		wanted.name = spt_symbols_intern(folder->symbols, spt_process_label(row));
		wanted.object = spt_symbols_intern(folder->symbols, "");
		folder->function_of_process[process] = function_for(folder, &wanted);
	}
	return folder->function_of_process[process];
}

/* For all processes, in order: functions have the same numbers in the bases of all metrics. */
static void name_processes(struct folder *folder)
{
	const SptCapture *capture = folder->capture;

	function_of_process(folder, 0);
	for (uint32_t id = 1; id < capture->n_processes; id++)
		if (capture->processes[id].id)
			function_of_process(folder, id);
}

/*
 * A small file can claim deep stacks in many processes, whose product is huge.  Such stacks count
 * for their process, under a name that says so; real recordings stay far below both limits.
 */
static uint32_t fold_other(struct folder *folder, uint32_t process, enum spt_why_not why)
{
	static const char *const names[] = {
		[SPT_NOT_RECORDED] = SPT_NO_STACK,
		[SPT_TOO_DEEP] = "[stack too deep]",
		[SPT_TOO_MANY] = "[too many stacks]",
	};
	bool is_no_stack = why == SPT_NOT_RECORDED;
	SptFunction wanted = {
		.name = spt_symbols_intern(folder->symbols, names[why]),
		.object = spt_symbols_intern(folder->symbols,
					     is_no_stack ? SPT_NO_STACK : "[unknown]"),
		.is_no_stack = is_no_stack,
	};
	uint32_t at = spt_tree_builder_child(&folder->tree,
					     spt_tree_builder_child(&folder->tree, 0, process),
					     function_for(folder, &wanted));

	if (folder->reread)
		*spt_pairs_at(&folder->reread->without, process, why) = at;
	return at;
}

static void remember(struct folder *folder, uint32_t process, uint32_t node, uint32_t leaf)
{
	struct spt_first_leaf *first = &folder->known.first[node];

	if (first->process == NOBODY)
		*first = (struct spt_first_leaf){ process, leaf };
	else
		*spt_pairs_at(&folder->known.others, process, node) = leaf;
}

/* The tree node of raw node @node in a process. */
static uint32_t fold(struct folder *folder, uint32_t process, uint32_t node)
{
	uint32_t n = 0, at = spt_known_leaf(&folder->known, process, node);

	if (at != UINT32_MAX)
		return at;
	at = spt_tree_builder_child(&folder->tree, 0, process);
	/* So that all functions add up to all there is. */
	if (node == 0)
		return fold_other(folder, process, SPT_NOT_RECORDED);
	if (folder->depth[node] > SPT_STACK_MAX_FRAMES)
		return fold_other(folder, process, SPT_TOO_DEEP);
	for (; node != 0; node = folder->capture->nodes[node].parent) {
		uint32_t known = spt_known_leaf(&folder->known, process, node);

		if (known != UINT32_MAX) {
			at = known;
			break;
		}
		folder->path[n++] = node;
	}
	if (n > 0 && (folder->tree.nodes->len + SPT_STACK_MAX_FRAMES > SPT_PROFILE_MAX_NODES ||
		      folder->known.others.n + SPT_STACK_MAX_FRAMES > SPT_PROFILE_MAX_NODES))
		return fold_other(folder, process, SPT_TOO_MANY);
	while (n > 0) {
		const uint32_t *functions;
		uint32_t n_functions;

		node = folder->path[--n];
		functions = functions_of_node(folder, node, &n_functions);
		for (uint32_t i = 0; i < n_functions; i++)
			at = spt_tree_builder_child(&folder->tree, at, functions[i]);
		remember(folder, process, node, at);
	}
	return at;
}

/* Prefetches ahead of its turn. */
static void fetch_leaf(const struct folder *folder, uint32_t at)
{
	if (at < folder->tree.nodes->len)
		__builtin_prefetch(&g_array_index(folder->tree.nodes, SptTreeNode, at));
}

/* @process: a function.  Until the tree is finished, a node's total counts its samples. */
static uint32_t take(struct folder *folder, uint32_t process, uint32_t node, uint64_t weight,
		     uint64_t samples)
{
	uint32_t at = fold(folder, process, node);
	SptTreeNode *leaf = &g_array_index(folder->tree.nodes, SptTreeNode, at);

	leaf->self += weight;
	leaf->total += samples;
	if (folder->taken) {
		struct taken taken = { node, at, weight, samples };

		g_array_append_val(folder->taken, taken);
	}
	return at;
}

/* Per process image: whether @filter wants it. */
static bool *choose_processes(const SptCapture *capture, const SptFilter *filter)
{
	bool *wanted = g_new(bool, MAX(capture->n_processes, 1));

	wanted[0] = spt_filter_has_process(filter, capture, NULL);
	for (uint32_t id = 1; id < capture->n_processes; id++)
		wanted[id] = spt_filter_has_process(filter, capture, &capture->processes[id]);
	return wanted;
}

/* Per raw node: whether a leaf of @processes is there or below it. */
static bool *find_used(const SptCapture *capture, const bool *processes)
{
	bool *used = g_new0(bool, MAX(capture->n_nodes, 1));

	for (uint64_t i = 0; i < capture->n_leaves; i++)
		used[capture->leaves[i].node] |= processes[capture->leaves[i].process];
	for (uint32_t id = capture->n_nodes; id-- > 1;)
		used[capture->nodes[id].parent] |= used[id];
	return used;
}

/* The weight of one process image in one node, added at once. */
static void fold_leaves(struct folder *folder, const SptFilter *filter)
{
	const SptCapture *capture = folder->capture;
	g_autofree bool *processes = choose_processes(capture, filter);
	g_autofree bool *used = find_used(capture, processes);

	name_nodes(folder, used);
	for (uint64_t i = 0; i < capture->n_leaves; i++) {
		const SptLeafRow *leaf = &capture->leaves[i];

		if (i + 2 * AHEAD < capture->n_leaves)
			__builtin_prefetch(&folder->known.first[leaf[2 * AHEAD].node]);
		if (i + AHEAD < capture->n_leaves)
			fetch_leaf(folder, folder->known.first[leaf[AHEAD].node].leaf);
		if (processes[leaf->process])
			take(folder, function_of_process(folder, leaf->process), leaf->node,
			     leaf->weight, leaf->samples);
	}
}

static bool folder_is_base(const struct folder *folder)
{
	return folder->rows || folder->reread;
}

/* A base that keeps its rows remembers the tree node of each. */
static void keep(struct folder *folder, const SptWeightRow *row, uint32_t leaf)
{
	if (folder->reread) {
		spt_reread_add(folder->reread, folder->n_rows, row->time);
	} else {
		folder->rows[folder->n_rows] =
			(struct spt_row){ leaf, folder->values ? 0 : (uint32_t)row->weight };
		spt_row_put(row, &folder->sources[folder->n_rows],
			    folder->values ? &folder->values[folder->n_rows] : NULL);
	}
	folder->longest_ns = MAX(folder->longest_ns, row->duration_ns);
	folder->n_rows++;
}

/* Per raw node: whether it waits for a lock of its program.  Parents come before children. */
static bool *find_locked(const struct folder *folder)
{
	const SptCapture *capture = folder->capture;
	g_autofree bool *takes = spt_culprits_take_locks(folder->profile);
	bool *locked = g_new0(bool, MAX(capture->n_nodes, 1));

	for (uint32_t i = 1; i < capture->n_nodes; i++) {
		uint32_t n;
		const uint32_t *functions = functions_of_node(folder, i, &n);

		locked[i] = locked[capture->nodes[i].parent];
		while (n-- > 0)
			locked[i] |= takes[functions[n]];
	}
	return locked;
}

/* Folds the selected rows one by one. */
static void fold_rows(struct folder *folder, const struct spt_selection *selection,
		      const bool *threads)
{
	const SptCapture *capture = folder->capture;
	g_autoptr(SptWeights) weights =
		spt_weights_new_for(capture, folder->metric->source, threads);
	double most = (double)MAX(spt_weights_count(capture, folder->metric->source), 1);
	SptThreadWeight *sums = (SptThreadWeight *)spt_profile_threads(folder->profile);
	g_autofree bool *locked = sums ? find_locked(folder) : NULL;
	const SptWeightRow *row;
	uint64_t n_done = 0;
	uint32_t n;

	while (goes_on(folder, NAMING_SHARE + (1 - NAMING_SHARE) * (double)n_done / most) &&
	       (row = spt_weights_next(weights, &n))) {
		n_done += n;
		for (uint32_t i = 0; i < n; i++, row++) {
			uint32_t process = capture->threads[row->thread].process, leaf;
			uint64_t weight = row->weight;

			if (!spt_selection_has_row(selection, row->thread, row->cpu, &row->detail,
						   row->time, row->duration_ns, &weight))
				continue;
			leaf = take(folder, function_of_process(folder, process), row->node, weight,
				    1);
			if (sums) {
				sums[row->thread].weight += weight;
				if (locked[row->node] || spt_wait_detail_is_disk(row->detail))
					sums[row->thread].held += weight;
			}
			if (folder_is_base(folder))
				keep(folder, row, leaf);
		}
	}
}

/*
 * Removes the part that @filter excludes from the stacks: the tree is laid out by weight.  Returns
 * the number of remaining samples.
 */
static uint64_t choose_leaves(struct folder *folder, const SptFilter *filter)
{
	SptTreeNode *nodes = (SptTreeNode *)folder->tree.nodes->data;
	const GArray *functions = folder->profile->functions;
	g_autofree bool *wanted =
		spt_profile_choose_leaves(filter, nodes, folder->tree.nodes->len,
					  (const SptFunction *)functions->data, functions->len);
	uint64_t samples = 0;

	for (uint32_t i = 0; i < folder->tree.nodes->len; i++) {
		if (wanted && !wanted[i])
			nodes[i].self = nodes[i].total = 0;
		samples += nodes[i].total;
	}
	return samples;
}

void spt_profile_mark_outermost(SptProfile *profile)
{
	struct spt_walk walk = { .nodes = (const SptTreeNode *)profile->tree->data };
	g_autofree uint32_t *above = g_new0(uint32_t, MAX(profile->functions->len, 1));

	profile->outermost = g_new0(bool, profile->tree->len);
	do {
		uint32_t function = walk.nodes[walk.node].function;

		if (function == UINT32_MAX)
			continue;
		if (walk.leaving)
			above[function]--;
		else
			profile->outermost[walk.node] = above[function]++ == 0;
	} while (spt_walk_next(&walk));
}

/* Puts @n elements of an array, each of @bytes, in @order; NULL: there is no array. */
static void put_in_order(void *array, size_t bytes, uint32_t from, const struct spt_item *order,
			 uint32_t n, void *spare)
{
	char *at = array ? (char *)array + from * bytes : NULL;

	if (!array)
		return;
	memcpy(spare, at, n * bytes);
	for (uint32_t i = 0; i < n; i++)
		memcpy(at + i * bytes, (char *)spare + order[i].index * bytes, bytes);
}

static bool are_rows_sorted(const struct folder *folder, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (folder->sources[i - 1].time > folder->sources[i].time)
			return false;
	return true;
}

static void sort_rows_from(struct folder *folder, uint32_t from, uint32_t n)
{
	struct spt_item *order = g_new(struct spt_item, n), *spare = g_new(struct spt_item, n);
	void *copy;

	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct spt_item){ folder->sources[from + i].time, i };
	spt_sort_items(&order, &spare, n);
	g_free(spare);
	copy = g_malloc_n(n, MAX(sizeof(struct spt_row_value), sizeof(struct spt_row_source)));
	put_in_order(folder->rows, sizeof(*folder->rows), from, order, n, copy);
	put_in_order(folder->values, sizeof(*folder->values), from, order, n, copy);
	put_in_order(folder->sources, sizeof(*folder->sources), from, order, n, copy);
	g_free(copy);
	g_free(order);
}

/*
 * Captures are nearly in order of time: some rows at a time are enough, which needs less memory
 * than all of them.  There is memory for fewer rows than 2^32.
 */
static void sort_rows(struct folder *folder)
{
	uint32_t n = (uint32_t)folder->n_rows;

	if (are_rows_sorted(folder, n))
		return;
	for (uint64_t from = 0; n > SORTED_ROWS && from + SORTED_ROWS / 2 < n;
	     from += SORTED_ROWS / 2)
		sort_rows_from(folder, (uint32_t)from, (uint32_t)MIN(SORTED_ROWS, n - from));
	if (!are_rows_sorted(folder, n))
		sort_rows_from(folder, 0, n);
}

static uint32_t *new_unknown(size_t n)
{
	uint32_t *array = g_new(uint32_t, n);

	memset(array, 0xff, n * sizeof(*array));
	return array;
}

enum folded_rows { FOLDED_ROWS_NONE, FOLDED_ROWS_KEPT, FOLDED_ROWS_REREAD };

static void folder_init(struct folder *folder, enum folded_rows rows_of)
{
	const SptCapture *capture = folder->capture;
	uint32_t n = MAX(capture->n_nodes, 1);

	spt_tree_builder_init(&folder->tree, UINT32_MAX);
	folder->depth = g_new0(uint16_t, n);
	folder->inlined = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	folder->path = g_new(uint32_t, SPT_STACK_MAX_FRAMES);
	folder->function_of_node = g_new0(uint32_t, n);
	folder->function_of_process = new_unknown(MAX(capture->n_processes, 1));
	folder->known.first = g_new(struct spt_first_leaf, n);
	memset(folder->known.first, 0xff, n * sizeof(*folder->known.first));
	if (rows_of == FOLDED_ROWS_REREAD) {
		folder->reread = g_new0(struct spt_reread, 1);
		folder->reread->least_times = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	} else if (rows_of == FOLDED_ROWS_KEPT) {
		uint64_t rows = MAX(spt_weights_count(capture, folder->metric->source), 1);

		folder->rows = g_new(struct spt_row, rows);
		folder->sources = g_new(struct spt_row_source, rows);
		if (!folder->metric->is_cpu)
			folder->values = g_new(struct spt_row_value, rows);
	}
}

/*
 * What is known of raw nodes, of which there can be as many as in the tree, unless rows are read
 * again.
 */
static void forget_nodes(struct folder *folder)
{
	if (folder->reread) {
		folder->reread->known = folder->known;
		folder->reread->depth = g_steal_pointer(&folder->depth);
		folder->known = (struct spt_known_leaves){ 0 };
	}
	g_clear_pointer(&folder->path, g_free);
	g_clear_pointer(&folder->depth, g_free);
	g_clear_pointer(&folder->function_of_node, g_free);
	g_clear_pointer(&folder->known.first, g_free);
	spt_pairs_clear(&folder->known.others);
}

static void folder_clear(struct folder *folder)
{
	forget_nodes(folder);
	g_array_unref(folder->inlined);
	g_free(folder->function_of_process);
	g_free(folder->rows);
	g_free(folder->sources);
	g_free(folder->values);
	spt_pairs_clear(&folder->functions);
	spt_tree_builder_clear(&folder->tree);
}

/* Uses the sums of the leaves where these suffice; a base needs each sample. */
static void fold_selected(struct folder *folder, const SptFilter *filter, const SptFilter *who)
{
	struct spt_selection selection, of;

	if (!folder_is_base(folder) && folder->metric->source->is_leaves &&
	    spt_filter_is_of_leaves(filter, folder->capture)) {
		fold_leaves(folder, filter);
		return;
	}
	name_nodes(folder, NULL);
	if (folder_is_base(folder))
		name_processes(folder);
	spt_selection_init(&selection, folder->capture, filter);
	spt_selection_init(&of, folder->capture, who);
	fold_rows(folder, &selection, of.threads);
	if (folder->reread)
		folder->reread->threads = g_steal_pointer(&of.threads);
	spt_selection_clear(&of);
	spt_selection_clear(&selection);
}

static void hand_rows_over(struct folder *folder, const uint32_t *places)
{
	SptProfile *profile = folder->profile;

	profile->capture = folder->capture;
	profile->longest_ns = folder->longest_ns;
	profile->n_rows = folder->n_rows;
	if (folder->reread) {
		spt_reread_settle(folder->reread, folder->capture, places);
		folder->reread->function_of_process = g_steal_pointer(&folder->function_of_process);
		profile->reread = g_steal_pointer(&folder->reread);
		return;
	}
	for (uint64_t i = 0; i < folder->n_rows; i++)
		folder->rows[i].leaf = places[folder->rows[i].leaf];
	sort_rows(folder);
	profile->rows = g_steal_pointer(&folder->rows);
	profile->sources = g_steal_pointer(&folder->sources);
	profile->values = g_steal_pointer(&folder->values);
}

static SptProfile *fold_capture(const SptCapture *capture, SptSymbols *symbols,
				const SptMetric *metric, const SptFilter *filter,
				const SptFilter *who, enum folded_rows rows_of,
				SptProgress progress, void *data)
{
	SptProfile *profile = g_new0(SptProfile, 1);
	struct folder folder = { .profile = profile,
				 .capture = capture,
				 .symbols = symbols,
				 .metric = metric ? metric : SPT_METRIC_CPU,
				 .progress = progress,
				 .progress_data = data };
	g_autofree uint32_t *places = NULL;

	profile->metric = folder.metric;
	profile->symbols = rows_of == FOLDED_ROWS_NONE ? symbols : NULL;
	profile->functions = g_array_new(FALSE, FALSE, sizeof(SptFunction));
	if (profile->metric->parts & SPT_METRIC_HAS_STATE)
		profile->threads = g_array_set_size(
			g_array_new(FALSE, TRUE, sizeof(SptThreadWeight)), capture->n_threads);
	folder_init(&folder, rows_of);
	fold_selected(&folder, filter, who);
	forget_nodes(&folder);
	profile->n_samples = choose_leaves(&folder, filter);
	profile->tree = spt_tree_builder_finish(&folder.tree, profile->functions,
						folder_is_base(&folder) ? &places : NULL);
	spt_profile_mark_outermost(profile);
	spt_profile_sum_up(profile);
	if (folder_is_base(&folder))
		hand_rows_over(&folder, places);
	folder_clear(&folder);
	return profile;
}

SptProfile *spt_profile_new(const SptCapture *capture, SptSymbols *symbols,
			    const SptMetric *metric, const SptFilter *filter)
{
	return fold_capture(capture, symbols, metric, filter, filter, FOLDED_ROWS_NONE, NULL, NULL);
}

SptProfile *spt_profile_new_base(const SptCapture *capture, SptSymbols *symbols,
				 const SptMetric *metric)
{
	return fold_capture(capture, symbols, metric, NULL, NULL, FOLDED_ROWS_KEPT, NULL, NULL);
}

SptProfile *spt_profile_new_base_for(const SptCapture *capture, SptSymbols *symbols,
				     const SptMetric *metric, const SptFilter *filter)
{
	return fold_capture(capture, symbols, metric, NULL, filter, FOLDED_ROWS_KEPT, NULL, NULL);
}

SptProfile *spt_profile_new_reread(const SptCapture *capture, SptSymbols *symbols,
				   const SptMetric *metric, const SptFilter *filter)
{
	return fold_capture(capture, symbols, metric, NULL, filter, FOLDED_ROWS_REREAD, NULL, NULL);
}

SptProfile *spt_profile_new_base_watched(const SptCapture *capture, SptSymbols *symbols,
					 const SptMetric *metric, SptProgress progress,
					 void *data)
{
	return fold_capture(capture, symbols, metric, NULL, NULL, FOLDED_ROWS_KEPT, progress, data);
}

uint64_t spt_profile_weigh_nodes(const SptCapture *capture, SptSymbols *symbols,
				 const SptMetric *metric, const SptFilter *filter,
				 uint64_t *weights)
{
	SptProfile profile = { .functions = g_array_new(FALSE, FALSE, sizeof(SptFunction)) };
	struct folder folder = { .profile = &profile,
				 .capture = capture,
				 .symbols = symbols,
				 .metric = metric ? metric : SPT_METRIC_CPU };
	g_autofree bool *wanted = NULL;
	uint64_t n_samples = 0;

	folder.taken = g_array_new(FALSE, FALSE, sizeof(struct taken));
	folder_init(&folder, FOLDED_ROWS_NONE);
	fold_selected(&folder, filter, filter);
	wanted = spt_profile_choose_leaves(filter, (const SptTreeNode *)folder.tree.nodes->data,
					   folder.tree.nodes->len,
					   (const SptFunction *)profile.functions->data,
					   profile.functions->len);
	for (guint i = 0; i < folder.taken->len; i++) {
		const struct taken *taken = &g_array_index(folder.taken, struct taken, i);

		if (wanted && !wanted[taken->leaf])
			continue;
		weights[taken->node] += taken->weight;
		n_samples += taken->samples;
	}
	g_array_unref(folder.taken);
	g_array_unref(profile.functions);
	folder_clear(&folder);
	return n_samples;
}

void spt_profile_free(SptProfile *profile)
{
	if (!profile)
		return;
	g_array_unref(profile->functions);
	g_array_unref(profile->tree);
	g_free(profile->outermost);
	g_clear_pointer(&profile->threads, g_array_unref);
	g_free(profile->rows);
	if (!profile->source) {
		g_free(profile->sources);
		g_free(profile->values);
		spt_reread_free(profile->reread);
	}
	g_free(profile->moved);
	g_clear_pointer(&profile->groups, g_array_unref);
	g_clear_pointer(&profile->texts, g_string_chunk_free);
	g_free(profile->selfs);
	g_free(profile->totals);
	g_free(profile);
}

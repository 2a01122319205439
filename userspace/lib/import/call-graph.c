/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/call-graph.h"

#include <string.h>

#include "base/pairs.h"
#include "base/words.h"
#include "import/import.h"

/* Most places on stacks; the rest of a huge graph is in those that cost least. */
#define PLACES_MAX (1u << 19)
#define NO_PLACE   UINT32_MAX

struct graph_function {
	SptFrame frame;
	char *name;
	uint64_t self;
	double called;			/* what calls of it cost */
	double all;			/* its own and its calls' cost, without calls of itself */
	double placed;			/* of its own cost, what places have */
	uint64_t put;
	GArray *calls;			/* struct graph_call; NULL: none */
};

struct graph_call {
	uint32_t callee;
	double cost;
};

/* A function on a stack; the cost is that of the calls from there, with all below. */
struct graph_place {
	uint32_t function, parent, node;
	unsigned depth;
	double cost;
};

struct SptImportCallGraph {
	GArray *functions;		/* struct graph_function */
	struct spt_pairs calls;		/* (caller, callee) -> place in the caller's calls */
	GArray *places;			/* struct graph_place, callers first */
	GArray *heap;			/* uint32_t: places whose callees are not placed yet */
};

SptImportCallGraph *spt_import_call_graph_new(void)
{
	SptImportCallGraph *graph = g_new0(SptImportCallGraph, 1);

	graph->functions = g_array_new(FALSE, FALSE, sizeof(struct graph_function));
	graph->places = g_array_new(FALSE, FALSE, sizeof(struct graph_place));
	graph->heap = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	return graph;
}

static struct graph_function *graph_function_at(const SptImportCallGraph *graph, uint32_t i)
{
	return &g_array_index(graph->functions, struct graph_function, i);
}

static struct graph_place *graph_place_at(const SptImportCallGraph *graph, uint32_t i)
{
	return &g_array_index(graph->places, struct graph_place, i);
}

void spt_import_call_graph_free(SptImportCallGraph *graph)
{
	if (!graph)
		return;
	for (guint i = 0; i < graph->functions->len; i++) {
		g_free(graph_function_at(graph, i)->name);
		if (graph_function_at(graph, i)->calls)
			g_array_unref(graph_function_at(graph, i)->calls);
	}
	g_array_unref(graph->functions);
	g_array_unref(graph->places);
	g_array_unref(graph->heap);
	spt_pairs_clear(&graph->calls);
	g_free(graph);
}

uint32_t spt_import_call_graph_function(SptImportCallGraph *graph, const SptFrame *frame,
					const char *name)
{
	const struct graph_function function = { .frame = *frame, .name = g_strdup(name) };

	g_array_append_val(graph->functions, function);
	return graph->functions->len - 1;
}

uint32_t spt_import_call_graph_functions(const SptImportCallGraph *graph)
{
	return graph->functions->len;
}

void spt_import_call_graph_self(SptImportCallGraph *graph, uint32_t function, uint64_t cost)
{
	graph_function_at(graph, function)->self += cost;
	graph_function_at(graph, function)->all += (double)cost;
}

void spt_import_call_graph_call(SptImportCallGraph *graph, uint32_t caller, uint32_t callee,
				uint64_t cost)
{
	struct graph_function *from = graph_function_at(graph, caller);
	const struct graph_call call = { callee, 0 };
	uint32_t *known;

	if (caller == callee)
		return;
	if (!from->calls)
		from->calls = g_array_new(FALSE, FALSE, sizeof(struct graph_call));
	known = spt_pairs_at(&graph->calls, caller, callee);
	if (*known == UINT32_MAX) {
		*known = from->calls->len;
		g_array_append_val(from->calls, call);
	}
	g_array_index(from->calls, struct graph_call, *known).cost += (double)cost;
	from->all += (double)cost;
	graph_function_at(graph, callee)->called += (double)cost;
}

/* The dearest place that is waiting is first in the heap. */

static double heap_cost(const SptImportCallGraph *graph, guint i)
{
	return graph_place_at(graph, g_array_index(graph->heap, uint32_t, i))->cost;
}

static void swap_heap(SptImportCallGraph *graph, guint a, guint b)
{
	uint32_t *at = &g_array_index(graph->heap, uint32_t, 0), kept = at[a];

	at[a] = at[b];
	at[b] = kept;
}

static void push_place(SptImportCallGraph *graph, uint32_t place)
{
	guint i = graph->heap->len;

	g_array_append_val(graph->heap, place);
	for (; i > 0 && heap_cost(graph, i) > heap_cost(graph, (i - 1) / 2); i = (i - 1) / 2)
		swap_heap(graph, i, (i - 1) / 2);
}

static uint32_t pop_place(SptImportCallGraph *graph)
{
	uint32_t first = g_array_index(graph->heap, uint32_t, 0);
	guint i = 0, n = graph->heap->len - 1;

	swap_heap(graph, 0, n);
	g_array_set_size(graph->heap, n);
	while (2 * i + 1 < n) {
		guint child = 2 * i + 1;

		if (child + 1 < n && heap_cost(graph, child + 1) > heap_cost(graph, child))
			child++;
		if (heap_cost(graph, i) >= heap_cost(graph, child))
			break;
		swap_heap(graph, i, child);
		i = child;
	}
	return first;
}

/* Places. */

static void add_place(SptImportCallGraph *graph, SptImportStacks *stacks, uint32_t function,
		      uint32_t parent, double cost, bool is_process)
{
	struct graph_function *of = graph_function_at(graph, function);
	const struct graph_place *above = parent == NO_PLACE ? NULL : graph_place_at(graph, parent);
	const struct graph_place place = {
		.function = function,
		.parent = parent,
		.node = is_process ? 0 :
				     spt_import_stacks_child(stacks, above ? above->node : 0,
							     &of->frame),
		.depth = above ? above->depth + 1 : 1,
		.cost = cost,
	};

	of->placed += of->all > 0 ? cost / of->all * (double)of->self : 0;
	g_array_append_val(graph->places, place);
	push_place(graph, graph->places->len - 1);
}

/* What is on the stack already costs nothing again below itself. */
static bool is_on_stack(const SptImportCallGraph *graph, uint32_t place, uint32_t function)
{
	for (; place != NO_PLACE; place = graph_place_at(graph, place)->parent)
		if (graph_place_at(graph, place)->function == function)
			return true;
	return false;
}

static void place_callees(SptImportCallGraph *graph, SptImportStacks *stacks, uint32_t at)
{
	const struct graph_place place = *graph_place_at(graph, at);
	const struct graph_function of = *graph_function_at(graph, place.function);

	if (place.depth == SPT_IMPORT_FRAMES || !(place.cost >= 1))
		return;
	for (guint i = 0; of.calls && i < of.calls->len; i++) {
		const struct graph_call *call = &g_array_index(of.calls, struct graph_call, i);

		if (call->cost > 0 && !is_on_stack(graph, at, call->callee))
			add_place(graph, stacks, call->callee, at,
				  place.cost / of.all * call->cost, false);
	}
}

static void place_functions(SptImportCallGraph *graph, SptImportStacks *stacks, bool has_processes)
{
	for (guint i = 0; i < graph->functions->len; i++) {
		const struct graph_function *function = graph_function_at(graph, i);
		double rest = function->all - function->called;

		if (rest >= 1)
			add_place(graph, stacks, i, NO_PLACE, rest, has_processes);
	}
	while (graph->heap->len > 0 && graph->places->len < PLACES_MAX)
		place_callees(graph, stacks, pop_place(graph));
	/* What is only in circles, which nobody calls. */
	for (guint i = 0; i < graph->functions->len; i++) {
		const struct graph_function *function = graph_function_at(graph, i);

		if (function->self > 0 && !(function->placed > 0))
			add_place(graph, stacks, i, NO_PLACE, function->all, false);
	}
}

static const char *place_process(const SptImportCallGraph *graph, const struct graph_place *place,
				 const char *process)
{
	if (process)
		return process;
	while (place->parent != NO_PLACE)
		place = graph_place_at(graph, place->parent);
	return graph_function_at(graph, place->function)->name;
}

/* Whole periods; rounding errors of a function's places add up to none. */
static const char *put_place(SptImportCallGraph *graph, SptImportValues *values,
			     SptImportStacks *stacks, const struct graph_place *place,
			     const char *process)
{
	struct graph_function *of = graph_function_at(graph, place->function);
	uint64_t unit = MAX(values->period_ns, 1), before = of->put,
		 all = (of->self + unit / 2) / unit;
	SptSampleRow row = { .node = place->node };

	of->called += place->cost / of->all * (double)of->self / of->placed;
	of->put = MIN((uint64_t)(of->called * (double)all + 0.5), all);
	if (of->put <= before)
		return NULL;
	process = place_process(graph, place, process);
	row.thread = spt_import_stacks_thread(stacks, 0, 0, process, process);
	return spt_import_values_put(values, stacks, &row, (double)((of->put - before) * unit));
}

void spt_import_call_graph_measure(const SptImportCallGraph *graph, SptImportValues *values)
{
	for (guint i = 0; i < graph->functions->len; i++) {
		const struct graph_function *function = graph_function_at(graph, i);

		spt_import_values_measure(values, (double)function->self);
		for (guint call = 0; function->calls && call < function->calls->len; call++)
			spt_import_values_measure(
				values,
				g_array_index(function->calls, struct graph_call, call).cost);
	}
}

const char *spt_import_call_graph_put(SptImportCallGraph *graph, SptImportValues *values,
				      SptImportStacks *stacks, const char *process, GError **error)
{
	const char *wrong = NULL;

	place_functions(graph, stacks, !process);
	/* From here on, what of a function's places is put, as a part of 1. */
	for (guint i = 0; i < graph->functions->len; i++)
		graph_function_at(graph, i)->called = 0;
	for (guint i = 0; i < graph->places->len && !wrong; i++) {
		const struct graph_place *place = graph_place_at(graph, i);

		if (graph_function_at(graph, place->function)->self > 0)
			wrong = put_place(graph, values, stacks, place, process);
		if (!spt_import_stacks_flush(stacks, error))
			break;
	}
	return wrong;
}

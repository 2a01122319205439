/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each distinct innermost frame is named once, and its weight is added to its object. */
#include "profile/coverage.h"

#include <string.h>

#include "base/pairs.h"
#include "base/words.h"

static const char *problem_of(const SptCapture *capture, SptSymbols *symbols,
			      const SptCoverageRow *row)
{
	const char *problem = spt_symbols_problem(symbols, row->object);
	uint32_t kind = row->object < capture->n_objects ? capture->objects[row->object].kind :
							   SPT_OBJECT_UNKNOWN;

	if (problem)
		return spt_words(problem);
	switch (kind) {
	case SPT_OBJECT_KERNEL:
	case SPT_OBJECT_MODULES:
		return spt_words("the kernel did not name these addresses while it was recorded");
	case SPT_OBJECT_ANON:
		return spt_words("memory without a file, such as code made at run time");
	case SPT_OBJECT_FILE:
	case SPT_OBJECT_VDSO:
		return spt_words("not all of its functions have symbols");
	default:
		return spt_words("no mapping is known for these addresses");
	}
}

static int compare_rows(const void *a, const void *b)
{
	const SptCoverageRow *x = a, *y = b;
	uint64_t x_lacks = x->weight - x->named, y_lacks = y->weight - y->named;

	if (x_lacks != y_lacks)
		return x_lacks < y_lacks ? 1 : -1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The row of an object's name @name. */
static SptCoverageRow *coverage_row_of(GArray *rows, struct spt_pairs *known, uint32_t object,
				       const char *name)
{
	uint32_t *at = spt_pairs_at(known, object, (uintptr_t)name);

	if (*at == UINT32_MAX) {
		SptCoverageRow row = { .object = object, .name = name };

		*at = rows->len;
		g_array_append_val(rows, row);
	}
	return &g_array_index(rows, SptCoverageRow, *at);
}

static void coverage_add_stackless(GArray *rows, struct spt_pairs *known, SptSymbols *symbols,
				   uint64_t weight)
{
	SptCoverageRow *row =
		coverage_row_of(rows, known, 0, spt_symbols_intern(symbols, "[no stack]"));

	row->weight += weight;
	row->problem = spt_words("no stack was requested, or none could be taken");
}

static void coverage_add_frame(GArray *rows, struct spt_pairs *known, SptSymbols *symbols,
			       const SptFrame *frame, uint64_t weight)
{
	SptName name = spt_symbols_name(symbols, frame);
	SptCoverageRow *row = coverage_row_of(rows, known, frame->object, name.object);

	row->weight += weight;
	row->named += name.has_symbol ? weight : 0;
	row->sources[name.source] += name.has_symbol ? weight : 0;
}

GArray *spt_coverage_new(const SptCapture *capture, SptSymbols *symbols)
{
	GArray *rows = g_array_new(FALSE, TRUE, sizeof(SptCoverageRow));
	g_autofree uint64_t *weights = spt_capture_weigh_nodes(capture);
	/* The first weighty node of each frame, to which the weights of the others go. */
	g_autofree uint32_t *first = g_new0(uint32_t, capture->n_frames + 1);
	struct spt_pairs known = { 0 };

	if (weights[0] > 0)
		coverage_add_stackless(rows, &known, symbols, weights[0]);
	for (uint32_t i = 1; i < capture->n_nodes; i++) {
		uint32_t *node = &first[capture->nodes[i].key];

		if (weights[i] == 0)
			continue;
		if (*node)
			weights[*node] += weights[i];
		else
			*node = i;
	}
	for (uint32_t i = 1; i <= capture->n_frames; i++)
		if (first[i])
			coverage_add_frame(rows, &known, symbols, &capture->nodes[first[i]].frame,
					   weights[first[i]]);
	spt_pairs_clear(&known);
	for (unsigned i = 0; i < rows->len; i++) {
		SptCoverageRow *row = &g_array_index(rows, SptCoverageRow, i);

		if (row->named < row->weight && !row->problem)
			row->problem = problem_of(capture, symbols, row);
	}
	g_array_sort(rows, compare_rows);
	return rows;
}

uint64_t spt_coverage_named(const GArray *rows)
{
	uint64_t named = 0;

	for (unsigned i = 0; i < rows->len; i++)
		named += g_array_index(rows, SptCoverageRow, i).named;
	return named;
}

uint64_t spt_coverage_from(const GArray *rows, SptSource source)
{
	uint64_t weight = 0;

	for (unsigned i = 0; i < rows->len; i++)
		weight += g_array_index(rows, SptCoverageRow, i).sources[source];
	return weight;
}

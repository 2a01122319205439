/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each distinct innermost address is named once, and its weight is added to its object. */
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

GArray *spt_coverage_new(const SptCapture *capture, SptSymbols *symbols)
{
	GArray *rows = g_array_new(FALSE, TRUE, sizeof(SptCoverageRow));
	g_autofree uint64_t *weights = spt_capture_weigh_nodes(capture);
	struct spt_pairs places = { 0 };

	for (uint32_t i = 0; i < capture->n_nodes; i++) {
		const SptFrame *frame = &capture->nodes[i].frame;
		SptName name = { 0 };
		SptCoverageRow *row;
		uint32_t *at;

		if (weights[i] == 0)
			continue;
		if (i == 0)
			name.object = spt_symbols_intern(symbols, "[no stack]");
		else
			name = spt_symbols_name(symbols, frame);
		at = spt_pairs_at(&places, i == 0 ? 0 : frame->object, (uintptr_t)name.object);
		if (*at == UINT32_MAX) {
			*at = rows->len;
			g_array_append_vals(rows,
					    &(SptCoverageRow){ .object = i == 0 ? 0 : frame->object,
							       .name = name.object },
					    1);
		}
		row = &g_array_index(rows, SptCoverageRow, *at);
		row->weight += weights[i];
		row->named += name.has_symbol ? weights[i] : 0;
		row->sources[name.source] += name.has_symbol ? weights[i] : 0;
		if (i == 0)
			row->problem = spt_words("no stack was requested, or none could be taken");
	}
	spt_pairs_clear(&places);
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

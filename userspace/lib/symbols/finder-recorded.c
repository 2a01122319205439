/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that were recorded, since no file has them later: of code made at run time, of scripts, of
 * the vDSO, and of files that might be gone.  Those of the kernel are found in the same way.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/format.h"
#include "symbols/symbols-private.h"

static SptRange range_of(const SptNameRow *row)
{
	if (row->distance < row->symbol_bytes && row->distance <= row->offset)
		return (SptRange){ row->offset - row->distance, row->symbol_bytes };
	return (SptRange){ row->offset, 1 };
}

/* As intervals.h needs ranges; of two rows for the same address the later one counts. */
static int compare_recorded(const void *a, const void *b)
{
	const struct spt_recorded *x = a, *y = b;

	if (x->row->object != y->row->object)
		return x->row->object < y->row->object ? -1 : 1;
	if (x->range.start != y->range.start)
		return x->range.start < y->range.start ? -1 : 1;
	if (x->range.bytes != y->range.bytes)
		return x->range.bytes > y->range.bytes ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

void spt_recorded_sort(SptSymbols *symbols)
{
	const SptCapture *capture = symbols->capture;
	struct spt_recorded *recorded = symbols->recorded =
		g_new0(struct spt_recorded, MAX(capture->n_names, 1));

	for (uint64_t i = 0; i < capture->n_names; i++) {
		recorded[i].row = &capture->names[i];
		recorded[i].range = range_of(&capture->names[i]);
	}
	qsort(recorded, capture->n_names, sizeof(*recorded), compare_recorded);
	for (uint64_t i = 0; i < capture->n_names; i++) {
		struct spt_named_object *object = &symbols->objects[recorded[i].row->object];

		if (object->n_recorded++ == 0)
			object->recorded = &recorded[i];
	}
}

const struct spt_recorded *spt_recorded_find(SptSymbols *symbols,
					     struct spt_named_object *object, uint64_t offset)
{
	struct spt_recorded *recorded;
	uint32_t index;

	if (object->n_recorded == 0)
		return NULL;
	if (!object->intervals) {
		g_autofree SptRange *ranges = g_new(SptRange, object->n_recorded);

		for (uint32_t i = 0; i < object->n_recorded; i++)
			ranges[i] = object->recorded[i].range;
		object->intervals = spt_intervals_new(ranges, object->n_recorded);
	}
	index = spt_intervals_find(object->intervals, offset);
	if (index == UINT32_MAX)
		return NULL;
	recorded = &object->recorded[index];
	if (!recorded->is_ready) {
		const SptNameRow *row = recorded->row;
		g_autofree char *label =
			row->module && *row->module ? g_strdup_printf("[%s]", row->module) : NULL;

		recorded->module = label ? spt_symbols_intern(symbols, label) : NULL;
		recorded->function = row->symbol && *row->symbol ?
					     spt_symbols_demangled(symbols, row->symbol) :
					     NULL;
		recorded->is_ready = true;
	}
	return recorded;
}

bool spt_recorded_symbol(SptSymbols *symbols, const SptFinderPlace *place, SptSymbol *ret)
{
	const struct spt_recorded *recorded = place->recorded;

	(void)symbols;
	if (!recorded || !recorded->function)
		return false;
	*ret = (SptSymbol){ .name = recorded->function,
			    .distance = place->offset - recorded->range.start,
			    .bytes = recorded->range.bytes,
			    .source = SPT_SOURCE_CAPTURE };
	return true;
}

static bool find_extent(SptSymbols *symbols, const SptFinderPlace *place, SptSymbol *ret)
{
	const struct spt_recorded *recorded = place->recorded;

	(void)symbols;
	if (!recorded || recorded->function || recorded->range.bytes == 1)
		return false;
	*ret = (SptSymbol){ .distance = place->offset - recorded->range.start,
			    .bytes = recorded->range.bytes };
	return true;
}

/* The offset of a place in a script has its line. */
static bool find_script_line(SptSymbols *symbols, const SptFinderPlace *place,
			     SptPlace ret[SPT_INLINES_MAX], unsigned *ret_n)
{
	(void)symbols;
	*ret = (SptPlace){ .file = place->row->path, .line = place->offset & SPT_SOURCE_LINE_MASK };
	*ret_n = ret->line != 0;
	return true;
}

const SptSymbolFinder spt_finder_run_time = {
	.name = "run-time",
	.knows = "code made at run time, as its program described it",
	.kinds = SPT_FINDER_KIND(SPT_OBJECT_ANON),
	.find = spt_recorded_symbol,
};

const SptSymbolFinder spt_finder_scripts = {
	.name = "scripts",
	.knows = "functions of scripts, read from their interpreters",
	.kinds = SPT_FINDER_KIND(SPT_OBJECT_SOURCE),
	.find = spt_recorded_symbol,
	.places = find_script_line,
};

const SptSymbolFinder spt_finder_vdso = {
	.name = "vdso",
	.knows = "code of the kernel that runs in each process",
	.kinds = SPT_FINDER_KIND(SPT_OBJECT_VDSO),
	.find = spt_recorded_symbol,
};

const SptSymbolFinder spt_finder_recorded = {
	.name = "recorded",
	.knows = "files that were read while they were recorded",
	.kinds = ~(SPT_FINDER_KIND(SPT_OBJECT_KERNEL) | SPT_FINDER_KIND(SPT_OBJECT_MODULES) |
		   SPT_FINDER_KIND(SPT_OBJECT_ANON) | SPT_FINDER_KIND(SPT_OBJECT_SOURCE) |
		   SPT_FINDER_KIND(SPT_OBJECT_VDSO)),
	.find = spt_recorded_symbol,
};

const SptSymbolFinder spt_finder_extents = {
	.name = "extents",
	.knows = "where functions begin that had no name even then",
	.kinds = SPT_FINDER_ANY_KIND,
	.find = find_extent,
};

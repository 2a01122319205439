/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and lines that bundle put into the capture: where they are, no file is needed. */
#include "symbols/symbols-private.h"

static bool has_bundled(const SptSymbols *symbols)
{
	return symbols->bundled != NULL;
}

static bool find_bundled(SptSymbols *symbols, const SptFinderPlace *place, SptSymbol *ret)
{
	const SptBundledRow *rows =
		spt_bundled_find(symbols->bundled, place->row->id, place->offset);
	const SptBundledRow *function = rows ? spt_bundled_function(rows) : NULL;

	if (!function || (!function->is_symbol && (function->distance >= function->symbol_bytes ||
						   function->distance > place->offset)))
		return false;
	*ret = (SptSymbol){ .name = function->is_symbol ? function->function : NULL,
			    .distance = function->distance,
			    .bytes = function->symbol_bytes,
			    .source = function->is_symbol ? SPT_SOURCE_BUNDLE : SPT_SOURCE_NONE };
	return true;
}

static bool find_bundled_places(SptSymbols *symbols, const SptFinderPlace *place,
				SptPlace ret[SPT_INLINES_MAX], unsigned *ret_n)
{
	const SptBundledRow *rows =
		spt_bundled_find(symbols->bundled, place->row->id, place->offset);

	*ret_n = rows ? spt_bundled_places(rows, ret) : 0;
	return *ret_n > 0 || (rows && rows->is_all);
}

const SptSymbolFinder spt_finder_bundled = {
	.name = "bundled",
	.knows = "what was bundled with the recording",
	.kinds = SPT_FINDER_ANY_KIND,
	.is_in = has_bundled,
	.find = find_bundled,
	.places = find_bundled_places,
};

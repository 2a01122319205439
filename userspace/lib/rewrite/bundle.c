/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each address is looked up once, one object after the other, as files are read. */
#include "rewrite/bundle.h"

#include <stdlib.h>

#include "base/pairs.h"

static int compare_frames(const void *a, const void *b)
{
	const SptFrame *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static GArray *list_frames(const SptCapture *capture)
{
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(SptFrame));
	struct spt_pairs seen = { 0 };

	for (uint32_t i = 1; i < capture->n_nodes; i++) {
		const SptFrame *frame = &capture->nodes[i].frame;
		uint32_t *known = spt_pairs_at(&seen, frame->object, frame->offset);

		if (*known == UINT32_MAX)
			g_array_append_vals(frames, frame, 1);
		*known = 0;
	}
	spt_pairs_clear(&seen);
	qsort(frames->data, frames->len, sizeof(SptFrame), compare_frames);
	return frames;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static void bundle_add_place(GArray *rows, SptSymbols *symbols, const SptFrame *frame)
{
	SptPlace places[SPT_INLINES_MAX];
	SptSymbol symbol;
	unsigned n = spt_symbols_raw(symbols, frame, places, &symbol);

	if (n == 0 && !symbol.name && !symbol.bytes)
		return;
	if (n == 0)
		places[n++] = (SptPlace){ 0 };
	for (unsigned i = 0; i < n; i++) {
		SptBundledRow row = {
			.object = frame->object,
			.offset = frame->offset,
			.level = n - 1 - i,
			.function = or_empty(places[i].function),
			.directory = or_empty(places[i].directory),
			.file = or_empty(places[i].file),
			.line = places[i].line,
		};

		if (row.level == 0 && symbol.name) {
			row.function = symbol.name;
			row.is_symbol = 1;
		}
		if (row.level == 0) {
			row.distance = symbol.distance;
			row.symbol_bytes = symbol.bytes;
		}
		g_array_append_val(rows, row);
	}
}

void spt_bundle(SptCapture *capture, SptSymbols *symbols)
{
	g_autoptr(GArray) frames = list_frames(capture);
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(SptBundledRow));

	for (unsigned i = 0; i < frames->len; i++)
		bundle_add_place(rows, symbols, &g_array_index(frames, SptFrame, i));
	g_free(capture->bundled);
	capture->n_bundled = rows->len;
	capture->bundled = (SptBundledRow *)g_array_free(rows, FALSE);
}

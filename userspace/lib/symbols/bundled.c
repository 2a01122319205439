/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of the first row of each place. */
#include "symbols/bundled.h"

#include "base/pairs.h"
#include "capture/format.h"

G_STATIC_ASSERT(SPT_MOST_LEVELS == SPT_INLINES_MAX);

struct SptBundled {
	const SptCapture *capture;
	struct spt_pairs places;	/* (object, offset) -> row */
	bool *has;			/* by object */
};

SptBundled *spt_bundled_new(const SptCapture *capture)
{
	SptBundled *bundled;

	if (capture->n_bundled == 0)
		return NULL;
	bundled = g_new0(SptBundled, 1);
	bundled->capture = capture;
	bundled->has = g_new0(bool, MAX(capture->n_objects, 1));
	for (uint64_t i = 0; i < capture->n_bundled && i < UINT32_MAX;
	     i += capture->bundled[i].level + 1) {
		const SptBundledRow *row = &capture->bundled[i];

		*spt_pairs_at(&bundled->places, row->object, row->offset) = (uint32_t)i;
		/* A function without a name may have other facts. */
		bundled->has[row->object] |= row->level > 0 || *row->function || *row->file;
	}
	return bundled;
}

void spt_bundled_free(SptBundled *bundled)
{
	if (!bundled)
		return;
	spt_pairs_clear(&bundled->places);
	g_free(bundled->has);
	g_free(bundled);
}

const SptBundledRow *spt_bundled_find(const SptBundled *bundled, uint32_t object, uint64_t offset)
{
	uint32_t at = bundled ? spt_pairs_get(&bundled->places, object, offset) : UINT32_MAX;

	return at == UINT32_MAX ? NULL : &bundled->capture->bundled[at];
}

const SptBundledRow *spt_bundled_function(const SptBundledRow *rows)
{
	return rows + rows->level;
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

unsigned spt_bundled_places(const SptBundledRow *rows, SptPlace ret[SPT_INLINES_MAX])
{
	unsigned n = rows->level + 1;

	if (n == 1 && rows->is_symbol && !*rows->file)
		return 0;
	for (unsigned i = 0; i < n; i++)
		ret[i] = (SptPlace){ .function = or_null(rows[i].function),
				     .directory = or_null(rows[i].directory),
				     .file = or_null(rows[i].file),
				     .line = rows[i].line };
	return n;
}

bool spt_bundled_has(const SptBundled *bundled, uint32_t object)
{
	return bundled && bundled->has[object];
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/links.h"

#include <string.h>

#include "base/pairs.h"
#include "capture/declared.h"
#include "capture/stream-rows.h"

struct SptLinks {
	GHashTable *numbers;		/* "TRACE SPAN" -> number */
	GPtrArray *links;		/* SptLink */
	GStringChunk *texts;
	uint64_t unit_ns;		/* of the times of rows in a file, which are rounded down */
	struct spt_pairs rows;		/* (time in units, thread) -> number */
};

static void links_add(SptLinks *links, const SptDeclaredRow *row, const char *trace,
		      const char *span)
{
	g_autofree char *key = g_strconcat(trace, " ", span, NULL);
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(links->numbers, key)),
		 *at = spt_pairs_at(&links->rows, row->time / links->unit_ns, row->thread);

	if (!number) {
		SptLink *link = g_new(SptLink, 1);

		*link = (SptLink){ g_string_chunk_insert(links->texts, trace),
				   g_string_chunk_insert(links->texts, span) };
		g_ptr_array_add(links->links, link);
		number = links->links->len;
		g_hash_table_insert(links->numbers, g_steal_pointer(&key),
				    GUINT_TO_POINTER(number));
	}
	if (*at == UINT32_MAX)
		*at = number;
}

static void links_read(SptLinks *links, const SptCapture *capture, const SptDeclared *kind,
		       unsigned trace, unsigned span)
{
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, kind);
	const SptDeclaredRow *rows;
	uint32_t n;

	while ((rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++)
			if (rows[i].values[trace].text && rows[i].values[span].text)
				links_add(links, &rows[i], rows[i].values[trace].text,
					  rows[i].values[span].text);
}

/* A wait is two rows: until its thread was woken, and until it ran. */
static void links_add_blocked(SptLinks *links, const SptCapture *capture)
{
	g_autoptr(SptStreamReader) reader = spt_stream_reader_new(capture, SPT_ROW_WAIT);
	const SptWaitRow *waits;
	uint32_t n;

	while ((waits = spt_stream_reader_next(reader, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			const SptWaitRow *wait = &waits[i];
			uint64_t runnable_ns = MIN(wait->runnable_ns, wait->duration_ns);
			uint64_t woken = wait->time - MIN(runnable_ns, wait->time);
			uint32_t number = spt_links_of(links, wait->time, wait->thread);

			if (number)
				*spt_pairs_at(&links->rows, woken, wait->thread) = number;
		}
	}
}

SptLinks *spt_links_new(const SptCapture *capture, const SptMetric *metric)
{
	const char *name = metric->is_cpu		      ? SPT_LINKS_OF_CPU :
			   !strcmp(metric->name, "off-cpu") ? SPT_LINKS_OF_WAITS :
							      NULL;
	const SptDeclared *kind = name ? spt_declared_find(capture, name) : NULL;
	unsigned trace, span;
	SptLinks *links;

	/* Other programs' recordings may have kinds of these names. */
	if (!kind || !spt_declared_find_field(kind, SPT_LINKS_TRACE, &trace) ||
	    !spt_declared_find_field(kind, SPT_LINKS_SPAN, &span) ||
	    kind->fields[trace].type != SPT_VALUE_TEXT ||
	    kind->fields[span].type != SPT_VALUE_TEXT)
		return NULL;
	links = g_new0(SptLinks, 1);
	links->numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	links->links = g_ptr_array_new_with_free_func(g_free);
	links->texts = g_string_chunk_new(4096);
	links->unit_ns = metric->is_cpu ? SPT_CAPTURE_TIME_UNIT_NS : 1;
	links_read(links, capture, kind, trace, span);
	if (!metric->is_cpu)
		links_add_blocked(links, capture);
	return links;
}

void spt_links_free(SptLinks *links)
{
	if (!links)
		return;
	g_hash_table_unref(links->numbers);
	g_ptr_array_unref(links->links);
	g_string_chunk_free(links->texts);
	spt_pairs_clear(&links->rows);
	g_free(links);
}

uint32_t spt_links_of(const SptLinks *links, uint64_t time, uint32_t thread)
{
	uint32_t number = links ? spt_pairs_get(&links->rows, time / links->unit_ns, thread) :
				  UINT32_MAX;

	return number == UINT32_MAX ? 0 : number;
}

uint32_t spt_links_count(const SptLinks *links)
{
	return links ? links->links->len : 0;
}

const SptLink *spt_links_get(const SptLinks *links, uint32_t n)
{
	return links->links->pdata[n - 1];
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/source-sums.h"

#include "capture/declared.h"
#include "capture/stream-rows.h"
#include "profile/declared.h"

static void source_sums_add(SptTally *to, const SptTally *tally)
{
	to->events += tally->events;
	to->value += tally->value;
	to->ns += tally->ns;
	to->weight += tally->weight;
}

/* The last account of each kind on each CPU, by both. */
static GHashTable *last_accounts(const SptCapture *capture)
{
	GHashTable *last = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	g_autoptr(SptStreamReader) reader = spt_stream_reader_new(capture, SPT_ROW_SOURCE_ACCOUNT);
	const SptSourceAccountRow *rows;
	uint32_t n;

	while ((rows = spt_stream_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++) {
			gint64 key = (gint64)((uint64_t)rows[i].kind << 32 | rows[i].cpu);
			SptSourceAccountRow *known = g_hash_table_lookup(last, &key);

			if (known)
				*known = rows[i];
			else
				g_hash_table_insert(last, g_memdup2(&key, sizeof(key)),
						    g_memdup2(&rows[i], sizeof(rows[i])));
		}
	return last;
}

static gpointer source_sums_make(const SptCapture *capture, G_GNUC_UNUSED gpointer key)
{
	SptSourceSums *sums = g_new0(SptSourceSums, spt_event_kind_numbers());
	g_autoptr(GHashTable) last = last_accounts(capture);
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, last);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const SptSourceAccountRow *row = value;

		if (row->kind >= spt_event_kind_numbers())
			continue;
		for (unsigned i = 0; i < SPT_TALLIES; i++)
			source_sums_add(&sums[row->kind].tallies[i], &row->tallies[i]);
		sums[row->kind].cost_ns += row->cost_ns;
		sums[row->kind].is_there = true;
	}
	return sums;
}

const SptSourceSums *spt_source_sums_of(const SptCapture *capture)
{
	static const char key;

	return spt_capture_keep(capture, (gpointer)&key, source_sums_make, g_free);
}

SptTally spt_source_sums_lost(const SptSourceSums *sums)
{
	SptTally lost = { 0 };

	for (unsigned i = SPT_TALLY_LOST; i < SPT_TALLIES; i++)
		source_sums_add(&lost, &sums->tallies[i]);
	return lost;
}

static bool kind_gives(const SptEventKind *kind, const SptMetric *metric)
{
	for (const SptEventMetric *of = kind->metrics; of && of->name; of++)
		if (g_strcmp0(of->name, metric->name) == 0)
			return true;
	return false;
}

/* Also ends and frees: kinds without metrics, recorded by the option of one that has some. */
static bool kind_belongs(const SptEventKind *kind, const SptMetric *metric)
{
	const SptEventKind *other;

	if (kind->metrics)
		return kind_gives(kind, metric);
	for (unsigned i = 0; kind->option && (other = spt_event_kind(i)); i++)
		if (other->option == kind->option && kind_gives(other, metric))
			return true;
	return false;
}

/* The recorder notes each of them: "event sched:sched_switch". */
static bool is_point(const SptCapture *capture, const SptDeclared *kind)
{
	g_autofree char *key = g_strconcat("event ", kind->name, NULL);

	return kind->shape != SPT_DECLARED_COUNTER && spt_capture_host(capture, key);
}

uint64_t spt_points_lost(const SptCapture *capture, uint64_t *ret_seen, unsigned *ret_kinds)
{
	const char *text = spt_capture_host(capture, "hits_lost");
	uint64_t lost = text ? g_ascii_strtoull(text, NULL, 10) : 0;
	const SptDeclared *kind;

	*ret_seen = lost;
	*ret_kinds = 0;
	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++) {
		if (!is_point(capture, kind))
			continue;
		*ret_seen += kind->rows;
		++*ret_kinds;
	}
	return *ret_kinds ? lost : 0;
}

uint64_t spt_metric_lost(const SptMetric *metric, const SptCapture *capture, uint64_t *ret_seen,
			 unsigned *ret_kinds)
{
	const SptSourceSums *sums = spt_source_sums_of(capture);
	const SptDeclared *declared = spt_declared_kind_of(capture, metric->name);
	const SptEventKind *kind;
	uint64_t lost = 0;

	*ret_seen = 0;
	*ret_kinds = 1;
	if (declared && is_point(capture, declared))
		return spt_points_lost(capture, ret_seen, ret_kinds);
	for (unsigned i = 0; (kind = spt_event_kind(i)); i++) {
		if (!kind->number || !kind_belongs(kind, metric))
			continue;
		lost += spt_source_sums_lost(&sums[kind->number]).events;
		*ret_seen += sums[kind->number].tallies[SPT_TALLY_SEEN].events;
	}
	return lost;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of each source's events: sums over the CPUs of their last accounts. */
#include "info-sources.h"

#include <stdio.h>

#include "capture/stream-rows.h"
#include "cmd.h"
#include "events/event.h"
#include "events/facts.h"

struct sums {
	SptTally tallies[SPT_TALLIES];
	uint64_t cost_ns;
	uint32_t kind;
};

static void info_sources_add_row(struct sums *sums, const SptSourceAccountRow *row)
{
	for (unsigned i = 0; i < SPT_TALLIES; i++) {
		sums->tallies[i].events += row->tallies[i].events;
		sums->tallies[i].value += row->tallies[i].value;
		sums->tallies[i].ns += row->tallies[i].ns;
		sums->tallies[i].weight += row->tallies[i].weight;
	}
	sums->cost_ns += row->cost_ns;
}

/* Whether no later row is of the same source and CPU. */
static bool is_last(const SptSourceAccountRow *rows, uint64_t n, uint64_t at)
{
	for (uint64_t i = at + 1; i < n; i++)
		if (rows[i].kind == rows[at].kind && rows[i].cpu == rows[at].cpu)
			return false;
	return true;
}

static uint64_t info_sources_part_of(const SptTally *tally, unsigned part)
{
	const uint64_t parts[] = { tally->events, tally->value, tally->ns };

	return parts[part];
}

static uint64_t lost_of(const struct sums *sums, unsigned part)
{
	uint64_t lost = 0;

	for (unsigned i = SPT_TALLY_LOST; i < SPT_TALLIES; i++)
		lost += info_sources_part_of(&sums->tallies[i], part);
	return lost;
}

/* Object @key with one of the numbers of all tallies. */
static void info_sources_add_part(SptJson *json, const char *key, const struct sums *sums,
				  unsigned part)
{
	spt_json_object(json, key);
	spt_json_count(json, "seen", info_sources_part_of(&sums->tallies[SPT_TALLY_SEEN], part));
	spt_json_count(json, "delivered",
		       info_sources_part_of(&sums->tallies[SPT_TALLY_DELIVERED], part));
	spt_json_count(json, "lost", lost_of(sums, part));
	spt_json_count(json, "not_picked",
		       info_sources_part_of(&sums->tallies[SPT_TALLY_NOT_PICKED], part));
	spt_json_count(json, "below_threshold",
		       info_sources_part_of(&sums->tallies[SPT_TALLY_BELOW], part));
	spt_json_count(json, "excluded",
		       info_sources_part_of(&sums->tallies[SPT_TALLY_EXCLUDED], part));
	spt_json_end_object(json);
}

static void info_sources_add_source(SptJson *json, const struct sums *sums, const char *unavailable)
{
	const SptEventKind *kind = spt_event_kind_of(sums->kind);

	spt_json_object(json, NULL);
	spt_json_text(json, "name", kind->name);
	spt_json_text(json, "kind", spt_event_shape_name(kind->shape));
	spt_json_text(json, "unavailable", unavailable);
	info_sources_add_part(json, "events", sums, 0);
	info_sources_add_part(json, "value", sums, 1);
	info_sources_add_part(json, "ns", sums, 2);
	spt_json_count(json, "nested",
		       sums->tallies[SPT_TALLY_LOST + SPT_LOST_NESTED].events);
	spt_json_count(json, "cost_ns", sums->cost_ns);
	spt_json_end_object(json);
}

/* Reason why a recording that has waits has no account of @kind; NULL: nobody requested it. */
static const char *why_unavailable(const SptCapture *capture, uint32_t kind)
{
	const char *notice = spt_capture_host(capture, "notice");

	if (kind > spt_event_lanes.number ||
	    g_strcmp0(spt_capture_host(capture, "source"), "perf") != 0)
		return NULL;
	return kind == spt_event_wakings.number && notice ? notice : "perf events keep no account of them";
}

/* False: the recording has no account of @kind. */
static bool info_sources_sum_up(const SptSourceAccountRow *rows, uint64_t n, uint32_t kind,
				struct sums *ret)
{
	bool is_there = false;

	*ret = (struct sums){ .kind = kind };
	for (uint64_t i = 0; i < n; i++) {
		if (rows[i].kind != kind || !is_last(rows, n, i))
			continue;
		info_sources_add_row(ret, &rows[i]);
		is_there = true;
	}
	return is_there;
}

void spt_info_add_sources(SptJson *json, const SptCapture *capture)
{
	uint64_t n;
	g_autofree SptSourceAccountRow *rows =
		spt_stream_rows(capture, SPT_ROW_SOURCE_ACCOUNT, &n);
	bool has_waits = false;

	spt_json_array(json, "sources");
	for (uint32_t kind = 1; kind < spt_event_kind_numbers(); kind++) {
		struct sums sums;
		bool is_there = info_sources_sum_up(rows, n, kind, &sums);
		const char *unavailable = NULL;

		has_waits |= is_there;
		if (!is_there && has_waits)
			unavailable = why_unavailable(capture, kind);
		if (spt_event_kind_of(kind) && (is_there || unavailable))
			info_sources_add_source(json, &sums, unavailable);
	}
	spt_json_end_array(json);
}

void spt_info_print_source_losses(const SptCapture *capture)
{
	uint64_t n;
	g_autofree SptSourceAccountRow *rows =
		spt_stream_rows(capture, SPT_ROW_SOURCE_ACCOUNT, &n);

	for (uint32_t kind = 1; kind < spt_event_kind_numbers(); kind++) {
		struct sums sums;
		g_autofree char *lost = NULL, *seen = NULL;

		if (!spt_event_kind_of(kind) || !info_sources_sum_up(rows, n, kind, &sums) ||
		    !lost_of(&sums, 0))
			continue;
		lost = spt_format_count(lost_of(&sums, 0));
		seen = spt_format_count(sums.tallies[SPT_TALLY_SEEN].events);
		printf("%-18s %s: %s of %s events\n", "",
		       spt_event_kind_of(kind)->name, lost, seen);
	}
}

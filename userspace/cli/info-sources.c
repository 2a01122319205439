/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of each source's events. */
#include "info-sources.h"

#include <stdio.h>

#include "cmd.h"
#include "events/event.h"
#include "events/facts.h"
#include "profile/source-sums.h"

static uint64_t info_sources_part_of(const SptTally *tally, unsigned part)
{
	const uint64_t parts[] = { tally->events, tally->value, tally->ns };

	return parts[part];
}

/* Object @key with one of the numbers of all tallies. */
static void info_sources_add_part(SptJson *json, const char *key, const SptSourceSums *sums,
				  unsigned part)
{
	SptTally lost = spt_source_sums_lost(sums);

	spt_json_object(json, key);
	spt_json_count(json, "seen", info_sources_part_of(&sums->tallies[SPT_TALLY_SEEN], part));
	spt_json_count(json, "delivered",
		       info_sources_part_of(&sums->tallies[SPT_TALLY_DELIVERED], part));
	spt_json_count(json, "lost", info_sources_part_of(&lost, part));
	spt_json_count(json, "not_picked",
		       info_sources_part_of(&sums->tallies[SPT_TALLY_NOT_PICKED], part));
	spt_json_count(json, "below_threshold",
		       info_sources_part_of(&sums->tallies[SPT_TALLY_BELOW], part));
	spt_json_count(json, "excluded",
		       info_sources_part_of(&sums->tallies[SPT_TALLY_EXCLUDED], part));
	spt_json_end_object(json);
}

static void info_sources_add_source(SptJson *json, const SptEventKind *kind,
				    const SptSourceSums *sums, const char *unavailable)
{
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

void spt_info_add_sources(SptJson *json, const SptCapture *capture)
{
	const SptSourceSums *sums = spt_source_sums_of(capture);
	bool has_waits = false;

	spt_json_array(json, "sources");
	for (uint32_t number = 1; number < spt_event_kind_numbers(); number++) {
		const SptEventKind *kind = spt_event_kind_of(number);
		const char *unavailable = NULL;

		has_waits |= sums[number].is_there;
		if (!sums[number].is_there && has_waits)
			unavailable = why_unavailable(capture, number);
		if (kind && (sums[number].is_there || unavailable))
			info_sources_add_source(json, kind, &sums[number], unavailable);
	}
	spt_json_end_array(json);
}

static void print_losses_of_points(const SptCapture *capture)
{
	unsigned kinds;
	uint64_t all, n = spt_points_lost(capture, &all, &kinds);
	g_autofree char *lost = spt_format_count(n), *seen = spt_format_count(all);

	if (n > 0)
		printf("%-18s --event: %s of %s events\n", "", lost, seen);
}

void spt_info_print_source_losses(const SptCapture *capture)
{
	const SptSourceSums *sums = spt_source_sums_of(capture);

	for (uint32_t number = 1; number < spt_event_kind_numbers(); number++) {
		const SptEventKind *kind = spt_event_kind_of(number);
		uint64_t n = spt_source_sums_lost(&sums[number]).events;
		g_autofree char *lost = spt_format_count(n),
				*seen = spt_format_count(
					sums[number].tallies[SPT_TALLY_SEEN].events);

		if (kind && n > 0)
			printf("%-18s %s: %s of %s events\n", "", kind->name, lost, seen);
	}
	print_losses_of_points(capture);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finders of names in info, in the order in which they were asked, and what none of them knew. */
#include "info-finders.h"

#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "profile/finder-counts.h"

/* A file has several tables: how much each of them named. */
static void print_tables(const SptFinderCount *row)
{
	const char *begin = "";

	if (row->finder != &spt_finder_file || row->named == 0)
		return;
	printf("%36s", "");
	for (unsigned source = 0; source < SPT_SOURCES; source++) {
		if (row->sources[source] == 0)
			continue;
		printf("%s%" PRIu64 " %s", begin, row->sources[source],
		       spt_source_name(source));
		begin = ", ";
	}
	printf("\n");
}

void spt_info_print_finders(const struct spt_info *info)
{
	uint64_t unnamed = 0;

	printf("\nWho named the addresses in stacks: each is asked if those above it do not know\n");
	printf("%s%10s %10s %10s  %s%s\n", spt_color(SPT_COLOR_TITLE), "Named", "Unnamed",
	       "Of all %", "Finder", spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; i < info->finders->len; i++) {
		const SptFinderCount *row = &g_array_index(info->finders, SptFinderCount, i);
		double pct = spt_percent(row->weight, info->summary.weight);

		unnamed += row->unnamed;
		if (row->finder)
			printf("%10" PRIu64 " %10" PRIu64 " %10.2f  %s: %s\n", row->named,
			       row->unnamed, pct, row->finder->name, row->finder->knows);
		else
			printf("%10s %10" PRIu64 " %10.2f  without a name\n", "", unnamed, pct);
		print_tables(row);
	}
}

static void add_row(SptJson *json, const SptFinderCount *row)
{
	spt_json_object(json, NULL);
	spt_json_text(json, "name", row->finder ? row->finder->name : NULL);
	spt_json_text(json, "knows", row->finder ? row->finder->knows : NULL);
	spt_json_count(json, "named", row->named);
	spt_json_count(json, "unnamed", row->unnamed);
	spt_json_count(json, "weight", row->weight);
	spt_json_object(json, "sources");
	for (unsigned source = 0; source < SPT_SOURCES; source++)
		if (row->sources[source] > 0)
			spt_json_count(json, spt_source_name(source), row->sources[source]);
	spt_json_end_object(json);
	spt_json_end_object(json);
}

void spt_info_add_finders(SptJson *json, const struct spt_info *info)
{
	spt_json_array(json, "finders");
	for (unsigned i = 0; i < info->finders->len; i++)
		add_row(json, &g_array_index(info->finders, SptFinderCount, i));
	spt_json_end_array(json);
}

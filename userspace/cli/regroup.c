/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything is folded anew: what was chosen may be another metric, too. */
#include "regroup.h"

void spt_regroup(SptRegroup *regroup, const SptCapture *capture, SptSymbols *symbols,
		 const SptMetric *metric, const SptFilter *filter,
		 const SptArrangement *arrangement)
{
	spt_regroup_clear(regroup);
	regroup->base = spt_profile_new_base_for(capture, symbols, metric, filter);
	regroup->arranged = spt_profile_arrange(regroup->base, arrangement);
	regroup->profile = spt_profile_refilter(regroup->arranged, filter, NULL);
	regroup->tree = spt_profile_descendants(regroup->profile, UINT32_MAX);
}

void spt_regroup_clear(SptRegroup *regroup)
{
	g_clear_pointer(&regroup->tree, g_array_unref);
	g_clear_pointer(&regroup->profile, spt_profile_free);
	g_clear_pointer(&regroup->arranged, spt_profile_free);
	g_clear_pointer(&regroup->base, spt_profile_free);
}

char **spt_regroup_choices(const char *first, const SptMetric *metric)
{
	g_autoptr(GStrvBuilder) names = g_strv_builder_new();
	const SptGrouping *grouping;

	if (first)
		g_strv_builder_add(names, first);
	g_strv_builder_add(names, spt_roots_name(SPT_ROOTS_PROGRAM));
	for (unsigned i = 0; (grouping = spt_grouping(i)); i++)
		if (spt_grouping_fits(grouping, metric))
			g_strv_builder_add(names, grouping->name);
	g_strv_builder_add(names, spt_roots_name(SPT_ROOTS_NONE));
	return g_strv_builder_end(names);
}

SptRoots spt_regroup_named(const char *by, const SptMetric *metric)
{
	return spt_roots_named(metric->parts & SPT_METRIC_HAS_FIELD ? "field" : by);
}

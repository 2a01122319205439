/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parents come before their children: one pass down carries, one pass up adds. */
#include "export/amounts.h"

#define NS_PER_US 1000

static bool is_in_us(const SptProfile *profile)
{
	const SptMetric *metric = spt_profile_metric(profile);

	return metric->unit == SPT_UNIT_NS && !metric->is_cpu;
}

void spt_amounts_init(SptAmounts *amounts, const SptProfile *profile)
{
	uint64_t divisor = is_in_us(profile) ? NS_PER_US : 1, carried = 0;
	uint32_t n;
	const SptTreeNode *nodes = spt_profile_tree(profile, &n);

	amounts->self = g_new0(uint64_t, MAX(n, 1));
	amounts->total = g_new0(uint64_t, MAX(n, 1));
	for (uint32_t i = 0; i < n; i++) {
		/* Where there was nothing, nothing is added. */
		if (nodes[i].self == 0)
			continue;
		carried += nodes[i].self;
		amounts->self[i] = carried / divisor;
		carried %= divisor;
	}
	for (uint32_t i = n; i-- > 0;) {
		amounts->total[i] += amounts->self[i];
		if (i > 0)
			amounts->total[nodes[i].parent] += amounts->total[i];
	}
}

void spt_amounts_clear(SptAmounts *amounts)
{
	g_free(amounts->self);
	g_free(amounts->total);
}

const char *spt_amounts_unit(const SptProfile *profile, uint64_t amount)
{
	static const char *const units[][2] = {
		[SPT_UNIT_NS] = { "microseconds", "microsecond" },
		[SPT_UNIT_BYTES] = { "bytes", "byte" },
		[SPT_UNIT_EVENTS] = { "events", "event" },
		[SPT_UNIT_NUMBER] = { "in all", "in all" },
	};
	const SptMetric *metric = spt_profile_metric(profile);

	if (metric->is_cpu)
		return amount == 1 ? "period" : "periods";
	return units[metric->unit][amount == 1];
}

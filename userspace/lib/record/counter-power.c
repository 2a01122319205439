/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What parts of the machine draw, in watt: the energy that processors count by themselves
 * (powercap, as RAPL has it; root alone can read it) and what a battery reports.
 */
#include <string.h>

#include "record/counters.h"

#define POWERCAP "sys/class/powercap"
#define SUPPLIES "sys/class/power_supply"

/* The name of a zone is that of its parents, too: "package-0" has a "core". */
static void read_zone(SptCounting *counting, const char *zone)
{
	g_autofree char *path = g_strdup_printf(POWERCAP "/%s/energy_uj", zone);
	g_autofree char *name_path = g_strdup_printf(POWERCAP "/%s/name", zone);
	g_autofree char *text = spt_counting_text(counting, name_path), *name = NULL;
	const char *number = strchr(zone, ':');
	double microjoule;

	/* A zone without a number is the kind of zones as a whole. */
	if (!text || !number || !spt_counting_number(counting, path, &microjoule))
		return;
	name = g_strdup_printf("power.%s.%s", g_strstrip(text), number + 1);
	spt_counting_rate(counting, name, "W", microjoule, 1e-6);
}

static void read_supply(SptCounting *counting, const char *supply)
{
	g_autofree char *path = g_strdup_printf(SUPPLIES "/%s/power_now", supply);
	g_autofree char *level_path = g_strdup_printf(SUPPLIES "/%s/capacity", supply);
	g_autofree char *name = g_strdup_printf("power.%s", supply),
			*level_name = g_strdup_printf("battery.%s", supply);
	double value;

	if (spt_counting_number(counting, path, &value))
		spt_counting_put(counting, name, "W", value * 1e-6);
	if (spt_counting_number(counting, level_path, &value))
		spt_counting_put(counting, level_name, "%", value);
}

static void read_power(SptCounting *counting)
{
	g_auto(GStrv) zones = spt_counting_names(counting, POWERCAP),
		      supplies = spt_counting_names(counting, SUPPLIES);

	for (char **zone = zones; *zone; zone++)
		read_zone(counting, *zone);
	for (char **supply = supplies; *supply; supply++)
		read_supply(counting, *supply);
}

const struct spt_counter_source spt_counter_power = { "power", read_power };

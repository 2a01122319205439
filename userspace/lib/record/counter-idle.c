/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For how much of the time each CPU was in each of its idle states, in percent. */
#include <stdio.h>

#include "record/counters.h"

#define CPUS "sys/devices/system/cpu"

static void read_state(SptCounting *counting, unsigned cpu, const char *state)
{
	g_autofree char *path = g_strdup_printf(CPUS "/cpu%u/cpuidle/%s/time", cpu, state);
	g_autofree char *name_path = g_strdup_printf(CPUS "/cpu%u/cpuidle/%s/name", cpu, state);
	g_autofree char *text = spt_counting_text(counting, name_path), *name = NULL;
	double microseconds;

	if (!text || !spt_counting_number(counting, path, &microseconds))
		return;
	name = g_strdup_printf("cpu.%u.idle.%s", cpu, g_strstrip(text));
	spt_counting_rate(counting, name, "%", microseconds, 1e-4);
}

static void read_idle(SptCounting *counting)
{
	g_auto(GStrv) names = spt_counting_names(counting, CPUS);

	for (char **at = names; *at; at++) {
		g_autofree char *path = NULL;
		g_auto(GStrv) states = NULL;
		unsigned cpu;
		int end = 0;

		if (sscanf(*at, "cpu%u%n", &cpu, &end) != 1 || (*at)[end])
			continue;
		path = g_strdup_printf(CPUS "/cpu%u/cpuidle", cpu);
		states = spt_counting_names(counting, path);
		for (char **state = states; *state; state++)
			read_state(counting, cpu, *state);
	}
}

const struct spt_counter_source spt_counter_idle = { "idle", read_idle };

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How busy each CPU is, in percent, and at which frequency it runs, in MHz. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/counters.h"

#define IDLE_COLUMN    3	/* and the next one: waiting for a disk */
#define LAST_COLUMN    7	/* what follows is part of the first two */

/* "cpu0 10 0 20 ...", in ticks of the kernel's clock. */
static void read_cpu_line(SptCounting *counting, const char *line)
{
	g_autofree char *name = NULL;
	double sum = 0;
	unsigned cpu;
	int at = 0;

	if (sscanf(line, "cpu%u%n", &cpu, &at) != 1)
		return;
	for (unsigned i = 0; i <= LAST_COLUMN; i++) {
		char *end;
		double ticks = g_ascii_strtod(line + at, &end);

		if (end == line + at)
			break;
		at = (int)(end - line);
		if (i != IDLE_COLUMN && i != IDLE_COLUMN + 1)
			sum += ticks;
	}
	name = g_strdup_printf("cpu.%u.busy", cpu);
	spt_counting_share(counting, name, sum, 100.0 / (double)sysconf(_SC_CLK_TCK));
}

static void read_frequencies(SptCounting *counting)
{
	g_auto(GStrv) names = spt_counting_names(counting, "sys/devices/system/cpu");

	for (char **at = names; *at; at++) {
		g_autofree char *path = NULL, *name = NULL;
		unsigned cpu;
		double khz;
		int end = 0;

		if (sscanf(*at, "cpu%u%n", &cpu, &end) != 1 || (*at)[end])
			continue;
		path = g_strdup_printf("sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
		name = g_strdup_printf("cpu.%u.frequency", cpu);
		if (spt_counting_number(counting, path, &khz))
			spt_counting_put(counting, name, "MHz", khz / 1000);
	}
}

static void read_cpus(SptCounting *counting)
{
	g_autofree char *text = spt_counting_text(counting, "proc/stat");
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;

	for (char **line = lines; line && *line; line++)
		if (strncmp(*line, "cpu", 3) == 0)
			read_cpu_line(counting, *line);
	read_frequencies(counting);
}

const struct spt_counter_source spt_counter_cpu = { "cpu", read_cpus };

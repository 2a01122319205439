/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For how much of the time some tasks, or all of them, waited for CPU, memory or disk: the
 * kernel's pressure stall information, in percent.
 */
#include <string.h>

#include "record/counters.h"

/* Of "some avg10=0.00 avg60=0.00 avg300=0.00 total=123", in microseconds. */
static void read_pressure_line(SptCounting *counting, const char *what, const char *line)
{
	const char *total = strstr(line, "total="), *blank = strchr(line, ' ');
	g_autofree char *who = blank ? g_strndup(line, (size_t)(blank - line)) : NULL;
	g_autofree char *name = g_strdup_printf("pressure.%s.%s", what, who);

	if (total && who)
		spt_counting_rate(counting, name, "%",
				  g_ascii_strtod(total + strlen("total="), NULL), 1e-4);
}

static void read_pressure(SptCounting *counting)
{
	static const char *const what[] = { "cpu", "memory", "io" };

	for (unsigned i = 0; i < G_N_ELEMENTS(what); i++) {
		g_autofree char *path = g_strconcat("proc/pressure/", what[i], NULL);
		g_autofree char *text = spt_counting_text(counting, path);
		g_auto(GStrv) lines = text ? g_strsplit(text, "\n", 3) : NULL;

		for (char **line = lines; line && *line && line < lines + 2; line++)
			read_pressure_line(counting, what[i], *line);
	}
}

const struct spt_counter_source spt_counter_pressure = { "pressure", read_pressure };

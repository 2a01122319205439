/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's memory: what is in use and cannot be given back, the page cache, and swap. */
#include <string.h>

#include "record/counters.h"

/* The value of "NAME:  123 kB"; -1: there is none. */
static double find_kib(const char *text, const char *name)
{
	g_autofree char *start = g_strconcat("\n", name, ":", NULL);
	const char *at = strncmp(text, start + 1, strlen(start + 1)) == 0 ? text - 1 :
									     strstr(text, start);

	return at ? g_ascii_strtod(at + strlen(start), NULL) : -1;
}

static void put_difference(SptCounting *counting, const char *text, const char *name,
			   const char *all, const char *free)
{
	double all_kib = find_kib(text, all), free_kib = find_kib(text, free);

	if (all_kib > 0 && free_kib >= 0)
		spt_counting_put(counting, name, "bytes", (all_kib - free_kib) * 1024);
}

static void read_memory(SptCounting *counting)
{
	g_autofree char *text = spt_counting_text(counting, "proc/meminfo");
	double cached_kib = text ? find_kib(text, "Cached") : -1;

	if (!text)
		return;
	put_difference(counting, text, "memory.used", "MemTotal", "MemAvailable");
	put_difference(counting, text, "memory.swap", "SwapTotal", "SwapFree");
	if (cached_kib >= 0)
		spt_counting_put(counting, "memory.cached", "bytes", cached_kib * 1024);
}

const struct spt_counter_source spt_counter_memory = { "memory", read_memory };

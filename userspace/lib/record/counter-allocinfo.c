/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the kernel's own allocations hold the most memory, where it counts them
 * (/proc/allocinfo, Linux 6.10 and later with CONFIG_MEM_ALLOC_PROFILING, for root): those that
 * were among the largest at some time.
 */
#include <stdio.h>
#include <string.h>

#include "record/counters.h"

#define LARGEST 10
/* The kernel takes some milliseconds to write it. */
#define SECONDS 10
#define MOST_TEXT_BYTES (4u << 20)

struct allocation {
	double bytes;
	const char *where;		/* "mm/slub.c:1234 func:alloc_slab_page" */
};

/* The largest first. */
static void put_in_order(struct allocation largest[LARGEST], struct allocation one)
{
	for (unsigned i = 0; i < LARGEST; i++) {
		struct allocation other = largest[i];

		if (other.bytes >= one.bytes)
			continue;
		largest[i] = one;
		one = other;
	}
}

/* "   12345      67 mm/slub.c:1234 func:alloc_slab_page" */
static void read_allocinfo(SptCounting *counting)
{
	g_autofree char *text = spt_counting_is_turn(counting, SECONDS) ?
					spt_counting_large_text(counting, "proc/allocinfo",
								MOST_TEXT_BYTES) :
					NULL;
	struct allocation largest[LARGEST] = { 0 };
	char *next = text, *line;

	while (next && (line = strsep(&next, "\n"))) {
		struct allocation one;
		int at = 0;

		if (sscanf(line, "%lf %*f %n", &one.bytes, &at) == 1 && at > 0 && line[at]) {
			one.where = line + at;
			put_in_order(largest, one);
		}
	}
	for (unsigned i = 0; i < LARGEST && largest[i].bytes > 0; i++) {
		g_autofree char *name = g_strdup_printf("allocated.%s", largest[i].where);

		spt_counting_put(counting, name, "bytes", largest[i].bytes);
	}
}

const struct spt_counter_source spt_counter_allocinfo = { "allocinfo", read_allocinfo };

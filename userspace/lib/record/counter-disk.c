/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each disk reads and writes a second, and how much of the time it is busy. */
#include <stdio.h>

#include "record/counters.h"

#define SECTOR_BYTES 512

static void put_disk(SptCounting *counting, const char *disk, const char *what, const char *unit,
		     double total, double factor)
{
	g_autofree char *name = g_strdup_printf("disk.%s.%s", disk, what);

	spt_counting_rate(counting, name, unit, total, factor);
}

/* A disk as a whole, which has done something. */
static void read_disk(SptCounting *counting, const char *disk)
{
	g_autofree char *path = g_strdup_printf("sys/block/%s/stat", disk);
	g_autofree char *text = spt_counting_text(counting, path);
	double read_sectors, written_sectors, busy_ms;

	if (!text || sscanf(text, "%*f %*f %lf %*f %*f %*f %lf %*f %*f %lf", &read_sectors,
			    &written_sectors, &busy_ms) != 3 ||
	    read_sectors + written_sectors == 0)
		return;
	put_disk(counting, disk, "read", "bytes/s", read_sectors, SECTOR_BYTES);
	put_disk(counting, disk, "written", "bytes/s", written_sectors, SECTOR_BYTES);
	put_disk(counting, disk, "busy", "%", busy_ms, 0.1);
}

static void read_disks(SptCounting *counting)
{
	g_auto(GStrv) names = spt_counting_names(counting, "sys/block");

	for (char **name = names; *name; name++)
		read_disk(counting, *name);
}

const struct spt_counter_source spt_counter_disk = { "disk", read_disks };

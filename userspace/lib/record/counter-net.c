/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each network device receives and sends a second. */
#include "record/counters.h"

static void read_direction(SptCounting *counting, const char *device, const char *file,
			   const char *what)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/statistics/%s", device, file);
	g_autofree char *name = g_strdup_printf("net.%s.%s", device, what);
	double bytes;

	if (spt_counting_number(counting, path, &bytes) && bytes > 0)
		spt_counting_rate(counting, name, "bytes/s", bytes, 1);
}

static void read_devices(SptCounting *counting)
{
	g_auto(GStrv) names = spt_counting_names(counting, "sys/class/net");

	for (char **name = names; *name; name++) {
		read_direction(counting, *name, "rx_bytes", "received");
		read_direction(counting, *name, "tx_bytes", "sent");
	}
}

const struct spt_counter_source spt_counter_net = { "net", read_devices };

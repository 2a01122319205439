/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/tsc.h"

#include <glib.h>
#include <string.h>

#include "base/clock.h"

/* Readings of the clock before and after the stamp are this close, or the closest of some. */
#define NEAR_NS 500u
#define MOST_LOOKS 16

#define CLOCKS "/sys/devices/system/clocksource/clocksource0/available_clocksource"

bool spt_tsc_is_usable(void)
{
	g_autofree char *names = NULL;

	return g_file_get_contents(CLOCKS, &names, NULL, NULL) && strstr(names, "tsc");
}

static uint64_t tsc_read(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

void spt_tsc_look(bool is_tsc, uint64_t *ret_stamp, uint64_t *ret_ns)
{
	uint64_t least = UINT64_MAX;

	if (!is_tsc) {
		*ret_ns = *ret_stamp = spt_clock_ns(CLOCK_MONOTONIC);
		return;
	}
	for (unsigned i = 0; i < MOST_LOOKS && least > NEAR_NS; i++) {
		uint64_t before = spt_clock_ns(CLOCK_MONOTONIC), stamp = tsc_read(),
			 length = spt_clock_ns(CLOCK_MONOTONIC) - before;

		if (length >= least)
			continue;
		least = length;
		*ret_stamp = stamp;
		*ret_ns = before + length / 2;
	}
}

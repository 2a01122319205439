/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/tsc.h"

#include <glib.h>
#include <string.h>

#define CLOCKS "/sys/devices/system/clocksource/clocksource0/available_clocksource"

bool spt_tsc_is_sound(void)
{
	g_autofree char *names = NULL;

	return g_file_get_contents(CLOCKS, &names, NULL, NULL) && strstr(names, "tsc");
}

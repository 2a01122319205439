/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/proc-stat.h"

#include <string.h>

uint64_t spt_proc_stat_field(const char *stat, unsigned field)
{
	const char *at = strrchr(stat, ')');

	/* Behind the name, field 2, is a blank before each. */
	for (unsigned i = 3; at && i <= field; i++)
		at = strchr(at + 1, ' ');
	return at ? g_ascii_strtoull(at, NULL, 10) : 0;
}

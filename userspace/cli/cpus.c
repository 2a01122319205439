/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPUs. */
#include "cmd.h"

/* "3" or "2-5". */
static bool parse_range(const char *text, bool *cpus)
{
	g_auto(GStrv) sides = g_strsplit(text, "-", 2);
	uint64_t first, last;

	if (!sides[0] ||
	    !g_ascii_string_to_unsigned(sides[0], 10, 0, SPT_CLI_CPUS_MAX - 1, &first, NULL))
		return false;
	last = first;
	if (sides[1] &&
	    !g_ascii_string_to_unsigned(sides[1], 10, first, SPT_CLI_CPUS_MAX - 1, &last, NULL))
		return false;
	for (uint64_t cpu = first; cpu <= last; cpu++)
		cpus[cpu] = true;
	return true;
}

bool *spt_cli_parse_cpus(const char *option, const char *text)
{
	g_auto(GStrv) ranges = g_strsplit(text, ",", -1);
	g_autofree bool *cpus = g_new0(bool, SPT_CLI_CPUS_MAX);

	for (char **range = ranges; *range; range++) {
		if (!parse_range(*range, cpus)) {
			spt_cli_complain(
				"%s %s is no list of CPUs; write numbers and ranges, as in 0,2-5",
				option, text);
			return NULL;
		}
	}
	return g_steal_pointer(&cpus);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPUs. */
#include "cmd.h"

#define PRESENT "/sys/devices/system/cpu/present"
#define ONLINE "/sys/devices/system/cpu/online"

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

/* NULL: the text is no list of CPUs. */
static bool *parse_list(const char *text)
{
	g_auto(GStrv) ranges = g_strsplit(text, ",", -1);
	g_autofree bool *cpus = g_new0(bool, SPT_CLI_CPUS_MAX);

	for (char **range = ranges; *range; range++)
		if (!parse_range(*range, cpus))
			return NULL;
	return g_steal_pointer(&cpus);
}

bool *spt_cli_parse_cpus(const char *option, const char *text)
{
	bool *cpus = parse_list(text);

	if (!cpus)
		spt_cli_complain("%s takes CPU numbers and ranges such as 0,2-5, not \"%s\"", option,
				 text);
	return cpus;
}

/* NULL: the kernel does not say. */
static bool *read_list(const char *path, char **ret_text)
{
	if (!g_file_get_contents(path, ret_text, NULL, NULL))
		return NULL;
	return parse_list(g_strchomp(*ret_text));
}

bool spt_cli_check_cpus(const char *option, const bool *cpus)
{
	g_autofree char *present_text = NULL, *online_text = NULL;
	g_autofree bool *present = read_list(PRESENT, &present_text);
	g_autofree bool *online = read_list(ONLINE, &online_text);
	bool has_online = !online;

	for (unsigned cpu = 0; cpu < SPT_CLI_CPUS_MAX; cpu++) {
		if (cpus[cpu] && present && !present[cpu]) {
			spt_cli_complain("There is no CPU %u (%s): this machine has %s", cpu,
					 option, present_text);
			return false;
		}
		has_online |= cpus[cpu] && online && online[cpu];
	}
	if (!has_online)
		spt_cli_complain("None of these CPUs is online (%s): online are %s", option,
				 online_text);
	return has_online;
}

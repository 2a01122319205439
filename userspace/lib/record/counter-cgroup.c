/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control groups (version 2) of recorded processes: CPU time in percent of a CPU, memory, how
 * long they were held back by their quota, and processes.
 */
#include <string.h>

#include "record/counters.h"

#define GROUPS "sys/fs/cgroup"
/* Groups that are read in a second. */
#define MOST_GROUPS 32

/* The path of a process's group, with a "/" in front; NULL: there is none, or it is the root. */
static char *group_of(const SptCounting *counting, uint32_t pid)
{
	g_autofree char *path = g_strdup_printf("proc/%u/cgroup", pid);
	g_autofree char *text = spt_counting_text(counting, path);
	const char *at = text && strncmp(text, "0::/", 4) == 0 ? text + 3 :
			 text				      ? strstr(text, "\n0::/") :
								NULL;

	at = at && *at == '\n' ? at + 4 : at;
	return at && at[1] != '\n' && at[1] ? g_strndup(at, strcspn(at, "\n")) : NULL;
}

/* The number behind "KEY " at the begin of a line; -1: there is none. */
static double find_in_lines(const char *text, const char *key)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (g_str_has_prefix(line, key) && line[strlen(key)] == ' ')
			return g_ascii_strtod(line + strlen(key), NULL);
	}
	return -1;
}

static void read_group(SptCounting *counting, const char *group)
{
	g_autofree char *cpu_path = g_strconcat(GROUPS, group, "/cpu.stat", NULL),
			*memory_path = g_strconcat(GROUPS, group, "/memory.current", NULL),
			*pids_path = g_strconcat(GROUPS, group, "/pids.current", NULL);
	g_autofree char *cpu_name = g_strdup_printf("cgroup.%s.cpu", group),
			*held_name = g_strdup_printf("cgroup.%s.throttled", group),
			*memory_name = g_strdup_printf("cgroup.%s.memory", group),
			*pids_name = g_strdup_printf("cgroup.%s.processes", group);
	g_autofree char *text = spt_counting_text(counting, cpu_path);
	double usage = text ? find_in_lines(text, "usage_usec") : -1,
	       held = text ? find_in_lines(text, "throttled_usec") : -1, value;

	if (usage >= 0)
		spt_counting_rate(counting, cpu_name, "%", usage, 1e-4);
	if (held >= 0)
		spt_counting_rate(counting, held_name, "%", held, 1e-4);
	if (spt_counting_number(counting, memory_path, &value))
		spt_counting_put(counting, memory_name, "bytes", value);
	if (spt_counting_number(counting, pids_path, &value))
		spt_counting_put(counting, pids_name, "", value);
}

static void read_groups(SptCounting *counting)
{
	g_autoptr(GHashTable) done = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	const GArray *pids = spt_counting_pids(counting);

	for (unsigned i = 0; i < pids->len && g_hash_table_size(done) < MOST_GROUPS; i++) {
		char *group = group_of(counting, g_array_index(pids, uint32_t, i));

		if (group && !g_hash_table_contains(done, group))
			read_group(counting, group);
		if (group)
			g_hash_table_add(done, group);
	}
}

const struct spt_counter_source spt_counter_cgroup = { "cgroup", read_groups };

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of processes, users and CPUs, and a control group: the source excludes everything else. */
#include "record-filter.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

#define CPU_WORDS (SPT_CLI_CPUS_MAX / 64)

void spt_record_filter_add(struct spt_record_filter *filter, GArray *entries)
{
	const GOptionEntry ours[] = {
		{ "pid", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &filter->pids,
		  "Only this process and what it starts (may be repeated)", "PID" },
		{ "uid", 0, 0, G_OPTION_ARG_STRING_ARRAY, &filter->users,
		  "Only what runs as this user (may be repeated)", "USER" },
		{ "cpu", 'C', 0, G_OPTION_ARG_STRING, &filter->cpus,
		  "Only these CPUs, as in 0,2-5; isolated ones must be named (also --cpus)",
		  "LIST" },
		SPT_CLI_ALIAS("cpus", G_OPTION_ARG_STRING, filter->cpus),
		{ "cgroup", 0, 0, G_OPTION_ARG_FILENAME, &filter->cgroup,
		  "Only this control group (v2) and those below", "PATH" },
		{ "user", 0, 0, G_OPTION_ARG_NONE, &filter->only_user,
		  "Only user code (also --user-only)", NULL },
		SPT_CLI_ALIAS("user-only", G_OPTION_ARG_NONE, filter->only_user),
		{ "kernel", 0, 0, G_OPTION_ARG_NONE, &filter->only_kernel,
		  "Only the kernel (also --kernel-only)", NULL },
		SPT_CLI_ALIAS("kernel-only", G_OPTION_ARG_NONE, filter->only_kernel),
	};

	g_array_append_vals(entries, ours, G_N_ELEMENTS(ours));
}

/* Whether @pid is the number of a thread other than a process's first; complained. */
static bool is_thread(uint64_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%" PRIu64 "/status", pid);
	g_autofree char *status = NULL;
	const char *line;
	uint64_t process;

	if (!g_file_get_contents(path, &status, NULL, NULL) ||
	    !(line = strstr(status, "\nTgid:")) ||
	    sscanf(line, "\nTgid: %" SCNu64, &process) != 1 || process == pid)
		return false;
	spt_cli_complain("%" PRIu64 " is a thread of process %" PRIu64
			 ", and --pid takes processes: --pid %" PRIu64,
			 pid, process, process);
	return true;
}

static bool add_pids(SptTraceFilter *filter, char **texts)
{
	for (char **text = texts; text && *text; text++) {
		g_auto(GStrv) words = g_strsplit(*text, ",", -1);

		for (char **word = words; *word; word++) {
			uint64_t pid;

			if (!g_ascii_string_to_unsigned(*word, 10, 1, G_MAXINT32, &pid, NULL) ||
			    (kill((pid_t)pid, 0) < 0 && errno == ESRCH)) {
				spt_cli_complain("There is no process %s (--pid)", *word);
				return false;
			}
			if (is_thread(pid))
				return false;
			if (filter->n_pids == SYSPROF_FILTER_MAX) {
				spt_cli_complain(
					"At most %d processes can be named (--pid); their children are recorded, too",
					SYSPROF_FILTER_MAX);
				return false;
			}
			filter->pids[filter->n_pids++] = (uint32_t)pid;
		}
	}
	return true;
}

static bool record_filter_find_user(const char *text, uint32_t *ret)
{
	const struct passwd *user = getpwnam(text);
	uint64_t number;

	if (user)
		*ret = user->pw_uid;
	else if (g_ascii_string_to_unsigned(text, 10, 0, UINT32_MAX - 1, &number, NULL))
		*ret = (uint32_t)number;
	else
		return false;
	return true;
}

static bool add_users(SptTraceFilter *filter, char **texts)
{
	for (char **text = texts; text && *text; text++) {
		if (filter->n_uids == SYSPROF_FILTER_MAX) {
			spt_cli_complain("At most %d users can be named (--uid)",
					 SYSPROF_FILTER_MAX);
			return false;
		}
		if (!record_filter_find_user(*text, &filter->uids[filter->n_uids++])) {
			spt_cli_complain("There is no user %s (--uid)", *text);
			return false;
		}
	}
	return true;
}

static bool record_filter_add_cpus(struct spt_record_filter *options, SptTraceFilter *filter)
{
	g_autofree bool *cpus = NULL;

	if (!options->cpus)
		return true;
	cpus = spt_cli_parse_cpus("--cpu", options->cpus);
	if (!cpus || !spt_cli_check_cpus("--cpu", cpus))
		return false;
	options->cpu_words = g_new0(uint64_t, CPU_WORDS);
	for (unsigned cpu = 0; cpu < SPT_CLI_CPUS_MAX; cpu++)
		options->cpu_words[cpu / 64] |= (uint64_t)cpus[cpu] << cpu % 64;
	filter->cpus = options->cpu_words;
	filter->n_cpu_words = CPU_WORDS;
	return true;
}

bool spt_record_filter_parse(struct spt_record_filter *options, SptTraceFilter *ret)
{
	*ret = (SptTraceFilter){
		.cgroup = options->cgroup,
		.only_user = options->only_user,
		.only_kernel = options->only_kernel,
	};
	if (options->only_user && options->only_kernel) {
		spt_cli_complain("--user and --kernel exclude each other; give one of them");
		return false;
	}
	return add_pids(ret, options->pids) && add_users(ret, options->users) &&
	       record_filter_add_cpus(options, ret);
}

void spt_record_filter_clear(struct spt_record_filter *filter)
{
	g_strfreev(filter->pids);
	g_strfreev(filter->users);
	g_free(filter->cpus);
	g_free(filter->cgroup);
	g_free(filter->cpu_words);
	*filter = (struct spt_record_filter){ 0 };
}

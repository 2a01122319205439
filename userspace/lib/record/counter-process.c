/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each process that is recorded: CPU time in percent of a CPU, memory, threads, descriptors, page
 * faults, switches of its first thread, and what it reads and writes.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/counters.h"

static char *counter_name(uint32_t pid, const char *what)
{
	return g_strdup_printf("process.%u.%s", pid, what);
}

static void put_of_process(SptCounting *counting, uint32_t pid, const char *what, const char *unit,
			   double value)
{
	g_autofree char *name = counter_name(pid, what);

	spt_counting_put(counting, name, unit, value);
}

/* "PID (name) state ..."; a name may have blanks and brackets. */
static void read_process_stat(SptCounting *counting, uint32_t pid)
{
	g_autofree char *path = g_strdup_printf("proc/%u/stat", pid);
	g_autofree char *text = spt_counting_text(counting, path);
	const char *behind = text ? strrchr(text, ')') : NULL;
	g_autofree char *name = counter_name(pid, "cpu");
	g_autofree char *minor_name = counter_name(pid, "minor-faults"),
			*major_name = counter_name(pid, "major-faults");
	double minor, major, user, system, threads, pages;

	if (!behind || sscanf(behind + 1,
			      " %*c %*f %*f %*f %*f %*f %*f %lf %*f %lf %*f %lf %lf %*f %*f %*f %*f"
			      " %lf %*f %*f %*f %lf",
			      &minor, &major, &user, &system, &threads, &pages) != 6)
		return;
	spt_counting_rate(counting, minor_name, "/s", minor, 1);
	spt_counting_rate(counting, major_name, "/s", major, 1);
	spt_counting_rate(counting, name, "%", user + system, 100.0 / (double)sysconf(_SC_CLK_TCK));
	put_of_process(counting, pid, "threads", "", threads);
	put_of_process(counting, pid, "resident", "bytes", pages * (double)sysconf(_SC_PAGESIZE));
}

/* A number of a file of the process, behind a text, as a rate of that name. */
struct process_rate {
	const char *behind, *name;
};

static void read_process_rates(SptCounting *counting, uint32_t pid, const char *file,
			       const char *unit, const struct process_rate rates[2])
{
	g_autofree char *path = g_strdup_printf("proc/%u/%s", pid, file);
	g_autofree char *text = spt_counting_text(counting, path);

	for (unsigned i = 0; text && i < 2; i++) {
		const char *at = strstr(text, rates[i].behind);
		g_autofree char *name = counter_name(pid, rates[i].name);

		if (at)
			spt_counting_rate(counting, name, unit,
					  g_ascii_strtod(at + strlen(rates[i].behind), NULL), 1);
	}
}

static void read_processes(SptCounting *counting)
{
	static const struct process_rate switches[] = {
		{ "\nvoluntary_ctxt_switches:", "waits" },
		{ "\nnonvoluntary_ctxt_switches:", "preempted" },
	}, io[] = { { "read_bytes: ", "read" }, { "\nwrite_bytes: ", "written" } };
	const GArray *pids = spt_counting_pids(counting);

	for (unsigned i = 0; i < pids->len; i++) {
		uint32_t pid = g_array_index(pids, uint32_t, i);
		g_autofree char *path = g_strdup_printf("proc/%u/fd", pid);
		unsigned n = spt_counting_n_names(counting, path);

		spt_counting_set_pid(counting, pid);
		read_process_stat(counting, pid);
		read_process_rates(counting, pid, "status", "/s", switches);
		read_process_rates(counting, pid, "io", "bytes/s", io);
		if (n)
			put_of_process(counting, pid, "descriptors", "", n);
	}
	spt_counting_set_pid(counting, 0);
}

const struct spt_counter_source spt_counter_process = { "process", read_processes };

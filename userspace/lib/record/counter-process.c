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

static void read_process_switches(SptCounting *counting, uint32_t pid)
{
	static const char *const keys[][2] = { { "\nvoluntary_ctxt_switches:", "waits" },
					       { "\nnonvoluntary_ctxt_switches:", "preempted" } };
	g_autofree char *path = g_strdup_printf("proc/%u/status", pid);
	g_autofree char *text = spt_counting_text(counting, path);

	for (unsigned i = 0; text && i < G_N_ELEMENTS(keys); i++) {
		const char *at = strstr(text, keys[i][0]);
		g_autofree char *name = counter_name(pid, keys[i][1]);

		if (at)
			spt_counting_rate(counting, name, "/s",
					  g_ascii_strtod(at + strlen(keys[i][0]), NULL), 1);
	}
}

static void read_process_io(SptCounting *counting, uint32_t pid)
{
	static const char *const keys[][2] = { { "read_bytes: ", "read" },
					       { "\nwrite_bytes: ", "written" } };
	g_autofree char *path = g_strdup_printf("proc/%u/io", pid);
	g_autofree char *text = spt_counting_text(counting, path);

	for (unsigned i = 0; text && i < G_N_ELEMENTS(keys); i++) {
		const char *at = strstr(text, keys[i][0]);
		g_autofree char *name = counter_name(pid, keys[i][1]);

		if (at)
			spt_counting_rate(counting, name, "bytes/s",
					  g_ascii_strtod(at + strlen(keys[i][0]), NULL), 1);
	}
}

static void read_processes(SptCounting *counting)
{
	const GArray *pids = spt_counting_pids(counting);

	for (unsigned i = 0; i < pids->len; i++) {
		uint32_t pid = g_array_index(pids, uint32_t, i);
		g_autofree char *path = g_strdup_printf("proc/%u/fd", pid);
		unsigned n = spt_counting_n_names(counting, path);

		spt_counting_set_pid(counting, pid);
		read_process_stat(counting, pid);
		read_process_switches(counting, pid);
		read_process_io(counting, pid);
		if (n)
			put_of_process(counting, pid, "descriptors", "", n);
	}
	spt_counting_set_pid(counting, 0);
}

const struct spt_counter_source spt_counter_process = { "process", read_processes };

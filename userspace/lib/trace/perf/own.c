/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel decides who may observe what: this asks it. */
#include "trace/perf/own.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/perf/open.h"

#define PROBE_PERIOD_NS 1000000ULL

int spt_perf_reach(void)
{
	for (int reach = SPT_PERF_ALL; reach <= SPT_PERF_OWN_CODE; reach++) {
		struct spt_perf_event event = {
			.period_ns = PROBE_PERIOD_NS,
			.watermark_bytes = 1,
			.cgroup = -1,
			.thread = reach == SPT_PERF_ALL ? -1 : getpid(),
			.only_user = reach == SPT_PERF_OWN_CODE,
		};
		int fd = spt_perf_open_event(0, &event, &(SptTraceConfig){ 0 });

		if (fd >= 0)
			close(fd);
		/* ENODEV: the first CPU is offline. */
		if (fd >= 0 || errno == ENODEV)
			return reach;
		if (errno != EACCES && errno != EPERM)
			return -1;
	}
	return -1;
}

static unsigned own_add_threads(const char *pid, GHashTable *known, GArray *threads)
{
	g_autofree char *path = g_strdup_printf("/proc/%s/task", pid);
	g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
	const char *name;
	unsigned n = 0;

	while (directory && (name = g_dir_read_name(directory))) {
		uint32_t thread = strtoul(name, NULL, 10);

		if (!g_hash_table_add(known, GUINT_TO_POINTER(thread)))
			continue;
		g_array_append_val(threads, thread);
		n++;
	}
	return n;
}

static bool is_own(const char *pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%s", pid);
	struct stat stat_;

	return stat(path, &stat_) == 0 && stat_.st_uid == geteuid();
}

unsigned spt_perf_own_threads(const SptTraceFilter *filter, GHashTable *known, GArray *threads)
{
	g_autoptr(GDir) proc = filter->n_pids ? NULL : g_dir_open("/proc", 0, NULL);
	const char *name;
	unsigned n = 0;

	for (unsigned i = 0; i < filter->n_pids; i++) {
		g_autofree char *pid = g_strdup_printf("%u", filter->pids[i]);

		n += own_add_threads(pid, known, threads);
	}
	while (proc && (name = g_dir_read_name(proc)))
		if (g_ascii_isdigit(*name) && is_own(name))
			n += own_add_threads(name, known, threads);
	return n;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read first and reported later, so that it can be compared with records that came in between.
 * What these say is reported by them: /proc would say it once more, and later.  The unread rest of
 * a process that ends meanwhile is missing.
 */
#include "trace/perf/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "trace/perf/maps.h"

/* Limit of a process's maps: a process may have 65,530, and their names may be long. */
#define MAPS_MAX_BYTES (16u << 20)
#define PF_KTHREAD 0x00200000

struct thread {
	uint32_t tid, parent_pid;
	uint64_t start_time;
	bool is_kthread;
	char name[SYSPROF_COMM_BYTES];
};

struct process {
	uint32_t pid;
	uint64_t begin_time, end_time;	/* time of the reading */
	GArray *threads;		/* struct thread */
	GArray *maps;			/* struct spt_perf_map */
	char *text;			/* memory of the maps' paths */
	bool has_later_name;		/* a record that is still to come reports it */
};

struct SptPerfSnapshot {
	GPtrArray *processes;
};

static void snapshot_process_free(void *data)
{
	struct process *process = data;

	g_array_unref(process->threads);
	g_array_unref(process->maps);
	g_free(process->text);
	g_free(process);
}

/* "12 (name) S 1 ...": fields by their numbers in proc(5).  False: the thread has ended. */
static bool parse_stat(char *text, struct thread *ret)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')'), *rest = NULL, *field;
	uint64_t flags = 0, ticks = 0, asleep_ns, start_ns;
	unsigned number = 3;

	if (!open || !close || close < open)
		return false;
	*close = '\0';
	g_strlcpy(ret->name, open + 1, sizeof(ret->name));
	for (field = strtok_r(close + 1, " \n", &rest); field;
	     field = strtok_r(NULL, " \n", &rest), number++) {
		if (number == 3 && (*field == 'Z' || *field == 'X'))
			return false;
		else if (number == 4)
			ret->parent_pid = strtoul(field, NULL, 10);
		else if (number == 9)
			flags = strtoull(field, NULL, 10);
		else if (number == 22)
			ticks = strtoull(field, NULL, 10);
	}
	ret->is_kthread = flags & PF_KTHREAD;
	/* In the clock that includes suspend. */
	asleep_ns = spt_clock_ns(CLOCK_BOOTTIME) - spt_clock_ns(CLOCK_MONOTONIC);
	start_ns = ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
	ret->start_time = start_ns > asleep_ns ? start_ns - asleep_ns : 0;
	return number > 22;
}

static void read_threads(struct process *process)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/task", process->pid);
	g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		g_autofree char *file = g_strdup_printf("%s/%s/stat", path, name), *text = NULL;
		struct thread thread = { .tid = strtoul(name, NULL, 10) };

		if (g_file_get_contents(file, &text, NULL, NULL) && parse_stat(text, &thread))
			g_array_append_val(process->threads, thread);
	}
}

/*
 * Code without a file, from @first on, between mappings of one file, is a copy of that file's code:
 * by the mapping of code beside it, or if both sides say the same.
 */
static void name_copies(GArray *maps, unsigned first, const struct spt_perf_map *below,
			bool below_is_code, const struct spt_perf_map *above, bool above_is_code)
{
	uint64_t distance = below->offset - below->start;

	if (!spt_perf_map_is_between(below, above))
		return;
	if (!below_is_code && above_is_code)
		distance = above->offset - above->start;
	else if (!below_is_code && distance != above->offset - above->start)
		return;
	for (unsigned i = first; i < maps->len; i++) {
		struct spt_perf_map *map = &g_array_index(maps, struct spt_perf_map, i);
		struct spt_perf_map copy = *below;

		copy.start = map->start;
		copy.end = map->end;
		copy.offset = map->start + distance;
		if (!*map->path || g_str_has_prefix(map->path, "[anon") ||
		    (*map->path == '/' && !spt_perf_path_is_file(map->path)))
			*map = copy;
	}
}

static void read_maps(struct process *process, SptProcFiles *files)
{
	struct spt_perf_map map, below = { 0 };
	bool is_code, is_file, below_is_code = false;
	char *line, *rest = NULL;
	unsigned first = 0;
	size_t bytes;

	process->text = spt_proc_files_read(files, process->pid, "maps", MAPS_MAX_BYTES, &bytes);
	if (!process->text)
		return;
	for (line = strtok_r(process->text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (!spt_perf_map_parse_any(line, &map, &is_code))
			continue;
		is_file = spt_perf_path_is_file(map.path);
		if (is_file) {
			name_copies(process->maps, first, &below, below_is_code, &map, is_code);
			below = map;
			below_is_code = is_code;
		}
		if (is_code)
			g_array_append_val(process->maps, map);
		if (is_file)
			first = process->maps->len;
	}
}

static void read_process(SptPerfSnapshot *snapshot, SptProcFiles *files, uint32_t pid)
{
	struct process *process = g_new0(struct process, 1);

	process->pid = pid;
	process->threads = g_array_new(FALSE, FALSE, sizeof(struct thread));
	process->maps = g_array_new(FALSE, FALSE, sizeof(struct spt_perf_map));
	process->begin_time = spt_clock_ns(CLOCK_MONOTONIC);
	read_threads(process);
	read_maps(process, files);
	process->end_time = spt_clock_ns(CLOCK_MONOTONIC);
	g_ptr_array_add(snapshot->processes, process);
}

SptPerfSnapshot *spt_perf_snapshot_read(SptProcFiles *files, GError **error)
{
	g_autoptr(SptPerfSnapshot) snapshot = g_new0(SptPerfSnapshot, 1);
	g_autoptr(GDir) directory = NULL;
	const char *name;

	snapshot->processes = g_ptr_array_new_with_free_func(snapshot_process_free);
	directory = g_dir_open("/proc", 0, error);
	if (!directory)
		return NULL;
	while ((name = g_dir_read_name(directory)))
		if (g_ascii_isdigit(*name))
			read_process(snapshot, files, strtoul(name, NULL, 10));
	return g_steal_pointer(&snapshot);
}

void spt_perf_snapshot_free(SptPerfSnapshot *snapshot)
{
	if (!snapshot)
		return;
	g_ptr_array_unref(snapshot->processes);
	g_free(snapshot);
}

void spt_perf_snapshot_renamed(SptPerfSnapshot *snapshot, uint32_t pid, uint64_t time,
			       bool is_exec)
{
	for (unsigned i = 0; i < snapshot->processes->len; i++) {
		struct process *process = g_ptr_array_index(snapshot->processes, i);

		if (process->pid != pid || time > process->end_time)
			continue;
		process->has_later_name = true;
		if (is_exec)
			g_array_set_size(process->maps, 0);
	}
}

static void put_process(const struct process *process, SptPerfRecords *records,
			const struct spt_perf_sink *sink)
{
	struct spt_perf_who who = { .time = process->begin_time, .pid = process->pid };
	SptPerfTasks *tasks = spt_perf_records_tasks(records);
	struct spt_perf_process *known = NULL;

	for (unsigned i = 0; i < process->threads->len; i++) {
		const struct thread *thread = &g_array_index(process->threads, struct thread, i);

		who.tid = thread->tid;
		/* Reported now, what it was would count at a time when it is something else. */
		if (process->has_later_name && spt_perf_tasks_name(tasks, thread->tid))
			known = spt_perf_tasks_lives(tasks, process->pid);
		else
			known = spt_perf_tasks_seen(tasks, &who, thread->parent_pid,
						    thread->start_time, thread->is_kthread,
						    thread->name, sink);
	}
	who.tid = who.pid;
	/*
	 * Records that are still to come are of before the reading: what they would say of what
	 * was where in between is in no snapshot.
	 */
	if (!known || known->has_maps)
		return;
	for (unsigned i = 0; i < process->maps->len; i++) {
		const struct spt_perf_map *map =
			&g_array_index(process->maps, struct spt_perf_map, i);
		struct spt_perf_file file = {
			.dev_major = map->dev_major,
			.dev_minor = map->dev_minor,
			.inode = map->inode,
			.path = map->path,
			.pid = process->pid,
			.start = map->start,
			.end = map->end,
		};

		known->is_fresh = false;
		spt_perf_records_map(records, known, &who, &file, map->offset, sink);
	}
	known->has_maps = process->text != NULL;
}

void spt_perf_snapshot_put(const SptPerfSnapshot *snapshot, SptPerfRecords *records,
			   const struct spt_perf_sink *sink)
{
	uint64_t begin = UINT64_MAX;

	spt_perf_tasks_begin_snapshot(spt_perf_records_tasks(records));
	for (unsigned i = 0; i < snapshot->processes->len; i++) {
		const struct process *process = g_ptr_array_index(snapshot->processes, i);

		begin = MIN(begin, process->begin_time);
		put_process(process, records, sink);
	}
	spt_perf_tasks_end_snapshot(spt_perf_records_tasks(records), begin);
}

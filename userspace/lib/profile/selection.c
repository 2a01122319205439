/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes and threads are selected by name or number; each thread of the capture is decided once.
 */
#include "profile/selection.h"

#include <string.h>

#include "base/words.h"

const SptProcessRow *spt_process_of_thread(const SptCapture *capture, uint32_t thread)
{
	uint32_t id = thread < capture->n_threads ? capture->threads[thread].process : 0;

	return id != 0 && id < capture->n_processes ? &capture->processes[id] : NULL;
}

const char *spt_process_label(const SptProcessRow *process)
{
	if (!process)
		return "[unknown]";
	if (process->name && *process->name)
		return process->name;
	if (process->pid == SPT_ID_EXITED)
		return "[exited]";
	return process->pid == 0 ? "[idle]" : "[unnamed]";
}

static bool selection_is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

/* @number: NULL if the text is no number. */
static bool is_called(const char *wanted, const char *name, const uint32_t *number)
{
	uint64_t value;

	if (selection_is_number(wanted))
		return g_ascii_string_to_unsigned(wanted, 10, 0, UINT32_MAX, &value, NULL) &&
		       number && *number == value;
	return strcmp(name, wanted) == 0;
}

/* Whether it had that name at some time.  @thread may be NULL. */
static bool was_called(const char *wanted, const SptThreadRow *thread)
{
	return thread && thread->former && !selection_is_number(wanted) &&
	       spt_lines_have(thread->former, wanted);
}

bool spt_filter_is_of_leaves(const SptFilter *filter, const SptCapture *capture)
{
	return capture->has_leaves && (!filter || (!spt_filter_is_about_time(filter) &&
						   !filter->thread && !filter->threads &&
						   !filter->cpus));
}

bool spt_filter_is_about_time(const SptFilter *filter)
{
	return filter && (filter->begin_ns || filter->end_ns || filter->moments);
}

bool spt_filter_is_about_stacks(const SptFilter *filter)
{
	return filter && (filter->where || filter->root || filter->object ||
			  filter->language || filter->category ||
			  filter->side != SPT_SIDE_ANY);
}

/* Names of a process's executable: of its command line, and of the first program it has mapped. */
struct executables {
	char *called, *mapped;		/* NULL: not known */
	const SptThreadRow *main;	/* NULL: not known */
};

static void executables_free(gpointer data)
{
	struct executables *all = data;

	for (struct executables *one = all; one->called != (char *)all; one++) {
		g_free(one->called);
		g_free(one->mapped);
	}
	g_free(all);
}

/* The first word of a command line, without its directory, and without the "-" of login shells. */
static char *first_word(const char *line)
{
	g_autofree char *word = NULL;
	char **words;

	if (*line == '\'' && g_shell_parse_argv(line, NULL, &words, NULL)) {
		word = g_strdup(words[0]);
		g_strfreev(words);
	} else {
		word = g_strndup(line, strcspn(line, " "));
	}
	return g_path_get_basename(word + (*word == '-'));
}

static gpointer make_executables(const SptCapture *capture, gpointer key)
{
	struct executables *all = g_new0(struct executables, (size_t)capture->n_processes + 1);
	g_autoptr(GHashTable) lines = spt_capture_command_lines(capture);

	(void)key;
	/* The one behind the last marks the end. */
	all[capture->n_processes].called = (char *)all;
	for (uint32_t i = 1; i < capture->n_processes; i++) {
		const char *line = g_hash_table_lookup(lines, GUINT_TO_POINTER(i));

		all[i].called = line ? first_word(line) : NULL;
	}
	for (uint32_t i = 1; i < capture->n_threads; i++) {
		const SptProcessRow *process = spt_process_of_thread(capture, i);

		if (process && process->pid == capture->threads[i].tid)
			all[process->id].main = &capture->threads[i];
	}
	for (uint64_t i = 0; i < capture->n_maps; i++) {
		const SptMapRow *map = &capture->maps[i];
		const SptObjectRow *object =
			map->object < capture->n_objects ? &capture->objects[map->object] : NULL;

		if (map->process >= capture->n_processes || all[map->process].mapped || !object ||
		    object->kind != SPT_OBJECT_FILE || !object->path || strstr(object->path, ".so"))
			continue;
		all[map->process].mapped = g_path_get_basename(object->path);
	}
	return all;
}

static const struct executables *executables_of(const SptCapture *capture,
						const SptProcessRow *process)
{
	const struct executables *all =
		spt_capture_keep(capture, (gpointer)make_executables, make_executables,
				 executables_free);

	return process && process->id ? &all[process->id] : NULL;
}

const char *spt_process_executable(const SptCapture *capture, const SptProcessRow *process,
				   bool is_mapped)
{
	const struct executables *one = executables_of(capture, process);

	return !one ? NULL : is_mapped ? one->mapped : one->called;
}

bool spt_filter_has_process(const SptFilter *filter, const SptCapture *capture,
			    const SptProcessRow *process)
{
	const struct executables *one;

	if (!filter || (!filter->process && !filter->processes))
		return true;
	if (filter->processes && (!process || !filter->processes[process->id]))
		return false;
	if (!filter->process || is_called(filter->process, spt_process_label(process),
					  process ? &process->pid : NULL))
		return true;
	/* Its main thread may have another name than its program, and may have had others. */
	one = executables_of(capture, process);
	return one && (g_strcmp0(filter->process, one->called) == 0 ||
		       g_strcmp0(filter->process, one->mapped) == 0 ||
		       was_called(filter->process, one->main));
}

const SptThreadRow *spt_thread_of_id(const SptCapture *capture, uint32_t thread)
{
	return thread < capture->n_threads && capture->threads[thread].id ?
		       &capture->threads[thread] :
		       NULL;
}

static bool is_wanted(const SptCapture *capture, uint32_t thread, const SptFilter *filter)
{
	const SptProcessRow *process = spt_process_of_thread(capture, thread);
	const SptThreadRow *row = spt_thread_of_id(capture, thread);
	const char *name = row && row->name ? row->name : "";

	return spt_filter_has_process(filter, capture, process) &&
	       (!filter->threads || (row && filter->threads[thread])) &&
	       (!filter->thread || is_called(filter->thread, name, row ? &row->tid : NULL) ||
		was_called(filter->thread, row));
}

void spt_selection_init(struct spt_selection *selection, const SptCapture *capture,
			const SptFilter *filter)
{
	*selection = (struct spt_selection){ .end_ns = UINT64_MAX };
	if (!filter)
		return;
	selection->begin_ns = filter->begin_ns;
	if (filter->end_ns)
		selection->end_ns = filter->end_ns;
	selection->moments = filter->moments;
	selection->cpus = filter->cpus;
	selection->n_cpus = filter->n_cpus;
	selection->least_parallelism = filter->least_parallelism;
	selection->most_parallelism = filter->most_parallelism;
	if (!filter->process && !filter->processes && !filter->thread && !filter->threads)
		return;
	/* A sample's thread exists or is 0. */
	selection->threads = g_new(bool, (size_t)capture->n_threads + 1);
	for (uint32_t i = 0; i <= capture->n_threads; i++)
		selection->threads[i] = is_wanted(capture, i, filter);
}

/* The part of @weight that belongs to the first @part_ns of its @duration_ns. */
static uint64_t begin_of(uint64_t weight, uint64_t part_ns, uint64_t duration_ns)
{
	return (uint64_t)((unsigned __int128)weight * part_ns / duration_ns);
}

/* The part of it from @begin to @end. */
static uint64_t part_of(uint64_t weight, uint64_t start, uint64_t duration_ns, uint64_t begin,
			uint64_t end)
{
	return begin_of(weight, end - start, duration_ns) -
	       begin_of(weight, begin - start, duration_ns);
}

bool spt_selection_spread(const struct spt_selection *selection, uint32_t thread, uint64_t time,
			  uint64_t duration_ns, uint64_t *weight)
{
	uint64_t start, begin, end, sum = 0;
	const SptMoment *moment;
	bool is_in = false;
	uint32_t n;

	duration_ns = MIN(duration_ns, time);
	start = time - duration_ns;
	begin = MAX(start, selection->begin_ns);
	end = MIN(time, selection->end_ns);
	if (begin >= end)
		return false;
	if (!selection->moments) {
		*weight = part_of(*weight, start, duration_ns, begin, end);
		return true;
	}
	moment = spt_moments_after(selection->moments, thread, begin, &n);
	for (; n && moment->begin_ns < end; n--, moment++) {
		uint64_t from = MAX(begin, moment->begin_ns), to = MIN(end, moment->end_ns);

		sum += part_of(*weight, start, duration_ns, from, to);
		is_in |= from < to;
	}
	*weight = sum;
	return is_in;
}

void spt_selection_clear(struct spt_selection *selection)
{
	g_clear_pointer(&selection->threads, g_free);
}

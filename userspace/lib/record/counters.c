/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "trace/trace.h"

#define EVERY_NS     1000000000ULL
#define MOST_TEXT    (1u << 20)
#define MOST_NAMES   65536u
#define MOST_PIDS    64u
/* Of more, some are read each second: each takes 40 us. */
#define PIDS_A_TIME  16u
#define MOST_FILES   256u
#define MOST_TOTALS  8192u

/* A file of a number. */
struct counted_file {
	char *name, *path;
};

struct SptCounting {
	SptSaid *said;
	char *root;
	uint64_t now_ns;
	uint32_t thread;
	const SptTasks *tasks;
	GHashTable *totals;		/* name -> struct total */
	GArray *pids, *turn;		/* uint32_t: all, and those that are read now */
	unsigned n_reads;
};

struct total {
	double value;
	uint64_t time_ns;
};

struct SptCounters {
	SptCounting counting;
	bool has_sources;
	GArray *files;			/* struct counted_file */
	uint64_t read_ns;
};

static void file_clear(void *data)
{
	struct counted_file *file = data;

	g_free(file->name);
	g_free(file->path);
}

static bool add_file(SptCounters *counters, const char *name, const char *path, bool is_one,
		     GError **error)
{
	struct counted_file file = {
		.name = is_one ? g_strdup(name) : g_strdup_printf("%s %s", name, path),
		.path = g_strdup(path + strlen(counters->counting.root)),
	};

	if (counters->files->len >= MOST_FILES) {
		file_clear(&file);
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--counter names more than %u files, the most that a recording can have; name fewer",
			      MOST_FILES);
		return false;
	}
	g_array_append_val(counters->files, file);
	return true;
}

static bool add_pattern(SptCounters *counters, const char *text, GError **error)
{
	const char *equals = strchr(text, '=');
	g_autofree char *name = equals ? g_strndup(text, (size_t)(equals - text)) : NULL;
	g_autofree char *pattern =
		equals ? g_build_filename(counters->counting.root, equals + 1, NULL) : NULL;
	glob_t found = { 0 };
	bool ok;

	if (!equals || !*name || equals[1] != '/') {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--counter takes a name and a file, as in 'fan=/sys/class/hwmon/hwmon0/fan1_input', not \"%s\"",
			      text);
		return false;
	}
	ok = glob(pattern, GLOB_NOSORT, NULL, &found) == 0;
	if (!ok)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--counter %s: there is no file %s", text, equals + 1);
	for (size_t i = 0; ok && i < found.gl_pathc; i++)
		ok = add_file(counters, name, found.gl_pathv[i], found.gl_pathc == 1, error);
	globfree(&found);
	return ok;
}

SptCounters *spt_counters_new(SptSaid *said, const SptCounterOptions *options, GError **error)
{
	g_autoptr(SptCounters) counters = g_new0(SptCounters, 1);

	counters->counting.said = said;
	counters->counting.root = g_strdup(options->root ? options->root : "/");
	counters->counting.totals = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	counters->counting.pids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	counters->counting.turn = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	counters->has_sources = options->has_sources;
	counters->files = g_array_new(FALSE, FALSE, sizeof(struct counted_file));
	g_array_set_clear_func(counters->files, file_clear);
	for (const char *const *text = options->files; text && *text; text++)
		if (!add_pattern(counters, *text, error))
			return NULL;
	return g_steal_pointer(&counters);
}

void spt_counters_free(SptCounters *counters)
{
	if (!counters)
		return;
	g_free(counters->counting.root);
	g_hash_table_unref(counters->counting.totals);
	g_array_unref(counters->counting.pids);
	g_array_unref(counters->counting.turn);
	g_array_unref(counters->files);
	g_free(counters);
}

void spt_counters_process(SptCounters *counters, const SptProcess *process)
{
	GArray *pids = counters->counting.pids;
	unsigned i = 0;

	while (i < pids->len && g_array_index(pids, uint32_t, i) != process->pid)
		i++;
	if (process->end_time && i < pids->len)
		g_array_remove_index(pids, i);
	else if (!process->end_time && i == pids->len && i < MOST_PIDS)
		g_array_append_val(pids, process->pid);
}

static void read_file(SptCounters *counters, const struct counted_file *file)
{
	double value;

	if (spt_counting_number(&counters->counting, file->path, &value))
		spt_counting_put(&counters->counting, file->name, "", value);
}

/* All in the first reading, with which rates begin. */
static void take_turns(SptCounting *counting)
{
	const GArray *pids = counting->pids;
	unsigned n_turns = (pids->len + PIDS_A_TIME - 1) / PIDS_A_TIME;

	g_array_set_size(counting->turn, 0);
	for (unsigned i = 0; i < pids->len; i++)
		if (counting->n_reads == 1 || i % n_turns == counting->n_reads % n_turns)
			g_array_append_vals(counting->turn, &g_array_index(pids, uint32_t, i), 1);
}

void spt_counters_step(SptCounters *counters, const SptTasks *tasks, uint64_t now_ns)
{
#define ADDRESS_OF_SOURCE(name) &spt_counter_##name,
	static const struct spt_counter_source *const sources[] = { SPT_COUNTER_SOURCES(
		ADDRESS_OF_SOURCE) };

	if (counters->read_ns && now_ns - counters->read_ns < EVERY_NS)
		return;
	counters->read_ns = counters->counting.now_ns = now_ns;
	counters->counting.tasks = tasks;
	counters->counting.n_reads++;
	take_turns(&counters->counting);
	for (unsigned i = 0; counters->has_sources && i < G_N_ELEMENTS(sources); i++)
		sources[i]->read(&counters->counting);
	for (unsigned i = 0; i < counters->files->len; i++)
		read_file(counters, &g_array_index(counters->files, struct counted_file, i));
}

/* For sources. */

/* A plain file: a pipe or a terminal could wait. */
static int open_counted(const SptCounting *counting, const char *path)
{
	g_autofree char *whole = g_build_filename(counting->root, path, NULL);
	int fd = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat stat_of;

	if (fd >= 0 && (fstat(fd, &stat_of) < 0 || !S_ISREG(stat_of.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

char *spt_counting_large_text(const SptCounting *counting, const char *path, size_t most)
{
	int fd = open_counted(counting, path);
	GString *text = fd < 0 ? NULL : g_string_new(NULL);
	char part[4096];
	ssize_t got = 1;

	if (!text)
		return NULL;
	while (got > 0 && text->len < most) {
		got = read(fd, part, MIN(sizeof(part), most - text->len));
		if (got > 0)
			g_string_append_len(text, part, got);
	}
	close(fd);
	return g_string_free(text, FALSE);
}

char *spt_counting_text(const SptCounting *counting, const char *path)
{
	return spt_counting_large_text(counting, path, MOST_TEXT);
}

char **spt_counting_names(const SptCounting *counting, const char *path)
{
	g_autofree char *whole = g_build_filename(counting->root, path, NULL);
	g_autoptr(GDir) directory = g_dir_open(whole, 0, NULL);
	GPtrArray *names = g_ptr_array_new();
	const char *name;

	while (directory && names->len < MOST_NAMES && (name = g_dir_read_name(directory)))
		g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}

unsigned spt_counting_n_names(const SptCounting *counting, const char *path)
{
	g_autofree char *whole = g_build_filename(counting->root, path, NULL);
	g_autoptr(GDir) directory = g_dir_open(whole, 0, NULL);
	unsigned n = 0;

	while (directory && n < MOST_NAMES && g_dir_read_name(directory))
		n++;
	return n;
}

bool spt_counting_number(const SptCounting *counting, const char *path, double *ret)
{
	g_autofree char *text = spt_counting_large_text(counting, path, 64);
	char *end = text;

	if (!text)
		return false;
	*ret = g_ascii_strtod(text, &end);
	return end != text;
}

void spt_counting_put(SptCounting *counting, const char *name, const char *unit, double value)
{
	spt_said_count(counting->said, &(SptSaidCounter){ name, NULL, unit }, counting->now_ns,
		       counting->thread, value);
}

static void counting_put_rate(SptCounting *counting, const char *name, const char *unit,
			      double total, double factor, double most)
{
	struct total *before = g_hash_table_lookup(counting->totals, name);

	if (before && counting->now_ns > before->time_ns && total >= before->value)
		spt_counting_put(counting, name, unit,
				 MIN((total - before->value) * factor * 1e9 /
					     (double)(counting->now_ns - before->time_ns),
				     most));
	if (!before && g_hash_table_size(counting->totals) >= MOST_TOTALS)
		return;
	before = g_new(struct total, 1);
	*before = (struct total){ total, counting->now_ns };
	g_hash_table_replace(counting->totals, g_strdup(name), before);
}

void spt_counting_rate(SptCounting *counting, const char *name, const char *unit, double total,
		       double factor)
{
	counting_put_rate(counting, name, unit, total, factor, INFINITY);
}

void spt_counting_share(SptCounting *counting, const char *name, double total, double factor)
{
	counting_put_rate(counting, name, "%", total, factor, 100);
}

bool spt_counting_is_turn(const SptCounting *counting, unsigned n)
{
	return counting->n_reads % n == 1 % n;
}

const GArray *spt_counting_pids(const SptCounting *counting)
{
	return counting->turn;
}

void spt_counting_set_pid(SptCounting *counting, uint32_t pid)
{
	const SptThread *thread = pid ? spt_tasks_find(counting->tasks, pid) : NULL;

	counting->thread = thread ? thread->id : 0;
}

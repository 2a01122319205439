/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merging.  Ids of processes, threads and objects move up by what came before; nodes go through a
 * new stash, which finds equal stacks by itself.  Samples and accounts are taken from all captures
 * in order of time, as a recorder would have done.
 */
#include "rewrite/merge.h"

#include <inttypes.h>
#include <string.h>

#include "base/words.h"
#include "capture/table.h"
#include "rewrite/merge-streams.h"

#define FLUSH_ROWS 500000u

/*
 * One capture on its way into the result: its new ids, and the position up to which it was taken.
 */
struct source {
	const SptCapture *capture;
	uint32_t *objects, *nodes;
	uint32_t process_base, thread_base;
	uint64_t scale;				/* periods of the result to one of its own */
	SptSamples *samples;
	const SptSampleRow *next_sample;	/* NULL: all taken */
	uint32_t n_samples;		/* present, with the next one */
	uint64_t next_account;
	GHashTable *accounts;		/* CPU -> its latest const SptAccountRow */
};

struct merger {
	SptCaptureWriter *writer;
	SptStash *stash;
	struct source *sources;
	unsigned n;
	GHashTable *files;		/* const SptObjectRow of a file -> its new id */
	uint32_t n_objects;
	uint64_t end_time;
	uint64_t period_ns;		/* divisor of all periods; 0: no period is known */
};

G_DEFINE_QUARK(spt-merge-error-quark, spt_merge_error)

static guint hash_file(gconstpointer key)
{
	const SptObjectRow *row = key;
	uint32_t start;

	memcpy(&start, row->build_id, sizeof(start));
	return start ^ g_str_hash(row->path) ^ (guint)row->inode;
}

static gboolean equal_files(gconstpointer a, gconstpointer b)
{
	const SptObjectRow *x = a, *y = b;

	return x->build_id_bytes == y->build_id_bytes &&
	       memcmp(x->build_id, y->build_id, x->build_id_bytes) == 0 && x->bytes == y->bytes &&
	       x->mtime_ns == y->mtime_ns && x->inode == y->inode && x->dev_major == y->dev_major &&
	       x->dev_minor == y->dev_minor && x->generation == y->generation &&
	       strcmp(x->path, y->path) == 0;
}

static void add_objects(struct merger *merger, struct source *source)
{
	source->objects = g_new0(uint32_t, MAX(source->capture->n_objects, 1));
	for (uint32_t i = 1; i < source->capture->n_objects; i++) {
		SptObjectRow row = source->capture->objects[i];
		bool is_known_file =
			row.kind == SPT_OBJECT_FILE && row.path && row.build_id_bytes > 0;
		gpointer known = is_known_file ? g_hash_table_lookup(merger->files, &row) : NULL;

		if (row.id == 0)
			continue;
		source->objects[i] = known ? GPOINTER_TO_UINT(known) : ++merger->n_objects;
		if (is_known_file && !known)
			g_hash_table_insert(merger->files, &source->capture->objects[i],
					    GUINT_TO_POINTER(source->objects[i]));
		row.id = source->objects[i];
		if (!known)
			spt_capture_writer_object(merger->writer, &row);
	}
}

static void add_tasks(struct merger *merger, struct source *source)
{
	for (uint32_t i = 1; i < source->capture->n_processes; i++) {
		SptProcessRow row = source->capture->processes[i];

		if (row.id == 0)
			continue;
		row.id += source->process_base;
		row.parent += row.parent ? source->process_base : 0;
		spt_capture_writer_process(merger->writer, &row);
	}
	for (uint64_t i = 0; i < source->capture->n_command_lines; i++) {
		SptCommandLineRow row = source->capture->command_lines[i];

		row.process += source->process_base;
		spt_capture_writer_command_line(merger->writer, &row);
	}
	for (uint64_t i = 0; i < source->capture->n_maps; i++) {
		SptMapRow row = source->capture->maps[i];

		row.process += source->process_base;
		row.object = source->objects[row.object];
		spt_capture_writer_map(merger->writer, &row);
	}
	for (uint32_t i = 1; i < source->capture->n_threads; i++) {
		SptThreadRow row = source->capture->threads[i];

		if (row.id == 0)
			continue;
		row.id += source->thread_base;
		row.process += row.process ? source->process_base : 0;
		spt_capture_writer_thread(merger->writer, &row);
	}
}

static void add_nodes(struct merger *merger, struct source *source)
{
	source->nodes = g_new0(uint32_t, MAX(source->capture->n_nodes, 1));
	for (uint32_t i = 1; i < source->capture->n_nodes; i++) {
		SptFrame frame = source->capture->nodes[i].frame;

		frame.object = source->objects[frame.object];
		source->nodes[i] =
			spt_stash_child(merger->stash,
					source->nodes[source->capture->nodes[i].parent], &frame);
	}
}

static void add_names_and_losses(struct merger *merger, const struct source *source)
{
	for (uint64_t i = 0; i < source->capture->n_bundled; i++) {
		SptBundledRow row = source->capture->bundled[i];

		row.object = source->objects[row.object];
		spt_capture_writer_bundled(merger->writer, &row);
	}
	for (uint64_t i = 0; i < source->capture->n_names; i++) {
		SptNameRow row = source->capture->names[i];

		row.object = source->objects[row.object];
		spt_capture_writer_name(merger->writer, &row);
	}
	for (uint64_t i = 0; i < source->capture->n_losses; i++) {
		SptLossRow row = source->capture->losses[i];

		row.weight *= source->scale;
		spt_capture_writer_loss(merger->writer, &row);
	}
}

/* Accounts are cumulative: the sum of the latest ones is the CPU's total in all captures. */
static void take_account(struct merger *merger, struct source *source)
{
	const SptAccountRow *row = &source->capture->accounts[source->next_account++];
	SptAccountRow sum = { .time = row->time, .cpu = row->cpu };

	g_hash_table_insert(source->accounts, GUINT_TO_POINTER(row->cpu), (gpointer)row);
	for (unsigned i = 0; i < merger->n; i++) {
		const SptAccountRow *latest = g_hash_table_lookup(merger->sources[i].accounts,
								  GUINT_TO_POINTER(row->cpu));

		if (latest)
			spt_account_add(&sum, latest, merger->sources[i].scale);
	}
	spt_capture_writer_account(merger->writer, &sum);
	merger->end_time = MAX(merger->end_time, row->time);
}

static void merge_take_sample(struct merger *merger, struct source *source)
{
	SptSampleRow row = *source->next_sample;
	uint64_t weight = row.weight * source->scale;

	row.thread += row.thread ? source->thread_base : 0;
	row.node = source->nodes[row.node];
	/*
	 * Periods with hardly any common divisor make large numbers: a sample of many seconds
	 * becomes several.
	 */
	do {
		row.weight = (uint32_t)MIN(weight, UINT32_MAX);
		weight -= row.weight;
		spt_capture_writer_sample(merger->writer, &row);
	} while (weight > 0);
	if (--source->n_samples > 0)
		source->next_sample++;
	else
		source->next_sample = spt_samples_next(source->samples, &source->n_samples);
	merger->end_time = MAX(merger->end_time, row.time);
}

/* The source whose next sample (account) is the earliest; NULL: all are through. */
static struct source *merge_earliest(struct merger *merger, bool account)
{
	struct source *best = NULL;
	uint64_t best_time = 0;

	for (unsigned i = 0; i < merger->n; i++) {
		struct source *source = &merger->sources[i];
		const SptCapture *capture = source->capture;
		uint64_t time;

		if (account ? source->next_account >= capture->n_accounts : !source->next_sample)
			continue;
		time = account ? capture->accounts[source->next_account].time :
				 source->next_sample->time;
		if (!best || time < best_time) {
			best = source;
			best_time = time;
		}
	}
	return best;
}

static bool merge_take_rows(struct merger *merger, GError **error)
{
	struct source *source;
	uint64_t rows = 0;

	while ((source = merge_earliest(merger, false))) {
		merge_take_sample(merger, source);
		if (++rows % FLUSH_ROWS == 0 &&
		    !spt_capture_writer_flush(merger->writer, merger->stash, error))
			return false;
	}
	while ((source = merge_earliest(merger, true)))
		take_account(merger, source);
	return true;
}

/*
 * How values of a fact that differ from capture to capture become one.  RULE_ALL: it is said of all
 * of them, or not at all.
 */
enum rule { RULE_JOIN, RULE_ADD, RULE_LEAST, RULE_MOST, RULE_DROP, RULE_ALL };

static enum rule merge_rule_of(const char *key)
{
	static const struct {
		const char *key;
		enum rule rule;
	} rules[] = {
		{ "cost_ns", RULE_ADD },      { "ticks", RULE_ADD },
		{ "start_time", RULE_LEAST }, { "start_realtime_ns", RULE_LEAST },
		{ "cpus", RULE_MOST },	      { "grid_start", RULE_DROP },
		{ "exit_status", RULE_DROP }, { "period_ns", RULE_DROP },
		{ "command_pid", RULE_DROP }, { "pid", RULE_DROP },
		{ "ran_ns", RULE_DROP },      { "wall_ns", RULE_DROP },
		{ "ready_ns", RULE_DROP },    { "times", RULE_ALL },
		{ "recorder_pid", RULE_DROP },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rules); i++) {
		if (strcmp(rules[i].key, key) == 0)
			return rules[i].rule;
	}
	return RULE_JOIN;
}

/* The ids in the result of the command's first processes.  False: none is known. */
static bool append_commands(const struct source *source, GString *ids)
{
	const SptCapture *capture = source->capture;
	const char *known = spt_capture_host(capture, "command_ids"),
		   *pid = spt_capture_host(capture, "command_pid");
	g_auto(GStrv) words = g_strsplit(known ? known : "", " ", -1);
	gsize before = ids->len;

	for (char **word = words; *word; word++)
		g_string_append_printf(ids, "%s%" PRIu64, ids->len ? " " : "",
				       g_ascii_strtoull(*word, NULL, 10) + source->process_base);
	for (uint32_t i = 1; !known && pid && i < capture->n_processes; i++)
		if (capture->processes[i].id &&
		    capture->processes[i].pid == g_ascii_strtoull(pid, NULL, 10))
			g_string_append_printf(ids, "%s%u", ids->len ? " " : "",
					       i + source->process_base);
	return ids->len > before;
}

/* Numbers of processes may be there twice, so that ids say which are the commands. */
static void add_commands(struct merger *merger)
{
	g_autoptr(GString) ids = g_string_new(NULL);

	for (unsigned i = 0; i < merger->n; i++)
		if (!append_commands(&merger->sources[i], ids))
			return;
	spt_capture_writer_host(merger->writer, "command_ids", ids->str);
}

/* NULL: the fact does not hold for all of them. */
static char *merge_values(GPtrArray *values, enum rule rule)
{
	uint64_t result = 0;

	if (rule == RULE_DROP)
		return NULL;
	if (rule == RULE_JOIN || rule == RULE_ALL) {
		g_ptr_array_add(values, NULL);
		return g_strjoinv(" + ", (char **)values->pdata);
	}
	for (unsigned i = 0; i < values->len; i++) {
		uint64_t value = g_ascii_strtoull(values->pdata[i], NULL, 10);

		if (i == 0)
			result = value;
		else
			result = rule == RULE_ADD   ? result + value :
				 rule == RULE_LEAST ? MIN(result, value) :
						      MAX(result, value);
	}
	return g_strdup_printf("%" PRIu64, result);
}

static int merge_compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static GPtrArray *all_keys(const struct merger *merger)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *keys = g_ptr_array_new();

	for (unsigned i = 0; i < merger->n; i++) {
		GHashTableIter iter;
		gpointer key;

		g_hash_table_iter_init(&iter, merger->sources[i].capture->host);
		while (g_hash_table_iter_next(&iter, &key, NULL)) {
			if (g_hash_table_add(seen, key))
				g_ptr_array_add(keys, key);
		}
	}
	g_ptr_array_sort(keys, merge_compare_texts);
	return keys;
}

/* Where periods differ: the period in which they are counted, and the original ones. */
static void add_period(struct merger *merger, GPtrArray *values)
{
	g_autofree char *periods = merge_values(values, RULE_JOIN);
	g_autofree char *period = g_strdup_printf("%" PRIu64, merger->period_ns);

	spt_capture_writer_host(merger->writer, "period_ns", period);
	spt_capture_writer_host(merger->writer, "periods_ns", periods);
}

static void merge_add_host(struct merger *merger)
{
	g_autoptr(GPtrArray) keys = all_keys(merger);

	for (unsigned k = 0; k < keys->len; k++) {
		const char *key = keys->pdata[k];
		enum rule rule = merge_rule_of(key);
		g_autoptr(GPtrArray) values = g_ptr_array_new();
		g_autofree char *value = NULL;
		unsigned n_with = 0;

		/* Ids change: see add_commands(). */
		if (strcmp(key, "command_ids") == 0)
			continue;
		for (unsigned i = 0; i < merger->n; i++) {
			char *one = g_hash_table_lookup(merger->sources[i].capture->host, key);

			n_with += one != NULL;
			if (one &&
			    (rule == RULE_ADD ||
			     !g_ptr_array_find_with_equal_func(values, one, g_str_equal, NULL)))
				g_ptr_array_add(values, one);
		}
		if (rule == RULE_ALL && n_with < merger->n)
			continue;
		value = values->len == 1 ? g_strdup(values->pdata[0]) : merge_values(values, rule);
		if (value)
			spt_capture_writer_host(merger->writer, key, value);
		else if (strcmp(key, "period_ns") == 0)
			add_period(merger, values);
	}
}

/* Rows that the samples and the streams refer to are written before the streams. */
static bool merge_take_streams(struct merger *merger, const SptMergeTexts *texts, GError **error)
{
	g_autofree SptMergeSource *sources = g_new0(SptMergeSource, MAX(merger->n, 1));

	for (unsigned i = 0; i < merger->n; i++) {
		const struct source *source = &merger->sources[i];

		sources[i] = (SptMergeSource){ source->capture, source->objects, source->nodes,
					       source->thread_base };
	}
	return spt_capture_writer_flush(merger->writer, merger->stash, error) &&
		spt_merge_streams(merger->writer, sources, merger->n, texts, error);
}

/* Weights and accounts become numbers of a period that divides all of them. */
static bool find_period(struct merger *merger, const SptCapture *const *captures, GError **error)
{
	for (unsigned i = 0; i < merger->n; i++) {
		uint64_t first = spt_capture_period_ns(captures[0]),
			 other = spt_capture_period_ns(captures[i]);

		if ((first == 0) != (other == 0)) {
			spt_set_error(
				error, SPT_MERGE_ERROR, SPT_MERGE_ERROR_PERIODS,
				"Cannot merge %s and %s: only one of them says how long its periods are; "
				"merge those that do",
				captures[0]->path, captures[i]->path);
			return false;
		}
		merger->period_ns = spt_common_divisor(merger->period_ns, other);
	}
	return true;
}

bool spt_merge_captures(const SptCapture *const *captures, unsigned n, const char *path,
			GError **error)
{
	return spt_merge_captures_saying(captures, n, path, NULL, error);
}

bool spt_merge_captures_saying(const SptCapture *const *captures, unsigned n, const char *path,
			       const SptMergeTexts *texts, GError **error)
{
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(GHashTable) files = g_hash_table_new(hash_file, equal_files);
	g_autoptr(SptCaptureWriter) writer = NULL;
	g_autofree struct source *sources = g_new0(struct source, MAX(n, 1));
	struct merger merger = { .stash = stash, .sources = sources, .n = n, .files = files };
	uint32_t processes = 0, threads = 0;
	bool ok;

	if (!find_period(&merger, captures, error))
		return false;
	merger.writer = writer = spt_capture_writer_new(path, error);
	if (!writer)
		return false;
	for (unsigned i = 0; i < n; i++) {
		struct source *source = &sources[i];

		*source = (struct source){
			.capture = captures[i],
			.process_base = processes,
			.thread_base = threads,
			.scale = merger.period_ns ?
					 spt_capture_period_ns(captures[i]) / merger.period_ns :
					 1,
			.accounts = g_hash_table_new(NULL, NULL),
			.samples = spt_samples_new(captures[i]),
		};
		source->next_sample = spt_samples_next(source->samples, &source->n_samples);
		processes += captures[i]->n_processes;
		threads += captures[i]->n_threads;
		add_objects(&merger, source);
		add_tasks(&merger, source);
		add_nodes(&merger, source);
		add_names_and_losses(&merger, source);
		merger.end_time = MAX(merger.end_time, captures[i]->end_time);
	}
	merge_add_host(&merger);
	add_commands(&merger);
	ok = merge_take_rows(&merger, error) && merge_take_streams(&merger, texts, error) &&
		spt_capture_writer_finish(writer, stash, merger.end_time, error);
	for (unsigned i = 0; i < n; i++) {
		g_free(sources[i].objects);
		g_free(sources[i].nodes);
		spt_samples_free(sources[i].samples);
		g_hash_table_unref(sources[i].accounts);
	}
	return ok;
}

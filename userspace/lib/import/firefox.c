/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Firefox Profiler's "processed" JSON, which samply writes, too: tables of strings, functions,
 * frames and stacks, column by column, of each thread or shared by all of them.  Samples count as
 * that profiler counts them: those without a stack do not.
 */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/json-file.h"
#include "import/values.h"

#define NS_PER_MS   1000000
#define TIME_MAX_MS 4e12

struct firefox_reader {
	struct json_object *file, *shared;
	SptImportStacks *stacks;
	SptImportValues values;
	const char *weight_type;	/* of all that is imported */
	uint64_t n_skipped;
	GArray *nodes;			/* uint32_t: of each stack of a table */
	struct json_object *nodes_of;	/* the table that they are of */
	SptFrame *frames;		/* of the functions of a table; object 0: not known yet */
	struct json_object *frames_of;
};

static struct json_object *firefox_table(const struct firefox_reader *reader,
					 struct json_object *thread, const char *name)
{
	struct json_object *own = spt_import_json_member(thread, name);

	return own ? own : spt_import_json_member(reader->shared, name);
}

static struct json_object *firefox_cell(struct json_object *table, const char *column, size_t row)
{
	return spt_import_json_at(spt_import_json_list(table, column), row);
}

/* The text in a cell that has the number of a string. */
static const char *firefox_string(const struct firefox_reader *reader, struct json_object *thread,
				  struct json_object *cell, const char *otherwise)
{
	struct json_object *strings = firefox_table(reader, thread, "stringArray");
	size_t i;

	if (!strings)
		strings = firefox_table(reader, thread, "stringTable");
	i = spt_import_json_index(cell, spt_import_json_length(strings));
	return spt_import_json_text(spt_import_json_at(strings, i), otherwise);
}

/* The library or other resource of a function; "": none. */
static const char *firefox_resource(const struct firefox_reader *reader,
				    struct json_object *thread, size_t function)
{
	struct json_object *functions = firefox_table(reader, thread, "funcTable");
	struct json_object *resources = firefox_table(reader, thread, "resourceTable");
	size_t i = spt_import_json_index(firefox_cell(functions, "resource", function), SIZE_MAX);

	return firefox_string(reader, thread, firefox_cell(resources, "name", i), "");
}

static void make_firefox_function(struct firefox_reader *reader, struct json_object *thread,
				  size_t i)
{
	struct json_object *functions = firefox_table(reader, thread, "funcTable");
	const char *name = firefox_string(reader, thread, firefox_cell(functions, "name", i),
					  "[unknown]");
	const char *resource = firefox_resource(reader, thread, i);
	bool is_kernel = g_str_has_prefix(resource, "[kernel");
	uint32_t object = spt_import_stacks_object(
		reader->stacks, is_kernel ? SPT_OBJECT_KERNEL : SPT_OBJECT_UNKNOWN, resource);

	reader->frames[i] = spt_import_stacks_frame(reader->stacks, object, name);
}

/* The function of a frame as a place, of the thread's tables or the shared ones. */
static SptFrame firefox_place(struct firefox_reader *reader, struct json_object *thread,
			      size_t frame)
{
	struct json_object *functions = firefox_table(reader, thread, "funcTable");
	size_t n = spt_import_json_length(spt_import_json_list(functions, "name"));
	size_t i = spt_import_json_index(
		firefox_cell(firefox_table(reader, thread, "frameTable"), "func", frame), n);

	if (!reader->frames || reader->frames_of != functions) {
		g_free(reader->frames);
		reader->frames = g_new0(SptFrame, n + 1);
		reader->frames_of = functions;
	}
	if (!reader->frames[i].object)
		make_firefox_function(reader, thread, i);
	return reader->frames[i];
}

/* Stacks stand behind their callers' in the table.  NULL, or what is wrong with it. */
static const char *make_firefox_stacks(struct firefox_reader *reader, struct json_object *thread)
{
	struct json_object *table = firefox_table(reader, thread, "stackTable");
	struct json_object *frames = spt_import_json_list(table, "frame");
	size_t n = spt_import_json_length(frames);
	g_autofree uint32_t *depths = g_new(uint32_t, n + 1);

	if (reader->nodes_of == table)
		return NULL;
	reader->nodes_of = table;
	g_array_set_size(reader->nodes, 0);
	for (size_t i = 0; i < n; i++) {
		size_t caller = spt_import_json_index(firefox_cell(table, "prefix", i), i);
		size_t frame = spt_import_json_index(spt_import_json_at(frames, i), SIZE_MAX);
		const SptFrame place = firefox_place(reader, thread, frame);
		uint32_t above = caller < i ? g_array_index(reader->nodes, uint32_t, caller) : 0;
		uint32_t node = spt_import_stacks_child(reader->stacks, above, &place);
		const char *wrong = spt_import_stacks_excess(reader->stacks);

		depths[i] = caller < i ? depths[caller] + 1 : 1;
		g_array_append_val(reader->nodes, node);
		if (depths[i] > SPT_IMPORT_FRAMES)
			return SPT_WORDS("has too many frames");
		if (wrong)
			return wrong;
	}
	return NULL;
}

/* Samples. */

static double firefox_weight(struct json_object *samples, size_t i)
{
	struct json_object *weights = spt_import_json_list(samples, "weight");

	return weights ? spt_import_json_number(spt_import_json_at(weights, i), 0) : 1;
}

static const char *firefox_weight_type(struct json_object *thread)
{
	struct json_object *samples = spt_import_json_member(thread, "samples");

	return spt_import_json_text(spt_import_json_member(samples, "weightType"), "samples");
}

static void measure_firefox(struct firefox_reader *reader, struct json_object *threads)
{
	for (size_t i = 0; i < spt_import_json_length(threads); i++) {
		struct json_object *thread = spt_import_json_at(threads, i);
		struct json_object *samples = spt_import_json_member(thread, "samples");
		size_t n = spt_import_json_length(spt_import_json_list(samples, "stack"));

		if (strcmp(firefox_weight_type(thread), reader->weight_type) != 0)
			continue;
		for (size_t row = 0; row < n; row++)
			spt_import_values_measure(&reader->values, firefox_weight(samples, row));
	}
}

/* Times are from the start, as they are or as differences. */
static double firefox_time(struct json_object *samples, size_t i, double before)
{
	struct json_object *times = spt_import_json_list(samples, "time");

	if (times)
		return spt_import_json_number(spt_import_json_at(times, i), before);
	return before + spt_import_json_number(firefox_cell(samples, "timeDeltas", i), 0);
}

static uint32_t firefox_id(struct json_object *thread, const char *key)
{
	const char *id = spt_import_json_id(spt_import_json_member(thread, key));

	return id ? (uint32_t)g_ascii_strtoull(id, NULL, 10) : 0;
}

static uint32_t firefox_thread(struct firefox_reader *reader, struct json_object *thread)
{
	const char *name = spt_import_json_text(spt_import_json_member(thread, "name"), "");
	const char *process =
		spt_import_json_text(spt_import_json_member(thread, "processName"), name);

	return spt_import_stacks_thread(reader->stacks, firefox_id(thread, "pid"),
					firefox_id(thread, "tid"), process, name);
}

static const char *take_firefox_samples(struct firefox_reader *reader, struct json_object *thread,
					GError **error)
{
	struct json_object *samples = spt_import_json_member(thread, "samples");
	struct json_object *stacks = spt_import_json_list(samples, "stack");
	SptSampleRow row = { .thread = firefox_thread(reader, thread) };
	const char *wrong = make_firefox_stacks(reader, thread);
	double ms = 0;

	for (size_t i = 0; i < spt_import_json_length(stacks) && !wrong; i++) {
		size_t stack = spt_import_json_index(spt_import_json_at(stacks, i),
						     reader->nodes->len);

		ms = firefox_time(samples, i, ms);
		if (stack == reader->nodes->len)
			continue;
		row.node = g_array_index(reader->nodes, uint32_t, stack);
		row.time = ms > 0 && ms < TIME_MAX_MS ? (uint64_t)llround(ms * NS_PER_MS) : 0;
		row.time = MAX(row.time, 1);
		wrong = spt_import_values_put(&reader->values, reader->stacks, &row,
					      firefox_weight(samples, i));
		if (!spt_import_stacks_flush(reader->stacks, error))
			break;
	}
	return wrong;
}

/* The file. */

/* Of the first thread with samples. */
static const char *choose_firefox_weights(struct json_object *threads)
{
	for (size_t i = 0; i < spt_import_json_length(threads); i++) {
		struct json_object *thread = spt_import_json_at(threads, i);
		struct json_object *samples = spt_import_json_member(thread, "samples");

		if (spt_import_json_length(spt_import_json_list(samples, "stack")))
			return firefox_weight_type(thread);
	}
	return "samples";
}

static void begin_firefox(struct firefox_reader *reader, struct json_object *threads,
			  SptCaptureWriter *writer)
{
	struct json_object *meta = spt_import_json_member(reader->file, "meta");
	double interval_ns =
		spt_import_json_number(spt_import_json_member(meta, "interval"), 0) * NS_PER_MS;
	g_autofree char *period = NULL;
	bool is_time;

	reader->weight_type = choose_firefox_weights(threads);
	is_time = strcmp(reader->weight_type, "tracing-ms") == 0;
	spt_import_values_init(&reader->values, is_time ? "ms" : reader->weight_type);
	measure_firefox(reader, threads);
	spt_import_values_begin(&reader->values, writer);
	spt_capture_writer_host(
		writer, "source",
		spt_import_json_text(spt_import_json_member(meta, "product"), "Firefox Profiler"));
	if (reader->values.kind != SPT_VALUES_NUMBER || interval_ns < 1 || interval_ns > 1e12)
		return;
	period = g_strdup_printf("%" G_GUINT64_FORMAT, (uint64_t)llround(interval_ns));
	spt_capture_writer_host(writer, "period_ns", period);
}

static const char *take_firefox_threads(struct firefox_reader *reader, struct json_object *threads,
					GError **error)
{
	const char *wrong = NULL;

	for (size_t i = 0; i < spt_import_json_length(threads) && !wrong && !*error; i++) {
		struct json_object *thread = spt_import_json_at(threads, i);

		if (strcmp(firefox_weight_type(thread), reader->weight_type) == 0)
			wrong = take_firefox_samples(reader, thread, error);
		else
			reader->n_skipped += spt_import_json_length(spt_import_json_list(
				spt_import_json_member(thread, "samples"), "stack"));
	}
	return wrong;
}

static bool read_firefox(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	struct firefox_reader reader = { .file = spt_import_json(input->fd, error) };
	struct json_object *threads = spt_import_json_list(reader.file, "threads");
	g_autoptr(GError) problem = NULL;
	const char *wrong;

	if (!reader.file)
		return false;
	reader.shared = spt_import_json_member(reader.file, "shared");
	reader.stacks = spt_import_stacks_new(writer);
	reader.nodes = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	begin_firefox(&reader, threads, writer);
	wrong = take_firefox_threads(&reader, threads, &problem);
	if (wrong)
		spt_import_stacks_refuse(reader.stacks, wrong, &problem);
	spt_import_note_skipped(writer, reader.weight_type, reader.n_skipped);
	if (!problem)
		spt_import_stacks_finish(reader.stacks, &problem);
	spt_import_stacks_free(reader.stacks);
	g_array_unref(reader.nodes);
	g_free(reader.frames);
	json_object_put(reader.file);
	if (problem)
		g_propagate_error(error, g_steal_pointer(&problem));
	return !*error;
}

static bool probe_firefox(const char *begin, size_t bytes)
{
	return spt_import_json_has(begin, bytes, 2, "preprocessedProfileVersion");
}

const SptImporter spt_import_firefox = {
	.name = "firefox",
	.probe = probe_firefox,
	.read = read_firefox,
	.unpacks = true,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chrome's trace events.  If samples with stacks are in the file, they are what is imported, else
 * the slices of threads, whose time counts as time on a CPU.
 */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/json-file.h"
#include "import/slices.h"
#include "import/values.h"

#define NS_PER_US 1000
/* Times are exact as far as that. */
#define TIME_MAX_US 4e15

struct chrome_reader {
	struct json_object *events;
	struct json_object *frames;	/* of samples */
	SptImportStacks *stacks;
	SptImportValues values;
	SptCaptureWriter *writer;
	GHashTable *names;		/* "process pid", "thread pid tid" -> name */
	GHashTable *nodes;		/* id of a frame with its callers -> its node */
	double start_us;		/* of the first event */
	uint64_t end_ns;		/* of the last one, from there */
	uint64_t period_ns;		/* of samples; 0: it is not known */
	uint64_t n_unread;
};

/* Names. */

static uint32_t chrome_id(struct json_object *event, const char *key)
{
	struct json_object *value = spt_import_json_member(event, key);
	const char *text = spt_import_json_text(value, NULL);

	if (text && g_ascii_isdigit(*text))
		return (uint32_t)g_ascii_strtoull(text, NULL, 10);
	return text ? g_str_hash(text) : (uint32_t)spt_import_json_index(value, UINT32_MAX);
}

static const char *chrome_phase(struct json_object *event)
{
	return spt_import_json_text(spt_import_json_member(event, "ph"), "");
}

static void take_chrome_name(struct chrome_reader *reader, struct json_object *event)
{
	const char *what = spt_import_json_text(spt_import_json_member(event, "name"), "");
	struct json_object *fields = spt_import_json_member(event, "args");
	const char *name = spt_import_json_text(spt_import_json_member(fields, "name"), "");

	if (!*name)
		return;
	if (strcmp(what, "process_name") == 0)
		g_hash_table_insert(reader->names, g_strdup_printf("%u", chrome_id(event, "pid")),
				    (gpointer)name);
	else if (strcmp(what, "thread_name") == 0)
		g_hash_table_insert(reader->names,
				    g_strdup_printf("%u %u", chrome_id(event, "pid"),
						    chrome_id(event, "tid")),
				    (gpointer)name);
}

static uint32_t chrome_thread(struct chrome_reader *reader, struct json_object *event)
{
	uint32_t pid = chrome_id(event, "pid"), tid = chrome_id(event, "tid");
	g_autofree char *process_key = g_strdup_printf("%u", pid);
	g_autofree char *thread_key = g_strdup_printf("%u %u", pid, tid);
	g_autofree char *unnamed = g_strdup_printf("process %u", pid);
	const char *process = g_hash_table_lookup(reader->names, process_key);
	const char *thread = g_hash_table_lookup(reader->names, thread_key);

	process = process ? process : unnamed;
	return spt_import_stacks_thread(reader->stacks, pid, tid, process,
					thread ? thread : process);
}

/* Times. */

/* False: there is none. */
static bool chrome_time(struct json_object *event, double *ret)
{
	*ret = spt_import_json_number(spt_import_json_member(event, "ts"), -1);
	return *ret >= 0 && *ret < TIME_MAX_US;
}

static uint64_t chrome_ns(const struct chrome_reader *reader, double us)
{
	return us > reader->start_us ? (uint64_t)llround((us - reader->start_us) * NS_PER_US) : 0;
}

static double chrome_duration(struct json_object *event)
{
	double us = spt_import_json_number(spt_import_json_member(event, "dur"), 0);

	return us > 0 && us < TIME_MAX_US ? us : 0;
}

static void measure_chrome_list(struct chrome_reader *reader, struct json_object *events,
				double *end_us)
{
	for (size_t i = 0; i < spt_import_json_length(events); i++) {
		struct json_object *event = spt_import_json_at(events, i);
		double us;

		if (*chrome_phase(event) == 'M')
			take_chrome_name(reader, event);
		if (*chrome_phase(event) == 'M' || !chrome_time(event, &us))
			continue;
		reader->start_us = MIN(reader->start_us, us);
		*end_us = MAX(*end_us, us + chrome_duration(event));
	}
}

/* Slices. */

static SptFrame chrome_frame(struct chrome_reader *reader, struct json_object *from)
{
	const char *category =
		spt_import_json_text(spt_import_json_member(from, "category"),
				     spt_import_json_text(spt_import_json_member(from, "cat"), ""));
	const char *name = spt_import_json_text(spt_import_json_member(from, "name"), "[unknown]");
	uint32_t object = spt_import_stacks_object(reader->stacks,
						   strcmp(category, "[kernel]") == 0 ?
							   SPT_OBJECT_KERNEL :
							   SPT_OBJECT_UNKNOWN,
						   category);

	return spt_import_stacks_frame(reader->stacks, object, name);
}

/* False: it is none. */
static bool chrome_slice(struct chrome_reader *reader, struct json_object *event,
			 SptImportSlice *ret)
{
	char phase = *chrome_phase(event);
	double us;

	if ((phase != 'X' && phase != 'B' && phase != 'E') || !chrome_time(event, &us))
		return false;
	*ret = (SptImportSlice){
		.kind = phase == 'X' ? SPT_SLICE_WHOLE :
			phase == 'B' ? SPT_SLICE_BEGIN :
				       SPT_SLICE_END,
		.thread = chrome_thread(reader, event),
		.begin_ns = chrome_ns(reader, us),
		.end_ns = chrome_ns(reader, us + chrome_duration(event)),
	};
	if (ret->kind != SPT_SLICE_END)
		ret->frame = chrome_frame(reader, event);
	return true;
}

static const char *take_chrome_slices(struct chrome_reader *reader, GError **error)
{
	g_autoptr(GArray) slices = g_array_new(FALSE, FALSE, sizeof(SptImportSlice));
	const char *wrong = NULL;

	spt_import_values_init(&reader->values, "ns");
	spt_import_values_begin(&reader->values, reader->writer);
	for (size_t i = 0; i < spt_import_json_length(reader->events) && !wrong; i++) {
		struct json_object *event = spt_import_json_at(reader->events, i);
		SptImportSlice slice;

		if (chrome_slice(reader, event, &slice))
			g_array_append_val(slices, slice);
		else
			reader->n_unread += *chrome_phase(event) != 'M';
		wrong = spt_import_stacks_excess(reader->stacks);
	}
	return wrong ? wrong :
		       spt_import_slices_put(slices, &reader->values, reader->stacks, 0,
					     reader->end_ns, error);
}

/* Samples. */

/* The node of a frame and its callers, of which each is known by its id; UINT32_MAX: too many. */
static uint32_t chrome_node(struct chrome_reader *reader, const char *id)
{
	struct json_object *chain[SPT_IMPORT_FRAMES];
	const char *ids[SPT_IMPORT_FRAMES];
	struct json_object *frame = spt_import_json_member(reader->frames, id);
	unsigned n = 0;
	uint32_t node = 0;

	for (; frame; frame = id ? spt_import_json_member(reader->frames, id) : NULL) {
		gpointer known;

		if (g_hash_table_lookup_extended(reader->nodes, id, NULL, &known)) {
			node = GPOINTER_TO_UINT(known);
			break;
		}
		if (n == SPT_IMPORT_FRAMES)
			return UINT32_MAX;
		ids[n] = id;
		chain[n++] = frame;
		id = spt_import_json_id(spt_import_json_member(frame, "parent"));
	}
	while (n-- > 0) {
		const SptFrame place = chrome_frame(reader, chain[n]);

		node = spt_import_stacks_child(reader->stacks, node, &place);
		g_hash_table_insert(reader->nodes, g_strdup(ids[n]), GUINT_TO_POINTER(node));
	}
	return node;
}

static const char *take_chrome_sample(struct chrome_reader *reader, struct json_object *sample)
{
	double weight =
		spt_import_json_number(spt_import_json_member(sample, "weight"), 1);
	const char *id = spt_import_json_id(spt_import_json_member(sample, "sf"));
	SptSampleRow row = { .node = id ? chrome_node(reader, id) : 0 };
	double us;

	if (row.node == UINT32_MAX)
		return SPT_WORDS("has too many frames");
	if (weight == 0)
		return NULL;
	row.cpu = (uint32_t)spt_import_json_index(spt_import_json_member(sample, "cpu"),
						  SPT_IMPORT_CPUS);
	row.cpu = row.cpu == SPT_IMPORT_CPUS ? 0 : row.cpu;
	row.thread = chrome_thread(reader, sample);
	/* A sample is at the begin of its time there. */
	if (chrome_time(sample, &us))
		row.time = MAX(chrome_ns(reader, us), 1);
	if (weight > 0 && weight < UINT32_MAX && reader->period_ns < UINT32_MAX)
		row.time += (uint64_t)weight * reader->period_ns;
	return spt_import_values_put(&reader->values, reader->stacks, &row, weight);
}

/* What our own files say of their values; samples of others count. */
static void begin_chrome_samples(struct chrome_reader *reader, struct json_object *file,
				 struct json_object *samples)
{
	struct json_object *facts = spt_import_json_member(file, "otherData");
	const char *unit = spt_import_json_text(spt_import_json_member(facts, "unit"), "none");
	g_autofree char *period = NULL;

	spt_import_values_init(&reader->values, unit);
	for (size_t i = 0; i < spt_import_json_length(samples); i++)
		spt_import_values_measure(
			&reader->values,
			spt_import_json_number(
				spt_import_json_member(spt_import_json_at(samples, i), "weight"),
				1));
	spt_import_values_begin(&reader->values, reader->writer);
	if (reader->values.kind != SPT_VALUES_NUMBER)
		return;
	reader->period_ns =
		spt_import_json_index(spt_import_json_member(facts, "period_ns"), UINT32_MAX);
	if (reader->period_ns == 0 || reader->period_ns == UINT32_MAX) {
		reader->period_ns = 0;
		return;
	}
	period = g_strdup_printf("%" G_GUINT64_FORMAT, reader->period_ns);
	spt_capture_writer_host(reader->writer, "period_ns", period);
}

static const char *take_chrome_samples(struct chrome_reader *reader, struct json_object *file,
				       struct json_object *samples, GError **error)
{
	const char *wrong = NULL;

	begin_chrome_samples(reader, file, samples);
	for (size_t i = 0; i < spt_import_json_length(samples) && !wrong; i++) {
		wrong = take_chrome_sample(reader, spt_import_json_at(samples, i));
		if (!spt_import_stacks_flush(reader->stacks, error))
			break;
	}
	for (size_t i = 0; i < spt_import_json_length(reader->events); i++)
		reader->n_unread +=
			*chrome_phase(spt_import_json_at(reader->events, i)) != 'M';
	return wrong;
}

/* The file. */

static const char *take_chrome_file(struct chrome_reader *reader, struct json_object *file,
				    GError **error)
{
	struct json_object *samples = spt_import_json_list(file, "samples");
	double end_us = 0;

	reader->start_us = TIME_MAX_US;
	measure_chrome_list(reader, reader->events, &end_us);
	measure_chrome_list(reader, samples, &end_us);
	reader->end_ns = chrome_ns(reader, end_us);
	reader->frames = spt_import_json_member(file, "stackFrames");
	return spt_import_json_length(samples) ?
		       take_chrome_samples(reader, file, samples, error) :
		       take_chrome_slices(reader, error);
}

static void note_chrome_unread(const struct chrome_reader *reader)
{
	g_autoptr(GString) note = g_string_new(NULL);

	spt_import_note_count(note, reader->n_unread, "events of the trace were not read");
	if (note->len)
		spt_capture_writer_host(reader->writer, SPT_IMPORT_NOTE, note->str);
}

static bool read_chrome(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	struct json_object *file = spt_import_json(input->fd, error);
	struct chrome_reader reader = { .writer = writer };
	g_autoptr(GError) problem = NULL;
	const char *wrong;

	if (!file)
		return false;
	reader.events = json_object_is_type(file, json_type_array) ?
				file :
				spt_import_json_list(file, "traceEvents");
	reader.stacks = spt_import_stacks_new(writer);
	reader.names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	reader.nodes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	spt_capture_writer_host(writer, "source", "Chrome trace");
	wrong = take_chrome_file(&reader, file, &problem);
	if (wrong)
		spt_import_stacks_refuse(reader.stacks, wrong, &problem);
	note_chrome_unread(&reader);
	if (!problem && !spt_import_stacks_samples(reader.stacks))
		spt_import_refuse(&problem, SPT_WORDS("it has no samples, and no slices of threads"));
	if (!problem)
		spt_import_stacks_finish(reader.stacks, &problem);
	spt_import_stacks_free(reader.stacks);
	g_hash_table_unref(reader.names);
	g_hash_table_unref(reader.nodes);
	json_object_put(file);
	if (problem)
		g_propagate_error(error, g_steal_pointer(&problem));
	return !*error;
}

/* An object with events, or samples with stacks, or an array of events. */
static bool probe_chrome(const char *begin, size_t bytes)
{
	return spt_import_json_has(begin, bytes, 1, "traceEvents") ||
	       (spt_import_json_has(begin, bytes, 1, "samples") &&
		spt_import_json_has(begin, bytes, 3, "sf")) ||
	       spt_import_json_has(begin, bytes, 2, "ph");
}

const SptImporter spt_import_chrome = {
	.name = "chrome",
	.probe = probe_chrome,
	.read = read_chrome,
	.unpacks = true,
};

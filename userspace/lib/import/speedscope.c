/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON of speedscope.app: frames once, then profiles, each of a thread, with stacks as lists of
 * their numbers and a weight, or with events that open and close frames at a time.  The first
 * profile's unit is that of all; those of other units are skipped.
 */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/json-file.h"
#include "import/values.h"

/* Times are not as long before that one as they are exact. */
#define TIME_MAX_NS 4e18
/* Samples of a slice that takes all of the time. */
#define PARTS	    2000

struct speedscope_reader {
	struct json_object *frames;
	SptImportStacks *stacks;
	SptImportValues values;
	const char *unit;
	const char *process;
	double start;			/* of the earliest profile, in the unit */
	bool is_ours;			/* the outermost frame is the process */
	uint64_t n_skipped;
};

static bool speedscope_is_sampled(struct json_object *profile)
{
	return strcmp(spt_import_json_text(spt_import_json_member(profile, "type"), ""),
		      "sampled") == 0;
}

static const char *speedscope_unit(struct json_object *profile)
{
	return spt_import_json_text(spt_import_json_member(profile, "unit"), "none");
}

static const char *speedscope_frame_text(const struct speedscope_reader *reader,
					 struct json_object *index, const char *key)
{
	size_t i = spt_import_json_index(index, spt_import_json_length(reader->frames));

	return spt_import_json_text(
		spt_import_json_member(spt_import_json_at(reader->frames, i), key),
		strcmp(key, "file") == 0 ? "" : "[unknown]");
}

static uint32_t speedscope_child(struct speedscope_reader *reader, uint32_t parent,
				 struct json_object *index)
{
	const char *file = speedscope_frame_text(reader, index, "file");
	uint32_t object = spt_import_stacks_object(
		reader->stacks,
		strcmp(file, "[kernel]") == 0 ? SPT_OBJECT_KERNEL : SPT_OBJECT_UNKNOWN, file);
	SptFrame frame = spt_import_stacks_frame(reader->stacks, object,
						 speedscope_frame_text(reader, index, "name"));

	return spt_import_stacks_child(reader->stacks, parent, &frame);
}

/* Stacks with weights. */

static const char *take_speedscope_stack(struct speedscope_reader *reader, const char *thread,
					 struct json_object *stack, double weight, double *time)
{
	size_t n = spt_import_json_length(stack);
	const char *process = reader->process;
	SptSampleRow row = { .node = 0 };

	if (n > SPT_IMPORT_FRAMES)
		return SPT_WORDS("has too many frames");
	if (reader->is_ours && n > 0)
		process = thread =
			speedscope_frame_text(reader, spt_import_json_at(stack, 0), "name");
	for (size_t i = reader->is_ours; i < n; i++)
		row.node = speedscope_child(reader, row.node, spt_import_json_at(stack, i));
	row.thread = spt_import_stacks_thread(reader->stacks, 0, 0, process, thread);
	*time += weight * reader->values.scale;
	if (reader->values.kind == SPT_VALUES_TIME && *time >= 1 && *time < TIME_MAX_NS)
		row.time = (uint64_t)*time;
	return spt_import_values_put(&reader->values, reader->stacks, &row, weight);
}

static double speedscope_weight(struct json_object *weights, size_t i)
{
	return weights ? spt_import_json_number(spt_import_json_at(weights, i), 0) : 1;
}

static const char *take_speedscope_samples(struct speedscope_reader *reader, const char *thread,
					   struct json_object *profile, GError **error)
{
	struct json_object *samples = spt_import_json_list(profile, "samples");
	struct json_object *weights = spt_import_json_list(profile, "weights");
	double time = 0;
	const char *wrong = NULL;

	for (size_t i = 0; i < spt_import_json_length(samples) && !wrong; i++) {
		wrong = take_speedscope_stack(reader, thread, spt_import_json_at(samples, i),
					      speedscope_weight(weights, i), &time);
		if (!spt_import_stacks_flush(reader->stacks, error))
			break;
	}
	return wrong;
}

/* Events that open and close frames. */

struct speedscope_events {
	uint32_t nodes[SPT_IMPORT_FRAMES + 1];	/* of what is open, outermost first */
	unsigned depth;
	double from;			/* the time of the last event */
	uint64_t part_ns;
	SptSampleRow row;
};

static double speedscope_time(struct json_object *event)
{
	return spt_import_json_number(spt_import_json_member(event, "at"), 0);
}

/* What is open had the time until @at. */
static const char *pass_speedscope_time(struct speedscope_reader *reader,
					struct speedscope_events *events, double at)
{
	double scale = reader->values.scale, from = events->from - reader->start,
	       to = at - reader->start;

	if (at < events->from || to * scale > TIME_MAX_NS)
		return SPT_WORDS("has events that are not in order of time");
	events->from = at;
	if (events->depth == 0 || to == from)
		return NULL;
	events->row.node = events->nodes[events->depth];
	if (reader->values.kind != SPT_VALUES_TIME)
		return spt_import_values_put(&reader->values, reader->stacks, &events->row,
					     to - from);
	return spt_import_values_put_span(&reader->values, reader->stacks, &events->row,
					  (uint64_t)llround(from * scale),
					  (uint64_t)llround(to * scale), events->part_ns);
}

static const char *take_speedscope_event(struct speedscope_reader *reader,
					 struct speedscope_events *events,
					 struct json_object *event)
{
	const char *type = spt_import_json_text(spt_import_json_member(event, "type"), "");
	const char *wrong = pass_speedscope_time(reader, events, speedscope_time(event));

	if (wrong)
		return wrong;
	if (strcmp(type, "O") == 0) {
		if (events->depth == SPT_IMPORT_FRAMES)
			return SPT_WORDS("has too many frames");
		events->nodes[events->depth + 1] =
			speedscope_child(reader, events->nodes[events->depth],
					 spt_import_json_member(event, "frame"));
		events->depth++;
	} else if (events->depth > 0) {
		events->depth--;
	}
	return NULL;
}

static const char *take_speedscope_events(struct speedscope_reader *reader, const char *thread,
					  struct json_object *profile, GError **error)
{
	g_autofree struct speedscope_events *state = g_new0(struct speedscope_events, 1);
	struct json_object *events = spt_import_json_list(profile, "events");
	size_t n = spt_import_json_length(events);
	double length;
	const char *wrong = NULL;

	state->from = MAX(speedscope_time(spt_import_json_at(events, 0)), reader->start);
	length = (speedscope_time(spt_import_json_at(events, n - 1)) - state->from) *
		 reader->values.scale;
	state->part_ns = length > 0 && length < TIME_MAX_NS ? (uint64_t)length / PARTS + 1 : 1;
	state->row.thread = spt_import_stacks_thread(reader->stacks, 0, 0, reader->process, thread);
	for (size_t i = 0; i < n && !wrong; i++) {
		wrong = take_speedscope_event(reader, state, spt_import_json_at(events, i));
		if (!spt_import_stacks_flush(reader->stacks, error))
			break;
	}
	return wrong;
}

/* Profiles. */

static const char *take_speedscope_profile(struct speedscope_reader *reader,
					   struct json_object *profile, GError **error)
{
	const char *thread =
		spt_import_json_text(spt_import_json_member(profile, "name"), reader->process);

	if (strcmp(speedscope_unit(profile), reader->unit) != 0) {
		reader->n_skipped +=
			spt_import_json_length(spt_import_json_list(profile, "samples"));
		return NULL;
	}
	return speedscope_is_sampled(profile) ?
		       take_speedscope_samples(reader, thread, profile, error) :
		       take_speedscope_events(reader, thread, profile, error);
}

static void measure_speedscope(struct speedscope_reader *reader, struct json_object *profile)
{
	struct json_object *weights = spt_import_json_list(profile, "weights");
	double start = spt_import_json_number(spt_import_json_member(profile, "startValue"), 0);

	reader->start = MIN(reader->start, start);
	for (size_t i = 0; i < spt_import_json_length(weights); i++)
		spt_import_values_measure(&reader->values, speedscope_weight(weights, i));
	/* Times of events have nothing in common. */
	if (!speedscope_is_sampled(profile))
		reader->values.period_ns = 1;
}

static bool read_speedscope_profiles(struct speedscope_reader *reader,
				     struct json_object *profiles, SptCaptureWriter *writer,
				     GError **error)
{
	size_t n = spt_import_json_length(profiles), i;
	const char *wrong = NULL;

	reader->unit = speedscope_unit(spt_import_json_at(profiles, 0));
	reader->start = spt_import_json_number(
		spt_import_json_member(spt_import_json_at(profiles, 0), "startValue"), 0);
	spt_import_values_init(&reader->values, reader->unit);
	for (i = 0; i < n; i++)
		measure_speedscope(reader, spt_import_json_at(profiles, i));
	spt_import_values_begin(&reader->values, writer);
	for (i = 0; i < n && !wrong && !*error; i++)
		wrong = take_speedscope_profile(reader, spt_import_json_at(profiles, i), error);
	if (wrong)
		spt_import_stacks_refuse(reader->stacks, wrong, error);
	spt_import_note_skipped(writer, reader->unit, reader->n_skipped);
	return !*error;
}

static bool read_speedscope(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	struct json_object *file = spt_import_json(input->fd, error);
	struct json_object *profiles = spt_import_json_list(file, "profiles");
	const char *exporter =
		spt_import_json_text(spt_import_json_member(file, "exporter"), "speedscope");
	struct speedscope_reader reader = {
		.frames = spt_import_json_list(spt_import_json_member(file, "shared"), "frames"),
		.process = spt_import_json_text(spt_import_json_member(file, "name"), exporter),
		.is_ours = strcmp(exporter, "sysprof") == 0,
	};
	bool ok;

	if (!file)
		return false;
	reader.stacks = spt_import_stacks_new(writer);
	spt_capture_writer_host(writer, "source", exporter);
	ok = read_speedscope_profiles(&reader, profiles, writer, error) &&
	     spt_import_stacks_finish(reader.stacks, error);
	spt_import_stacks_free(reader.stacks);
	json_object_put(file);
	return ok;
}

static bool probe_speedscope(const char *begin, size_t bytes)
{
	return spt_import_json_has(begin, bytes, 1, "$schema") ?
		       memmem(begin, bytes, "speedscope", 10) != NULL :
		       spt_import_json_has(begin, bytes, 1, "profiles") &&
			       spt_import_json_has(begin, bytes, 1, "shared");
}

const SptImporter spt_import_speedscope = {
	.name = "speedscope",
	.probe = probe_speedscope,
	.read = read_speedscope,
	.unpacks = true,
};

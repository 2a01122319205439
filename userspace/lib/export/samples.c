/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A piece of text for each sample, in the order of the recording: as perf script prints it, as a
 * line of JSON, or as a row of CSV.  What is written for a frame is kept, as there are few; for a
 * sample nothing is.
 */
#include <inttypes.h>
#include <string.h>

#include "base/words.h"
#include "export/export.h"
#include "export/json-text.h"
#include "profile/declared.h"
#include "profile/selection.h"
#include "profile/stack-sums.h"
#include "profile/summary.h"
#include "profile/waits.h"

/* Of deeper stacks the innermost frames are written. */
#define STACK_MAX_FRAMES 2048

struct sample_writer {
	const SptExportInput *input;
	const SptMetric *metric, *labelled;	/* labelled: by labels of its events, or NULL */
	uint64_t worth;			/* of a weight of 1, in this unit; at least 1 */
	const char *unit;
	uint64_t start_ns;		/* of the recording */
	SptOut *out;
	char **of_frame;		/* by the frame's number; NULL: not needed yet */
	GArray *path;			/* const char *: text of each frame, innermost first */
	/* Text of a frame and of the functions that are inlined there; texts are joined. */
	void (*put_frame)(struct sample_writer *writer, const SptFrame *frame, GString *text);
	void (*put_row)(struct sample_writer *writer, const SptWeightRow *row, uint64_t value);
};

static const char *text_of_frame(struct sample_writer *writer, uint32_t key, const SptFrame *frame)
{
	if (!writer->of_frame[key]) {
		GString *text = g_string_new(NULL);

		writer->put_frame(writer, frame, text);
		writer->of_frame[key] = g_string_free(text, FALSE);
	}
	return writer->of_frame[key];
}

/* The texts of the frames of a stack, innermost first. */
static void find_path(struct sample_writer *writer, uint32_t node)
{
	const SptNode *nodes = writer->input->capture->nodes;

	g_array_set_size(writer->path, 0);
	for (; node != 0 && writer->path->len < STACK_MAX_FRAMES; node = nodes[node].parent) {
		const char *text = text_of_frame(writer, nodes[node].key, &nodes[node].frame);

		g_array_append_val(writer->path, text);
	}
}

static const SptThreadRow *thread_of(const struct sample_writer *writer, const SptWeightRow *row)
{
	static const SptThreadRow nobody = { .name = "" };
	const SptThreadRow *thread = spt_thread_of_id(writer->input->capture, row->thread);

	return thread ? thread : &nobody;
}

static const char *comm_of(const struct sample_writer *writer, const SptWeightRow *row)
{
	const SptThreadRow *thread = thread_of(writer, row);
	const SptProcessRow *process = spt_process_of_thread(writer->input->capture, row->thread);

	return thread->name && *thread->name ? thread->name : spt_process_label(process);
}

static uint32_t pid_of(const struct sample_writer *writer, const SptWeightRow *row)
{
	const SptProcessRow *process = spt_process_of_thread(writer->input->capture, row->thread);

	return process ? process->pid : 0;
}

static const char *samples_state_of(const struct sample_writer *writer, const SptWeightRow *row)
{
	return writer->metric->parts & SPT_METRIC_HAS_STATE ?
		       spt_wait_state_name(spt_wait_detail_state(row->detail)) :
		       NULL;
}

/* Of perf script: the place in the object instead of an address, which is not recorded. */
static void put_script_frame(struct sample_writer *writer, const SptFrame *frame, GString *text)
{
	const SptCapture *capture = writer->input->capture;
	const SptObjectRow *object =
		frame->object < capture->n_objects ? &capture->objects[frame->object] : NULL;
	SptNamedPlace places[SPT_INLINES_MAX];
	unsigned n = spt_symbols_functions(writer->input->symbols, frame, places);

	for (unsigned i = 0; i < n; i++) {
		g_string_append_printf(text, "\t%16" PRIx64 " ", frame->offset);
		spt_append_one_line(text, places[i].name.function);
		g_string_append(text, " (");
		if (i + 1 < n)
			g_string_append(text, "inlined");
		else if (object && object->kind == SPT_OBJECT_FILE && object->path)
			spt_append_one_line(text, object->path);
		else
			spt_append_one_line(text, places[i].name.object);
		g_string_append(text, ")\n");
	}
}

static void put_script_row(struct sample_writer *writer, const SptWeightRow *row, uint64_t value)
{
	GString *text = spt_out_text(writer->out);
	bool is_clock = writer->metric->is_cpu && strcmp(writer->unit, "ns") == 0;

	spt_append_one_line(text, comm_of(writer, row));
	g_string_append_printf(text, " %" PRId32 "/%" PRId32, (int32_t)pid_of(writer, row),
			       (int32_t)thread_of(writer, row)->tid);
	if (writer->metric->parts & SPT_METRIC_HAS_CPU)
		g_string_append_printf(text, " [%03" PRIu32 "]", row->cpu);
	g_string_append_printf(text, " %" PRIu64 ".%06u: %10" PRIu64 " %s:\n",
			       row->time / 1000000000, (unsigned)(row->time / 1000 % 1000000),
			       value,
			       is_clock		      ? "cpu-clock" :
			       writer->metric->is_cpu ? writer->unit :
							writer->metric->name);
	for (guint i = 0; i < writer->path->len; i++)
		g_string_append(text, g_array_index(writer->path, const char *, i));
	g_string_append_c(text, '\n');
}

/* Inlined functions come last, as the innermost ones do. */
static void put_json_frame(struct sample_writer *writer, const SptFrame *frame, GString *text)
{
	SptNamedPlace places[SPT_INLINES_MAX];
	unsigned n = spt_symbols_functions(writer->input->symbols, frame, places);

	for (; n > 0; n--) {
		g_string_append(text, text->len ? ",[" : "[");
		spt_json_append_text(text, places[n - 1].name.function);
		g_string_append_c(text, ',');
		spt_json_append_text(text, places[n - 1].name.object);
		g_string_append_c(text, ']');
	}
}

/* Of an event of a declared kind. */
static void put_json_labels(struct sample_writer *writer, const SptWeightRow *row, GString *text)
{
	g_auto(GStrv) labels = spt_declared_labels(writer->input->capture, writer->labelled,
						   row->detail);

	for (char **label = labels; *label; label += 2) {
		g_string_append(text, label == labels ? ",\"labels\":{" : ",");
		spt_json_append_text(text, label[0]);
		g_string_append_c(text, ':');
		spt_json_append_text(text, label[1]);
	}
	g_string_append(text, *labels ? "}" : "");
}

static void put_json_row(struct sample_writer *writer, const SptWeightRow *row, uint64_t value)
{
	const SptProcessRow *process = spt_process_of_thread(writer->input->capture, row->thread);
	GString *text = spt_out_text(writer->out);
	const char *state = samples_state_of(writer, row);

	g_string_append_printf(text, "{\"time_ns\":%" PRIu64 ",\"process\":",
			       row->time - MIN(row->time, writer->start_ns));
	spt_json_append_text(text, spt_process_label(process));
	g_string_append_printf(text, ",\"pid\":%" PRIu32 ",\"thread\":", pid_of(writer, row));
	spt_json_append_text(text, comm_of(writer, row));
	g_string_append_printf(text, ",\"tid\":%" PRIu32, thread_of(writer, row)->tid);
	if (writer->metric->parts & SPT_METRIC_HAS_CPU)
		g_string_append_printf(text, ",\"cpu\":%" PRIu32, row->cpu);
	if (state) {
		g_string_append(text, ",\"state\":");
		spt_json_append_text(text, state);
	}
	if (row->duration_ns)
		g_string_append_printf(text, ",\"duration_ns\":%" PRIu64, row->duration_ns);
	if (writer->labelled)
		put_json_labels(writer, row, text);
	g_string_append(text, ",\"metric\":");
	spt_json_append_text(text, writer->metric->name);
	g_string_append_printf(text, ",\"%s\":%" PRIu64 ",\"stack\":[", writer->unit, value);
	for (guint i = writer->path->len; i > 0; i--) {
		g_string_append(text, g_array_index(writer->path, const char *, i - 1));
		g_string_append(text, i > 1 ? "," : "");
	}
	g_string_append(text, "]}\n");
}

/* As in folded stacks; quotes are doubled. */
static void put_csv_frame(struct sample_writer *writer, const SptFrame *frame, GString *text)
{
	SptNamedPlace places[SPT_INLINES_MAX];
	unsigned n = spt_symbols_functions(writer->input->symbols, frame, places);

	for (; n > 0; n--) {
		g_autofree char *name = spt_one_line(places[n - 1].name.function);

		g_string_append(text, text->len ? ";" : "");
		for (const char *c = name; *c; c++)
			g_string_append(text, *c == ';' ? ":" : *c == '"' ? "\"\"" :
								(char[]){ *c, '\0' });
	}
}

/*
 * In quotes.  What a spreadsheet would take for a formula gets a blank before it: programs choose
 * their names.
 */
static void append_csv_text(GString *text, const char *from)
{
	g_autofree char *line = spt_one_line(from);

	g_string_append_c(text, '"');
	if (*line && strchr("=+-@", *line))
		g_string_append_c(text, ' ');
	for (const char *c = line; *c; c++)
		g_string_append(text, *c == '"' ? "\"\"" : (char[]){ *c, '\0' });
	g_string_append_c(text, '"');
}

static void put_csv_row(struct sample_writer *writer, const SptWeightRow *row, uint64_t value)
{
	const SptProcessRow *process = spt_process_of_thread(writer->input->capture, row->thread);
	GString *text = spt_out_text(writer->out);
	const char *state = samples_state_of(writer, row);

	g_string_append_printf(text, "%" PRIu64 ",",
			       row->time - MIN(row->time, writer->start_ns));
	append_csv_text(text, spt_process_label(process));
	g_string_append_printf(text, ",%" PRIu32 ",", pid_of(writer, row));
	append_csv_text(text, comm_of(writer, row));
	g_string_append_printf(text, ",%" PRIu32 ",", thread_of(writer, row)->tid);
	if (writer->metric->parts & SPT_METRIC_HAS_CPU)
		g_string_append_printf(text, "%" PRIu32, row->cpu);
	g_string_append_c(text, ',');
	if (state)
		append_csv_text(text, state);
	g_string_append_printf(text, ",%" PRIu64 ",%" PRIu64 ",\"", row->duration_ns, value);
	for (guint i = writer->path->len; i > 0; i--) {
		const char *frame = g_array_index(writer->path, const char *, i - 1);

		if (i == writer->path->len && strchr("=+-@", *frame))
			g_string_append_c(text, ' ');
		g_string_append(text, frame);
		g_string_append(text, i > 1 ? ";" : "");
	}
	g_string_append(text, "\"\n");
}

static void samples_take_row(const SptWeightRow *row, uint64_t weight, void *data)
{
	struct sample_writer *writer = data;

	find_path(writer, row->node);
	writer->put_row(writer, row, weight * writer->worth);
}

static void write_samples(struct sample_writer *writer, const SptExportInput *input, SptOut *out)
{
	const SptCapture *capture = input->capture;
	uint32_t n = MAX(capture->n_frames, 1);
	SptSummary summary;

	spt_summary_init(&summary, capture);
	writer->input = input;
	writer->out = out;
	writer->metric = spt_profile_metric(input->profile);
	writer->worth = MAX(spt_metric_worth(writer->metric, capture), 1);
	writer->unit = spt_metric_unit_name(writer->metric, capture);
	writer->start_ns = summary.start_ns;
	writer->of_frame = g_new0(char *, n);
	writer->path = g_array_new(FALSE, FALSE, sizeof(const char *));
	writer->labelled = spt_declared_labelled(capture, writer->metric);
	spt_stack_rows_each(capture, input->symbols,
			    writer->labelled ? writer->labelled : writer->metric, input->filter,
			    samples_take_row, writer);
	for (uint32_t i = 0; i < n; i++)
		g_free(writer->of_frame[i]);
	g_free(writer->of_frame);
	g_array_unref(writer->path);
	spt_summary_clear(&summary);
}

static bool write_perf_script(const SptExportInput *input, SptOut *out,
			      G_GNUC_UNUSED GError **error)
{
	write_samples(&(struct sample_writer){ .put_frame = put_script_frame,
					       .put_row = put_script_row },
		      input, out);
	return true;
}

static bool write_jsonl(const SptExportInput *input, SptOut *out, G_GNUC_UNUSED GError **error)
{
	write_samples(&(struct sample_writer){ .put_frame = put_json_frame,
					       .put_row = put_json_row },
		      input, out);
	return true;
}

static bool write_csv(const SptExportInput *input, SptOut *out, G_GNUC_UNUSED GError **error)
{
	g_string_append_printf(spt_out_text(out),
			       "time_ns,process,pid,thread,tid,cpu,state,duration_ns,weight_%s,stack\n",
			       spt_metric_unit_name(spt_profile_metric(input->profile),
						    input->capture));
	write_samples(&(struct sample_writer){ .put_frame = put_csv_frame, .put_row = put_csv_row },
		      input, out);
	return true;
}

const SptExport spt_export_perf_script = {
	.name = "perf-script",
	.ending = ".perf-script",
	.help = "each sample as perf script prints it",
	.menu = SPT_WORDS("Export Text of _perf script…"),
	.needs = SPT_EXPORT_NEEDS_STACKS,
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_OBJECTS |
		   SPT_EXPORT_CARRIES_THREADS | SPT_EXPORT_CARRIES_CPUS |
		   SPT_EXPORT_CARRIES_TIMES,
	.write = write_perf_script,
};

const SptExport spt_export_jsonl = {
	.name = "jsonl",
	.ending = ".jsonl",
	.help = "each sample as a line of JSON",
	.menu = SPT_WORDS("Export Samples (JSO_NL)…"),
	.needs = SPT_EXPORT_NEEDS_STACKS,
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_OBJECTS |
		   SPT_EXPORT_CARRIES_THREADS | SPT_EXPORT_CARRIES_CPUS |
		   SPT_EXPORT_CARRIES_TIMES,
	.write = write_jsonl,
};

const SptExport spt_export_csv = {
	.name = "csv",
	.ending = ".csv",
	.help = "each sample as a row of a table",
	.menu = SPT_WORDS("Export Samples (CS_V)…"),
	.needs = SPT_EXPORT_NEEDS_STACKS,
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_THREADS |
		   SPT_EXPORT_CARRIES_CPUS | SPT_EXPORT_CARRIES_TIMES,
	.write = write_csv,
};

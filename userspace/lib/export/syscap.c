/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture of GNOME Sysprof (45 and later).  Its functions are named by entries of a "jitmap",
 * numbers that stand in stacks for addresses, so that names are those of our reports wherever it is
 * opened.  libsysprof-capture writes files which can be sought, and begins them at the time of
 * writing; ours goes into pipes, too.
 */
#include <string.h>

#include "base/words.h"
#include "export/export.h"
#include "export/numbers.h"
#include "export/sayings.h"
#include "export/spans.h"
#include "formats/syscap.h"
#include "profile/command.h"
#include "profile/log-lines.h"
#include "profile/rows.h"
#include "profile/selection.h"
#include "profile/tracks.h"

/* Of deeper stacks the innermost functions are written. */
#define STACK_FUNCTIONS 4000
#define NAME_BYTES	2048
/* Lengths have 16 bits. */
#define FRAME_BYTES	32768
/* A sample there has no weight: one that has more is written as often, up to this. */
#define SAMPLE_TIMES 10000

struct syscap {
	const SptExportInput *input;
	SptOut *out;
	GByteArray *frame;	/* the one that is being made */
	SptNumbers numbers;
	bool is_memory;
	uint64_t period_ns, n_allocations;
};

static void syscap_begin(struct syscap *syscap, unsigned type, uint32_t cpu, uint32_t pid,
			 uint64_t time)
{
	struct syscap_frame frame = {
		.cpu = (int16_t)MIN(cpu, INT16_MAX),
		.pid = (int32_t)pid,
		.time = (int64_t)time,
		.type = (uint8_t)type,
	};

	g_byte_array_set_size(syscap->frame, 0);
	g_byte_array_append(syscap->frame, (const guint8 *)&frame, sizeof(frame));
}

static void syscap_append(struct syscap *syscap, const void *bytes, size_t n)
{
	g_byte_array_append(syscap->frame, bytes, (guint)n);
}

/* Frames begin at multiples of eight. */
static void syscap_end(struct syscap *syscap)
{
	static const uint64_t zero;
	uint16_t bytes;

	syscap_append(syscap, &zero, -syscap->frame->len % sizeof(zero));
	bytes = (uint16_t)syscap->frame->len;
	memcpy(syscap->frame->data, &bytes, sizeof(bytes));
	g_string_append_len(spt_out_text(syscap->out), (const char *)syscap->frame->data, bytes);
}

/* As one line of UTF-8, cut to @most bytes with its NUL. */
static char *syscap_text(const char *text, size_t most)
{
	char *line = spt_one_line(text);

	if (strlen(line) >= most) {
		line[most - 1] = '\0';
		for (const char *end; !g_utf8_validate(line, -1, &end);)
			line[end - line] = '\0';
	}
	return line;
}

static void syscap_append_text(struct syscap *syscap, const char *text, size_t most)
{
	g_autofree char *line = syscap_text(text, most);

	syscap_append(syscap, line, strlen(line) + 1);
}

/* A field of a fixed size, filled up with NULs. */
static void syscap_fill(char *field, size_t bytes, const char *text)
{
	g_autofree char *line = syscap_text(text, bytes);

	memset(field, 0, bytes);
	memcpy(field, line, strlen(line));
}

static void syscap_write_header(struct syscap *syscap)
{
	const SptExportInput *input = syscap->input;
	struct syscap_header header = {
		.magic = SYSCAP_MAGIC,
		.version = 1,
		.is_little_endian = G_BYTE_ORDER == G_LITTLE_ENDIAN,
		.begin = (int64_t)input->start_ns,
		.end = (int64_t)MAX(input->end_ns, input->start_ns),
	};
	uint64_t ns = spt_command_fact(input->capture, "start_realtime_ns");
	g_autoptr(GDateTime) start =
		ns ? g_date_time_new_from_unix_utc((int64_t)(ns / 1000000000)) : NULL;
	g_autofree char *date = start ? g_date_time_format_iso8601(start) : NULL;

	syscap_fill(header.wall_clock, sizeof(header.wall_clock), date ? date : "");
	g_string_append_len(spt_out_text(syscap->out), (const char *)&header, sizeof(header));
}

/* Names. */

static void syscap_begin_names(struct syscap *syscap)
{
	uint32_t none = 0;

	syscap_begin(syscap, SYSCAP_NAMES, 0, 0, syscap->input->start_ns);
	syscap_append(syscap, &none, sizeof(none));
}

static void syscap_end_names(struct syscap *syscap, uint32_t n)
{
	memcpy(syscap->frame->data + sizeof(struct syscap_frame), &n, sizeof(n));
	if (n)
		syscap_end(syscap);
}

static void syscap_write_names(struct syscap *syscap)
{
	const SptNumbers *numbers = &syscap->numbers;
	uint32_t n = 0;

	syscap_begin_names(syscap);
	for (uint32_t i = 0; i < numbers->n_functions; i++) {
		uint64_t address = SYSCAP_JITMAP + numbers->function[i];

		if (numbers->function[i] == SPT_NO_NUMBER)
			continue;
		if (syscap->frame->len + sizeof(address) + NAME_BYTES > FRAME_BYTES) {
			syscap_end_names(syscap, n);
			syscap_begin_names(syscap);
			n = 0;
		}
		syscap_append(syscap, &address, sizeof(address));
		syscap_append_text(syscap, numbers->functions[i].name, NAME_BYTES);
		n++;
	}
	syscap_end_names(syscap, n);
}

/* Processes. */

static uint32_t syscap_pid(const struct syscap *syscap, uint32_t thread)
{
	const SptProcessRow *process = spt_process_of_thread(syscap->input->capture, thread);

	return process ? process->pid : 0;
}

static bool *syscap_find_processes(const struct syscap *syscap)
{
	const SptExportInput *input = syscap->input;
	g_autoptr(SptProfileRows) rows = spt_profile_rows_new(input->base, input->filter);
	g_autoptr(SptSpans) spans = spt_spans_new(input->capture, input->filter);
	bool *is_seen = g_new0(bool, (size_t)input->capture->n_threads + 1);
	SptProfileRow row;
	SptSpan span;

	while (spt_profile_rows_next(rows, &row))
		is_seen[MIN(row.thread, input->capture->n_threads)] = true;
	while (spt_spans_next(spans, &span))
		is_seen[MIN(span.thread, input->capture->n_threads)] = true;
	return is_seen;
}

/* Only those that are in what follows: no name that a filter excludes.  The last name counts. */
static void syscap_write_processes(struct syscap *syscap)
{
	const SptCapture *capture = syscap->input->capture;
	g_autofree bool *is_seen = syscap_find_processes(syscap);
	g_autoptr(GHashTable) written = g_hash_table_new(NULL, NULL);

	for (uint32_t i = 0; i < capture->n_threads; i++) {
		const SptProcessRow *process = spt_process_of_thread(capture, i);

		if (!is_seen[i] || !process || !g_hash_table_add(written, (gpointer)process))
			continue;
		syscap_begin(syscap, SYSCAP_PROCESS, 0, process->pid,
			     MAX(process->start_time, syscap->input->start_ns));
		syscap_append_text(syscap, spt_process_label(process), NAME_BYTES);
		syscap_end(syscap);
	}
}

/* Samples and allocations. */

static void syscap_append_stack(struct syscap *syscap, uint32_t leaf, size_t at)
{
	const SptNumbers *numbers = &syscap->numbers;
	uint16_t n = 0;

	for (uint32_t i = leaf; i != 0 && n < STACK_FUNCTIONS; i = numbers->nodes[i].parent) {
		uint64_t address = SYSCAP_JITMAP + numbers->function[numbers->nodes[i].function];

		if (numbers->node[i] == SPT_NO_NUMBER)
			continue;
		syscap_append(syscap, &address, sizeof(address));
		n++;
	}
	memcpy(syscap->frame->data + at, &n, sizeof(n));
}

static void syscap_write_allocation(struct syscap *syscap, const SptProfileRow *row)
{
	struct syscap_allocation rest = {
		.address = ++syscap->n_allocations,
		.bytes = (int64_t)row->weight,
		.tid = (int32_t)syscap->input->capture->threads[row->thread].tid,
	};

	syscap_begin(syscap, SYSCAP_ALLOCATION, row->cpu, syscap_pid(syscap, row->thread),
		     row->time);
	syscap_append(syscap, &rest, sizeof(rest));
	syscap_append_stack(syscap, row->leaf,
			    sizeof(struct syscap_frame) +
				    G_STRUCT_OFFSET(struct syscap_allocation, n));
	syscap_end(syscap);
}

/* One sample a period: the last one at the row's time, those before it a period earlier each. */
static void syscap_write_sample(struct syscap *syscap, const SptProfileRow *row)
{
	uint64_t times = MIN(row->weight, SAMPLE_TIMES), start_ns = syscap->input->start_ns;
	struct syscap_sample rest = {
		.tid = (int32_t)syscap->input->capture->threads[row->thread].tid,
	};

	syscap_begin(syscap, SYSCAP_SAMPLE, row->cpu, syscap_pid(syscap, row->thread), row->time);
	syscap_append(syscap, &rest, sizeof(rest));
	syscap_append_stack(syscap, row->leaf, sizeof(struct syscap_frame));
	for (uint64_t i = times; i > 0; i--) {
		uint64_t early = (i - 1) * syscap->period_ns;
		int64_t time = (int64_t)MAX(row->time - MIN(row->time, early), start_ns);

		memcpy(syscap->frame->data + G_STRUCT_OFFSET(struct syscap_frame, time), &time,
		       sizeof(time));
		syscap_end(syscap);
	}
}

static void syscap_write_rows(struct syscap *syscap)
{
	const SptExportInput *input = syscap->input;
	g_autoptr(SptProfileRows) rows = spt_profile_rows_new(input->base, input->filter);
	SptProfileRow row;

	while (spt_profile_rows_next(rows, &row)) {
		if (row.thread >= input->capture->n_threads)
			continue;
		if (syscap->is_memory)
			syscap_write_allocation(syscap, &row);
		else
			syscap_write_sample(syscap, &row);
	}
}

/* Marks, lines of logs and counters. */

/* After syscap_begin(). */
static void syscap_end_mark(struct syscap *syscap, uint64_t duration_ns, const char *group,
			    const char *name, const char *message)
{
	struct syscap_mark mark = { .duration_ns = (int64_t)duration_ns };

	syscap_fill(mark.group, sizeof(mark.group), group);
	syscap_fill(mark.name, sizeof(mark.name), name);
	syscap_append(syscap, &mark, sizeof(mark));
	syscap_append_text(syscap, message, NAME_BYTES);
	syscap_end(syscap);
}

static void syscap_write_span(struct syscap *syscap, const SptSpan *span)
{
	g_autoptr(GString) message = g_string_new(NULL);

	spt_span_append_fields(syscap->input->capture, span, message);
	syscap_begin(syscap, SYSCAP_MARK, span->cpu, syscap_pid(syscap, span->thread),
		     span->begin_ns);
	/* Each member is behind a comma. */
	syscap_end_mark(syscap, span->duration_ns, span->kind ? "Events" : "Waits",
			spt_span_kind_name(span->kind), message->str + (*message->str == ','));
}

static void syscap_write_spans(struct syscap *syscap)
{
	const SptExportInput *input = syscap->input;
	g_autoptr(SptSpans) spans = spt_spans_new(input->capture, input->filter);
	SptSpan span;

	while (spt_spans_next(spans, &span))
		if (span.thread < input->capture->n_threads)
			syscap_write_span(syscap, &span);
}

/* Marks as their programs made them: a message is the text of the field with that name. */
static void syscap_write_sayings(struct syscap *syscap)
{
	const SptExportInput *input = syscap->input;
	g_autoptr(SptSayings) sayings = spt_sayings_new(input->capture, input->filter);
	SptSaying saying;

	while (spt_sayings_next(sayings, &saying)) {
		const char *text = saying.text;

		if (saying.thread >= input->capture->n_threads ||
		    spt_log_lines_are_of(saying.kind))
			continue;
		if (g_str_has_prefix(text, "message="))
			text += strlen("message=");
		syscap_begin(syscap, SYSCAP_MARK, saying.cpu, syscap_pid(syscap, saying.thread),
			     saying.begin_ns);
		syscap_end_mark(syscap, saying.duration_ns,
				*saying.category ? saying.category : saying.kind->title,
				saying.name, text);
	}
}

static void syscap_write_lines(struct syscap *syscap)
{
	/* GLib's levels, by severity. */
	static const uint16_t levels[] = { 4, 4, 4, 8, 16, 32, 64, 128 };
	const SptExportInput *input = syscap->input;
	uint64_t n_more;
	g_autoptr(GArray) lines = spt_log_lines(
		input->capture, &(SptLogQuery){ .filter = input->filter }, &n_more);

	for (unsigned i = 0; i < lines->len; i++) {
		const SptLogLine *line = &g_array_index(lines, SptLogLine, i);
		struct syscap_line head = {
			.level = levels[MIN(line->severity, G_N_ELEMENTS(levels) - 1)]
		};

		syscap_fill(head.domain, sizeof(head.domain), line->source);
		syscap_begin(syscap, SYSCAP_LINE, 0, syscap_pid(syscap, line->thread), line->time);
		syscap_append(syscap, &head, sizeof(head));
		syscap_append_text(syscap, line->text, NAME_BYTES);
		syscap_end(syscap);
	}
}

static void syscap_define_counter(struct syscap *syscap, const SptTrack *track, uint32_t id)
{
	struct {
		uint16_t n, padding[3];
	} head = { .n = 1 };
	struct syscap_counter counter = { .id_and_type = id | 1u << 24 };
	/* As programs name their own: "GTK: fps". */
	const char *colon = strstr(track->name, ": ");
	g_autofree char *category = colon ? g_strndup(track->name, (gsize)(colon - track->name)) :
					    g_strdup(SYSCAP_OWN_COUNTERS);

	syscap_fill(counter.category, sizeof(counter.category), category);
	syscap_fill(counter.name, sizeof(counter.name), colon ? colon + 2 : track->name);
	syscap_fill(counter.description, sizeof(counter.description),
		    track->unit ? track->unit : "");
	syscap_begin(syscap, SYSCAP_COUNTERS, 0, 0, syscap->input->start_ns);
	syscap_append(syscap, &head, sizeof(head));
	syscap_append(syscap, &counter, sizeof(counter));
	syscap_end(syscap);
}

static void syscap_write_counter(struct syscap *syscap, const SptTrack *track, uint32_t id)
{
	syscap_define_counter(syscap, track, id);
	for (unsigned i = 0; i < track->events->len; i++) {
		const SptTrackEvent *event = &g_array_index(track->events, SptTrackEvent, i);
		struct {
			uint16_t n, padding[3];
			struct syscap_value value;
		} one = { .n = 1,
			  .value = { .ids[0] = id, .values[0] = event->value } };

		syscap_begin(syscap, SYSCAP_VALUES, 0, 0, event->time);
		syscap_append(syscap, &one, sizeof(one));
		syscap_end(syscap);
	}
}

/* Numbers of counters begin with 1. */
static void syscap_write_counters(struct syscap *syscap)
{
	g_autoptr(GPtrArray) tracks = spt_tracks_new(syscap->input->capture);
	uint32_t id = 0;

	for (unsigned i = 0; i < tracks->len; i++) {
		const SptTrack *track = tracks->pdata[i];

		if (track->kind == SPT_STREAM_COUNTER)
			syscap_write_counter(syscap, track, ++id);
	}
}

static bool write_syscap(const SptExportInput *input, SptOut *out, GError **error)
{
	const SptMetric *metric = spt_profile_metric(input->profile);
	struct syscap syscap = {
		.input = input,
		.out = out,
		.is_memory = !metric->is_cpu,
		.period_ns = spt_capture_period_ns(input->capture),
	};

	if (!metric->is_cpu && metric->unit != SPT_UNIT_BYTES) {
		spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
			    "A capture of GNOME Sysprof has CPU time and memory, and the metric "
			    "'%s' is neither; firefox and chrome have it",
			    metric->name);
		return false;
	}
	syscap.frame = g_byte_array_new();
	spt_numbers_init(&syscap.numbers, input->profile);
	syscap_write_header(&syscap);
	syscap_write_names(&syscap);
	syscap_write_processes(&syscap);
	syscap_write_rows(&syscap);
	syscap_write_spans(&syscap);
	syscap_write_sayings(&syscap);
	syscap_write_lines(&syscap);
	syscap_write_counters(&syscap);
	spt_numbers_clear(&syscap.numbers);
	g_byte_array_unref(syscap.frame);
	return true;
}

const SptExport spt_export_syscap = {
	.name = "syscap",
	.ending = ".syscap",
	.help = "samples, waits, events, marks, logs and counters for GNOME Sysprof 45 and later",
	.menu = SPT_WORDS("Export for GNOME S_ysprof…"),
	.needs = SPT_EXPORT_NEEDS_SAMPLES,
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_THREADS |
		   SPT_EXPORT_CARRIES_CPUS | SPT_EXPORT_CARRIES_TIMES |
		   SPT_EXPORT_CARRIES_WAITS | SPT_EXPORT_CARRIES_COUNTERS,
	.write = write_syscap,
};

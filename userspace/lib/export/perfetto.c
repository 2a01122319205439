/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace of Perfetto: each packet is packed and written by itself, so that only a bit for each
 * function, stack and thread is kept.  Samples, and what they refer to, are here; what threads did
 * over time is in perfetto-spans.c.
 */
#include "export/perfetto.h"

#include "base/words.h"

#ifdef SPT_HAS_PPROF

#include <string.h>

#include "export/cpu-use.h"
#include "profile/command.h"
#include "profile/rows.h"
#include "profile/selection.h"
#include "profile/timeline.h"
#include "profile/tracks.h"

#define SEQUENCE      1 /* numbers of names and stacks belong to it */
#define BEGINS	      1 /* flags of a packet: no numbers from before, and what uses them */
#define USES_NUMBERS  2
#define CLOCK_REAL    1
#define CLOCK_BOOT    6 /* that of times that name no clock */
#define PACKET_TAG    0x0a
#define CPU_CLOCK     1
/* A tick that came late represents all periods that passed; a hostile file can claim any number. */
#define MOST_REPEATED 1000

void spt_perfetto_put(struct spt_perfetto *perfetto, SptPerfettoPacket *packet)
{
	uint8_t head[11] = { PACKET_TAG };
	unsigned n_head = 1;
	size_t n, rest;

	packet->has_trusted_packet_sequence_id = packet->has_sequence_flags = true;
	packet->trusted_packet_sequence_id = SEQUENCE;
	packet->sequence_flags |= USES_NUMBERS;
	n = spt_perfetto_packet__get_packed_size(packet);
	for (rest = n; rest > 0x7f; rest >>= 7)
		head[n_head++] = (uint8_t)(rest | 0x80);
	head[n_head++] = (uint8_t)rest;
	g_byte_array_set_size(perfetto->packed, (guint)n);
	spt_perfetto_packet__pack(packet, perfetto->packed->data);
	g_string_append_len(spt_out_text(perfetto->out), (const char *)head, n_head);
	g_string_append_len(spt_out_text(perfetto->out), (const char *)perfetto->packed->data,
			    (gssize)n);
}

void spt_perfetto_set_time(const struct spt_perfetto *perfetto, SptPerfettoPacket *packet,
			   uint64_t time)
{
	packet->has_timestamp = true;
	packet->timestamp = MAX(time, perfetto->input->start_ns);
}

/* The clock, and what samples count. */
static void perfetto_begin(struct spt_perfetto *perfetto)
{
	const SptExportInput *input = perfetto->input;
	SptPerfettoClock boot = SPT_PERFETTO_CLOCK__INIT, real = SPT_PERFETTO_CLOCK__INIT;
	SptPerfettoClock *both[] = { &boot, &real };
	SptPerfettoClocks clocks = SPT_PERFETTO_CLOCKS__INIT;
	SptPerfettoTimebase timebase = SPT_PERFETTO_TIMEBASE__INIT;
	SptPerfettoSampleDefaults samples = SPT_PERFETTO_SAMPLE_DEFAULTS__INIT;
	SptPerfettoDefaults defaults = SPT_PERFETTO_DEFAULTS__INIT;
	SptPerfettoPacket packet = SPT_PERFETTO_PACKET__INIT;

	boot.has_clock_id = boot.has_timestamp = real.has_clock_id = real.has_timestamp = true;
	boot.clock_id = CLOCK_BOOT;
	boot.timestamp = input->start_ns;
	real.clock_id = CLOCK_REAL;
	real.timestamp = spt_command_fact(input->capture, "start_realtime_ns");
	clocks.n_clocks = real.timestamp ? 2 : 1;
	clocks.clocks = both;
	timebase.name = (char *)perfetto->metric->name;
	timebase.has_period = timebase.has_counter = perfetto->metric->is_cpu;
	timebase.period = spt_capture_period_ns(input->capture);
	timebase.counter = CPU_CLOCK;
	samples.timebase = &timebase;
	defaults.perf_sample_defaults = &samples;
	packet.clock_snapshot = &clocks;
	packet.trace_packet_defaults = &defaults;
	packet.sequence_flags = BEGINS;
	spt_perfetto_put(perfetto, &packet);
}

/* What samples refer to. */

static void perfetto_put_numbered(struct spt_perfetto *perfetto, SptPerfettoInterned *part)
{
	SptPerfettoPacket packet = SPT_PERFETTO_PACKET__INIT;

	packet.interned_data = part;
	spt_perfetto_put(perfetto, &packet);
}

static SptPerfettoText perfetto_text(uint64_t iid, const char *text)
{
	SptPerfettoText ret = SPT_PERFETTO_TEXT__INIT;

	ret.has_iid = ret.has_str = true;
	ret.iid = iid;
	ret.str.data = (uint8_t *)text;
	ret.str.len = strlen(text);
	return ret;
}

/* The number of a function's file, which is written first if it is new; 0: it has none. */
static uint64_t perfetto_mapping(struct spt_perfetto *perfetto, const SptFunction *function)
{
	uint32_t object = spt_numbers_object(&perfetto->numbers, function);
	uint64_t iid = object + 1ull;
	SptPerfettoInterned part = SPT_PERFETTO_INTERNED__INIT;
	SptPerfettoMapping mapping = SPT_PERFETTO_MAPPING__INIT, *mappings = &mapping;
	SptPerfettoText path, *paths = &path;

	if (object == SPT_NO_NUMBER)
		return 0;
	if (perfetto->has_object[object])
		return iid;
	perfetto->has_object[object] = true;
	path = perfetto_text(iid, function->object);
	mapping.has_iid = true;
	mapping.iid = iid;
	mapping.n_path_string_ids = 1;
	mapping.path_string_ids = &iid;
	part.n_mapping_paths = part.n_mappings = 1;
	part.mapping_paths = &paths;
	part.mappings = &mappings;
	perfetto_put_numbered(perfetto, &part);
	return iid;
}

static uint64_t perfetto_frame(struct spt_perfetto *perfetto, uint32_t id)
{
	const SptFunction *function = &perfetto->numbers.functions[id];
	uint64_t iid = id + 1ull;
	SptPerfettoInterned part = SPT_PERFETTO_INTERNED__INIT;
	SptPerfettoFrame frame = SPT_PERFETTO_FRAME__INIT, *frames = &frame;
	SptPerfettoText name, *names = &name;

	if (perfetto->has_function[id])
		return iid;
	perfetto->has_function[id] = true;
	name = perfetto_text(iid, function->name);
	frame.mapping_id = perfetto_mapping(perfetto, function);
	frame.has_iid = frame.has_function_name_id = true;
	frame.has_mapping_id = frame.mapping_id != 0;
	frame.iid = frame.function_name_id = iid;
	part.n_function_names = part.n_frames = 1;
	part.function_names = &names;
	part.frames = &frames;
	perfetto_put_numbered(perfetto, &part);
	return iid;
}

/* The number of the stack that ends at node @leaf of the tree; 0: there is none. */
static uint64_t perfetto_stack(struct spt_perfetto *perfetto, uint32_t leaf)
{
	const SptNumbers *numbers = &perfetto->numbers;
	uint64_t iid = leaf + 1ull;
	SptPerfettoInterned part = SPT_PERFETTO_INTERNED__INIT;
	SptPerfettoStack stack = SPT_PERFETTO_STACK__INIT, *stacks = &stack;
	GArray *path = perfetto->path;

	if (numbers->node[leaf] == SPT_NO_NUMBER)
		return 0;
	if (perfetto->has_stack[leaf])
		return iid;
	perfetto->has_stack[leaf] = true;
	g_array_set_size(path, 0);
	for (uint32_t i = leaf; numbers->node[i] != SPT_NO_NUMBER; i = numbers->nodes[i].parent) {
		uint64_t frame = perfetto_frame(perfetto, numbers->nodes[i].function);

		g_array_append_val(path, frame);
	}
	for (guint i = 0; i < path->len / 2; i++) {
		uint64_t *a = &g_array_index(path, uint64_t, i),
			 *b = &g_array_index(path, uint64_t, path->len - 1 - i), kept = *a;

		*a = *b;
		*b = kept;
	}
	stack.has_iid = true;
	stack.iid = iid;
	stack.n_frame_ids = path->len;
	stack.frame_ids = (uint64_t *)path->data;
	part.n_callstacks = 1;
	part.callstacks = &stacks;
	perfetto_put_numbered(perfetto, &part);
	return iid;
}

/* Samples. */

static void perfetto_write_sample(struct spt_perfetto *perfetto, const SptProfileRow *row,
				  uint64_t time, uint64_t weight, uint64_t *total)
{
	const SptCapture *capture = perfetto->input->capture;
	const SptProcessRow *process = spt_process_of_thread(capture, row->thread);
	SptPerfettoSample sample = SPT_PERFETTO_SAMPLE__INIT;
	SptPerfettoPacket packet = SPT_PERFETTO_PACKET__INIT;

	*total += weight;
	sample.callstack_iid = perfetto_stack(perfetto, row->leaf);
	sample.has_callstack_iid = sample.callstack_iid != 0;
	sample.has_cpu = sample.has_pid = sample.has_tid = sample.has_timebase_count = true;
	sample.cpu = MIN(row->cpu, SPT_TIMELINE_MAX_CPUS);
	sample.pid = process ? process->pid : 0;
	sample.tid = capture->threads[row->thread].tid;
	sample.timebase_count = *total;
	packet.perf_sample = &sample;
	spt_perfetto_set_time(perfetto, &packet, time);
	spt_perfetto_put(perfetto, &packet);
}

/* Programs that read it count samples: so of CPU time there is one for each period. */
static void perfetto_write_row(struct spt_perfetto *perfetto, const SptProfileRow *row)
{
	uint64_t n = perfetto->metric->is_cpu ? MIN(row->weight, MOST_REPEATED) : 1,
		 period_ns = spt_capture_period_ns(perfetto->input->capture),
		 *total = &perfetto->totals[MIN(row->cpu, SPT_TIMELINE_MAX_CPUS)];

	perfetto->is_seen[row->thread] = true;
	for (uint64_t i = n; i > 0; i--) {
		uint64_t before_ns = MIN((i - 1) * period_ns, row->time);

		perfetto_write_sample(perfetto, row, row->time - before_ns,
				      row->weight / n + (i == 1 ? row->weight % n : 0), total);
	}
}

static void perfetto_write_samples(struct spt_perfetto *perfetto)
{
	const SptExportInput *input = perfetto->input;
	g_autoptr(SptProfileRows) rows = spt_profile_rows_new(input->base, input->filter);
	SptProfileRow row;

	while (spt_profile_rows_next(rows, &row))
		if (row.thread < input->capture->n_threads)
			perfetto_write_row(perfetto, &row);
}

/* Counters. */

static uint64_t perfetto_begin_counter(struct spt_perfetto *perfetto, const char *name,
				       const char *unit)
{
	g_autofree char *valid = g_utf8_make_valid(name, -1);
	SptPerfettoCounter counter = SPT_PERFETTO_COUNTER__INIT;
	SptPerfettoTrack track = SPT_PERFETTO_TRACK__INIT;

	counter.unit_name = (char *)unit;
	track.name = valid;
	track.counter = &counter;
	return spt_perfetto_put_track(perfetto, SPT_PERFETTO_TRACK_COUNTER, perfetto->n_counters++,
				      0, &track);
}

static void perfetto_write_value(struct spt_perfetto *perfetto, uint64_t track, uint64_t time,
				 double value)
{
	SptPerfettoEvent event = SPT_PERFETTO_EVENT__INIT;

	event.has_double_counter_value = true;
	event.double_counter_value = value;
	spt_perfetto_put_event(perfetto, &event, SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_VALUE, track,
			       time);
}

struct perfetto_use {
	struct spt_perfetto *perfetto;
	uint32_t cpu;		/* whose tracks these are, once there is one */
	uint64_t user, kernel;
};

static void perfetto_write_use(gpointer data, uint32_t cpu, uint64_t time, unsigned user,
			       unsigned kernel)
{
	struct perfetto_use *use = data;

	if (!use->user || use->cpu != cpu) {
		g_autofree char *users = g_strdup_printf("CPU %u user", cpu),
				*kernels = g_strdup_printf("CPU %u kernel", cpu);

		use->cpu = cpu;
		use->user = perfetto_begin_counter(use->perfetto, users, "%");
		use->kernel = perfetto_begin_counter(use->perfetto, kernels, "%");
	}
	perfetto_write_value(use->perfetto, use->user, time, user);
	perfetto_write_value(use->perfetto, use->kernel, time, kernel);
}

static void perfetto_write_tracks(struct spt_perfetto *perfetto)
{
	g_autoptr(GPtrArray) tracks = spt_tracks_new(perfetto->input->capture);

	for (unsigned i = 0; i < tracks->len; i++) {
		const SptTrack *track = tracks->pdata[i];
		uint64_t id;

		if (track->kind != SPT_STREAM_COUNTER)
			continue;
		id = perfetto_begin_counter(perfetto, track->name, track->unit);
		for (unsigned j = 0; j < track->events->len; j++) {
			const SptTrackEvent *event =
				&g_array_index(track->events, SptTrackEvent, j);

			perfetto_write_value(perfetto, id, event->time, event->value);
		}
	}
}

static bool write_perfetto(const SptExportInput *input, SptOut *out,
			   G_GNUC_UNUSED GError **error)
{
	const SptCapture *capture = input->capture;
	struct spt_perfetto perfetto = {
		.input = input,
		.out = out,
		.metric = spt_profile_metric(input->profile),
		.packed = g_byte_array_new(),
		.path = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
		.first = spt_first_threads(capture),
		.is_seen = g_new0(bool, (size_t)capture->n_threads + 1),
	};

	spt_numbers_init(&perfetto.numbers, input->profile);
	perfetto.totals = g_new0(uint64_t, SPT_TIMELINE_MAX_CPUS + 1);
	perfetto.has_function = g_new0(bool, (size_t)perfetto.numbers.n_functions + 1);
	perfetto.has_object = g_new0(bool, (size_t)perfetto.numbers.objects->len + 1);
	perfetto.has_stack = g_new0(bool, (size_t)perfetto.numbers.n_nodes + 1);
	perfetto_begin(&perfetto);
	perfetto_write_samples(&perfetto);
	spt_perfetto_write_sayings(&perfetto);
	spt_perfetto_write_spans(&perfetto);
	spt_cpu_use_walk(input, perfetto_write_use,
			 &(struct perfetto_use){ .perfetto = &perfetto });
	perfetto_write_tracks(&perfetto);
	spt_numbers_clear(&perfetto.numbers);
	g_byte_array_unref(perfetto.packed);
	g_array_unref(perfetto.path);
	g_free(perfetto.first);
	g_free(perfetto.is_seen);
	g_free(perfetto.totals);
	g_free(perfetto.has_function);
	g_free(perfetto.has_object);
	g_free(perfetto.has_stack);
	return true;
}

#else /* !SPT_HAS_PPROF */

static bool write_perfetto(G_GNUC_UNUSED const SptExportInput *input, G_GNUC_UNUSED SptOut *out,
			   GError **error)
{
	spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSYS,
		      "This program was built without protobuf-c, which writes traces of Perfetto");
	return false;
}

#endif

const SptExport spt_export_perfetto = {
	.name = "perfetto",
	.ending = ".pftrace",
	.help = "a trace for ui.perfetto.dev: samples, waits, events, counters",
	.menu = SPT_WORDS("Export _Perfetto (PFTRACE)…"),
	.needs = SPT_EXPORT_NEEDS_SAMPLES,
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_OBJECTS |
		   SPT_EXPORT_CARRIES_THREADS | SPT_EXPORT_CARRIES_CPUS |
		   SPT_EXPORT_CARRIES_TIMES | SPT_EXPORT_CARRIES_WAITS |
		   SPT_EXPORT_CARRIES_COUNTERS,
	.write = write_perfetto,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of Perfetto.  If samples with stacks are in the file, they are what is imported, else the
 * slices of threads, whose time counts as time on a CPU; where no thread has any, those of other
 * tracks.  Switches of threads become waits.  Names may come behind what uses them, and packets of
 * different CPUs in any order: so the file is walked through twice.
 */
#include "base/varint.h"
#include "base/words.h"
#include "import/import.h"
#include "import/pprof-probe.h"

#ifdef SPT_HAS_PPROF

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "import/perfetto-state.h"
#include "import/perfetto-waits.h"
#include "import/slices.h"
#include "import/unpack.h"
#include "import/values.h"

/* Most bytes of a trace, unpacked; and of all its packets that were packed once more. */
#define TRACE_MAX_BYTES (512u << 20)
#define CHUNK_BYTES	(1u << 18)
#define PACKET_TAG	0x0a
#define DAMAGED		SPT_WORDS("one of its packets is damaged")

struct pftrace_reader;

/* What a pass does with a packet; NULL, or what is wrong. */
typedef const char *(*pftrace_take)(struct pftrace_reader *reader, SptPftraceSequence *sequence,
				    const SptPerfettoPacket *packet);

struct pftrace_reader {
	SptPftraceState state;
	SptImportStacks *stacks;
	SptImportValues values;
	SptPftraceWaits *waits;
	GHashTable *sliced;		/* set of tracks that have slices */
	bool has_samples, has_sliced_threads;
	uint64_t begin_ns, end_ns;
	GArray *slices;			/* SptImportSlice */
	uint64_t *counts;		/* by CPU: the last sample's */
	uint64_t n_unread, packed_bytes;
	pftrace_take take;
	GError **error;
};

/* Packets. */

static const char *walk_pftrace(struct pftrace_reader *reader, const uint8_t *at, size_t bytes,
				bool is_packed);

/* Packets that are packed in one. */
static const char *walk_packed(struct pftrace_reader *reader, const ProtobufCBinaryData *packed)
{
	g_autoptr(GByteArray) all = g_byte_array_new();
	z_stream stream = { .next_in = packed->data, .avail_in = (uInt)packed->len };
	int status = inflateInit(&stream);

	while (status == Z_OK && reader->packed_bytes < TRACE_MAX_BYTES) {
		guint before = all->len;

		g_byte_array_set_size(all, before + CHUNK_BYTES);
		stream.next_out = all->data + before;
		stream.avail_out = CHUNK_BYTES;
		status = inflate(&stream, Z_NO_FLUSH);
		g_byte_array_set_size(all, before + CHUNK_BYTES - stream.avail_out);
		reader->packed_bytes += all->len - before;
		if (all->len == before)
			break;
	}
	inflateEnd(&stream);
	return status == Z_STREAM_END ? walk_pftrace(reader, all->data, all->len, true) : DAMAGED;
}

static const char *take_packet(struct pftrace_reader *reader, const SptPerfettoPacket *packet,
			       bool is_packed)
{
	SptPftraceSequence *sequence;

	if (packet->has_compressed_packets)
		return is_packed ? DAMAGED : walk_packed(reader, &packet->compressed_packets);
	sequence = spt_pftrace_state_take(&reader->state, packet);
	return sequence ? reader->take(reader, sequence, packet) : SPT_WORDS("it is too large");
}

/* A trace may be cut off. */
static const char *walk_pftrace(struct pftrace_reader *reader, const uint8_t *at, size_t bytes,
				bool is_packed)
{
	const uint8_t *end = at + bytes;
	const char *wrong = NULL;
	uint64_t tag, n;

	while (!wrong && !*reader->error && at < end) {
		SptPerfettoPacket *packet;

		if (!spt_get_varint(&at, end, &tag) || !spt_get_varint(&at, end, &n) ||
		    n > (size_t)(end - at))
			break;
		packet = tag == PACKET_TAG ? spt_perfetto_packet__unpack(NULL, n, at) : NULL;
		at += n;
		wrong = packet ? take_packet(reader, packet, is_packed) : DAMAGED;
		if (packet)
			spt_perfetto_packet__free_unpacked(packet, NULL);
	}
	return wrong;
}

static const char *pass_pftrace(struct pftrace_reader *reader, const GByteArray *trace,
				pftrace_take take)
{
	spt_pftrace_state_rewind(&reader->state);
	reader->take = take;
	reader->packed_bytes = 0;
	return walk_pftrace(reader, trace->data, trace->len, false);
}

/* The first pass: names, times, and what there is. */

static void note_time(struct pftrace_reader *reader, uint64_t time)
{
	reader->begin_ns = MIN(reader->begin_ns, time);
	reader->end_ns = MAX(reader->end_ns, time);
}

static uint32_t cpu_of_sample(const SptPerfettoSample *sample)
{
	return sample->cpu < SPT_IMPORT_CPUS ? sample->cpu : 0;
}

/* Where a sample is no period, it has what was counted on its CPU since the last one. */
static uint64_t weight_of_pftrace(struct pftrace_reader *reader, const SptPftraceSequence *sequence,
				  const SptPerfettoSample *sample, uint32_t cpu)
{
	uint64_t before = reader->counts[cpu], count = sample->timebase_count;

	if (sequence->is_weighed || !sample->has_timebase_count)
		return 1;
	reader->counts[cpu] = count;
	return count > before ? count - before : 1;
}

/* Before the first one the file has said what it counts. */
static void note_sample(struct pftrace_reader *reader, const SptPftraceSequence *sequence,
			const SptPerfettoSample *sample)
{
	if (!reader->has_samples)
		spt_import_values_init(&reader->values, reader->state.unit);
	reader->has_samples = true;
	spt_import_values_measure(
		&reader->values, (double)weight_of_pftrace(reader, sequence, sample,
							   cpu_of_sample(sample)));
}

static uint64_t track_of_event(const SptPftraceSequence *sequence, const SptPerfettoEvent *event)
{
	return event->has_track_uuid ? event->track_uuid : sequence->track;
}

static const char *note_packet(struct pftrace_reader *reader, SptPftraceSequence *sequence,
			       const SptPerfettoPacket *packet)
{
	uint64_t time, track;
	const char *wrong = spt_pftrace_waits_note(reader->waits, &reader->state, packet);

	if (!spt_pftrace_state_time(&reader->state, sequence, packet, &time))
		return wrong;
	if (packet->perf_sample || packet->track_event || packet->generic_kernel_task_state_event)
		note_time(reader, time);
	if (packet->perf_sample)
		note_sample(reader, sequence, packet->perf_sample);
	if (!packet->track_event ||
	    packet->track_event->type != SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_BEGIN)
		return wrong;
	track = track_of_event(sequence, packet->track_event);
	if (g_hash_table_size(reader->sliced) < SPT_PFTRACE_TRACKS)
		g_hash_table_add(reader->sliced, g_memdup2(&track, sizeof(track)));
	return wrong;
}

static void find_sliced_threads(struct pftrace_reader *reader)
{
	GHashTableIter iter;
	gpointer uuid;

	g_hash_table_iter_init(&iter, reader->sliced);
	while (g_hash_table_iter_next(&iter, &uuid, NULL)) {
		const SptPftraceTrack *track =
			spt_pftrace_state_track(&reader->state, *(const uint64_t *)uuid);

		reader->has_sliced_threads |= track && track->tid;
	}
}

/* The second pass. */

static const char *take_perf_sample(struct pftrace_reader *reader,
				    const SptPftraceSequence *sequence,
				    const SptPerfettoSample *sample, uint64_t time)
{
	uint32_t cpu = cpu_of_sample(sample);
	const SptSampleRow row = {
		.time = MAX(time - reader->begin_ns, 1),
		.cpu = cpu,
		.thread = spt_pftrace_state_thread(&reader->state, reader->stacks, sample->pid,
						   sample->tid),
		.node = sequence->nodes ? GPOINTER_TO_UINT(g_hash_table_lookup(
						  sequence->nodes, &sample->callstack_iid)) :
					  0,
	};

	return spt_import_values_put(
		&reader->values, reader->stacks, &row,
		(double)weight_of_pftrace(reader, sequence, sample, cpu));
}

static SptFrame frame_of_slice(struct pftrace_reader *reader, const SptPftraceSequence *sequence,
			       const SptPerfettoEvent *event)
{
	const char *name = event->name ? event->name :
					 spt_pftrace_state_text(sequence, SPT_PFTRACE_EVENT,
								event->name_iid, "[unknown]"),
		   *category = event->n_categories ? event->categories[0] :
			       event->n_category_iids ?
						     spt_pftrace_state_text(
							     sequence, SPT_PFTRACE_CATEGORY,
							     event->category_iids[0], "") :
						     "";
	uint32_t object =
		spt_import_stacks_object(reader->stacks, SPT_OBJECT_UNKNOWN, category);

	return spt_import_stacks_frame(reader->stacks, object, name);
}

/* False: it is none of those that are taken. */
static bool take_slice_of_track(struct pftrace_reader *reader, const SptPftraceSequence *sequence,
				const SptPerfettoEvent *event, uint64_t time)
{
	uint64_t uuid = track_of_event(sequence, event);
	const SptPftraceTrack *track = spt_pftrace_state_track(&reader->state, uuid);
	bool is_begin = event->type == SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_BEGIN;
	SptImportSlice slice = { .kind = is_begin ? SPT_SLICE_BEGIN : SPT_SLICE_END,
				 .begin_ns = time - reader->begin_ns };

	if ((!is_begin && event->type != SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_END) ||
	    (reader->has_sliced_threads && !(track && track->tid)))
		return false;
	if (track && track->tid)
		slice.thread = spt_pftrace_state_thread(&reader->state, reader->stacks, track->pid,
							track->tid);
	else
		slice.thread = spt_import_stacks_thread(
			reader->stacks, 0, (uint32_t)uuid ? (uint32_t)uuid : 1, "trace",
			track && *track->name ? track->name : "track");
	if (is_begin)
		slice.frame = frame_of_slice(reader, sequence, event);
	g_array_append_val(reader->slices, slice);
	return true;
}

static const char *put_packet(struct pftrace_reader *reader, SptPftraceSequence *sequence,
			      const SptPerfettoPacket *packet)
{
	const char *wrong = NULL;
	uint64_t time;
	bool has_time = spt_pftrace_state_time(&reader->state, sequence, packet, &time);

	if (packet->interned_data)
		spt_pftrace_state_number(sequence, packet->interned_data, reader->stacks);
	if (packet->generic_kernel_task_state_event && has_time)
		wrong = spt_pftrace_waits_take(reader->waits,
					       packet->generic_kernel_task_state_event, time);
	if (packet->perf_sample && has_time)
		wrong = take_perf_sample(reader, sequence, packet->perf_sample, time);
	if (packet->track_event)
		reader->n_unread += reader->has_samples || !has_time ||
				    !take_slice_of_track(reader, sequence, packet->track_event,
							 time);
	if (!wrong)
		wrong = spt_import_stacks_excess(reader->stacks);
	if (!wrong)
		spt_import_stacks_flush(reader->stacks, reader->error);
	return wrong;
}

/* The trace. */

static void begin_pftrace(struct pftrace_reader *reader, SptCaptureWriter *writer)
{
	g_autofree char *period = g_strdup_printf("%" PRIu64, reader->state.period_ns);

	spt_capture_writer_host(writer, "source", "Perfetto trace");
	memset(reader->counts, 0, SPT_IMPORT_CPUS * sizeof(*reader->counts));
	if (!reader->has_samples)
		spt_import_values_init(&reader->values, "ns");
	spt_import_values_begin(&reader->values, writer);
	if (reader->values.kind == SPT_VALUES_NUMBER && reader->state.period_ns)
		spt_capture_writer_host(writer, "period_ns", period);
	find_sliced_threads(reader);
}

static const char *read_pftrace_passes(struct pftrace_reader *reader, const GByteArray *trace,
				       SptCaptureWriter *writer)
{
	const char *wrong = pass_pftrace(reader, trace, note_packet);

	if (wrong || *reader->error)
		return wrong;
	spt_pftrace_waits_span(reader->waits, &reader->begin_ns, &reader->end_ns);
	begin_pftrace(reader, writer);
	wrong = pass_pftrace(reader, trace, put_packet);
	if (!wrong && !*reader->error && reader->slices->len)
		wrong = spt_import_slices_put(reader->slices, &reader->values, reader->stacks, 0,
					      reader->end_ns - reader->begin_ns, reader->error);
	if (!wrong && !*reader->error)
		wrong = spt_pftrace_waits_put(reader->waits, &reader->state, reader->stacks,
					      reader->begin_ns);
	return wrong;
}

static void finish_pftrace(struct pftrace_reader *reader, SptCaptureWriter *writer)
{
	g_autoptr(GString) note = g_string_new(NULL);

	spt_import_note_count(note, reader->n_unread, "events of the trace were not read");
	if (note->len)
		spt_capture_writer_host(writer, SPT_IMPORT_NOTE, note->str);
	if (!spt_import_stacks_samples(reader->stacks))
		spt_import_refuse(reader->error,
				  SPT_WORDS("it has no samples, no slices, and no switches"));
	else
		spt_import_stacks_finish(reader->stacks, reader->error);
}

static bool read_pftrace(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	g_autoptr(GByteArray) trace = spt_import_unpack(input->fd, TRACE_MAX_BYTES, error);
	g_autoptr(GError) problem = NULL;
	struct pftrace_reader reader = { .begin_ns = UINT64_MAX, .error = &problem };
	const char *wrong;

	if (!trace)
		return false;
	spt_pftrace_state_init(&reader.state);
	reader.stacks = spt_import_stacks_new(writer);
	reader.waits = spt_pftrace_waits_new();
	reader.sliced = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	reader.slices = g_array_new(FALSE, FALSE, sizeof(SptImportSlice));
	reader.counts = g_new0(uint64_t, SPT_IMPORT_CPUS);
	wrong = read_pftrace_passes(&reader, trace, writer);
	if (wrong)
		spt_import_refuse(&problem, wrong);
	if (!problem)
		finish_pftrace(&reader, writer);
	g_free(reader.counts);
	g_array_unref(reader.slices);
	g_hash_table_unref(reader.sliced);
	spt_pftrace_waits_free(reader.waits);
	spt_import_stacks_free(reader.stacks);
	spt_pftrace_state_clear(&reader.state);
	if (problem)
		g_propagate_error(error, g_steal_pointer(&problem));
	return !*error;
}

#else

static bool read_pftrace(G_GNUC_UNUSED const SptImportInput *input,
			 G_GNUC_UNUSED SptCaptureWriter *writer, GError **error)
{
	spt_set_error(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED,
		      "this program was built without protobuf-c, which reads traces of Perfetto");
	return false;
}

#endif

const SptImporter spt_import_perfetto = {
	.name = "perfetto",
	.probe = spt_import_perfetto_is,
	.read = read_pftrace,
	.unpacks = true,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits and events in a trace of Perfetto.  A wait is there twice: as states of its thread, of
 * which the tracks of CPUs and threads are made, and as slices, to which an arrow leads from who
 * ended it.
 */
#include "export/perfetto.h"

#ifdef SPT_HAS_PPROF

#include "base/pairs.h"
#include "capture/capture.h"
#include "events/facts.h"
#include "export/spans.h"
#include "profile/selection.h"
#include "profile/waits.h"

/* Numbers of protobuf's enumerations have long names. */
#define TRACK_BITS 56
#define BEGIN	   SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_BEGIN
#define END	   SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_END
#define INSTANT	   SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_INSTANT

struct perfetto_spans {
	struct spt_perfetto *perfetto;
	struct spt_pairs kinds;	  /* (first thread, kind) -> number of their track */
	uint64_t n_flows, n_overlapping;
	GString *fields;
};

static uint64_t track_number(unsigned kind, uint64_t i)
{
	return (uint64_t)kind << TRACK_BITS | i;
}

uint64_t spt_perfetto_put_track(struct spt_perfetto *perfetto, unsigned kind, uint64_t i,
				uint64_t parent, SptPerfettoTrack *track)
{
	SptPerfettoPacket packet = SPT_PERFETTO_PACKET__INIT;

	track->has_uuid = true;
	track->uuid = track_number(kind, i);
	track->has_parent_uuid = parent != 0;
	track->parent_uuid = parent;
	packet.track_descriptor = track;
	spt_perfetto_put(perfetto, &packet);
	return track->uuid;
}

void spt_perfetto_put_event(struct spt_perfetto *perfetto, SptPerfettoEvent *event,
			    SptPerfettoEventType type, uint64_t track, uint64_t time)
{
	SptPerfettoPacket packet = SPT_PERFETTO_PACKET__INIT;

	event->has_type = event->has_track_uuid = true;
	event->type = type;
	event->track_uuid = track;
	packet.track_event = event;
	spt_perfetto_set_time(perfetto, &packet, time);
	spt_perfetto_put(perfetto, &packet);
}

static uint64_t track_of_thread(const struct perfetto_spans *spans, uint32_t thread)
{
	return track_number(SPT_PERFETTO_TRACK_THREAD, spans->perfetto->first[thread]);
}

/* Each kind has a track of its own below that of its thread, as kinds do not nest in each other. */
static uint64_t track_of_kind(struct perfetto_spans *spans, uint32_t thread,
			      const SptEventKind *kind)
{
	uint32_t *known = spt_pairs_at(&spans->kinds, spans->perfetto->first[thread],
				       spt_span_kind_number(kind));
	SptPerfettoTrack track = SPT_PERFETTO_TRACK__INIT;

	if (*known != UINT32_MAX)
		return track_number(SPT_PERFETTO_TRACK_KIND, *known);
	*known = (uint32_t)spans->kinds.n - 1;
	track.name = (char *)spt_span_kind_name(kind);
	return spt_perfetto_put_track(spans->perfetto, SPT_PERFETTO_TRACK_KIND, *known,
				      track_of_thread(spans, thread), &track);
}

/* Requests to a disk overlap: each has a track of its own, which are shown as few. */
static uint64_t track_of_overlapping(struct perfetto_spans *spans, const SptSpan *span)
{
	SptPerfettoTrack track = SPT_PERFETTO_TRACK__INIT;

	track.name = (char *)spt_span_kind_name(span->kind);
	return spt_perfetto_put_track(spans->perfetto, SPT_PERFETTO_TRACK_OVERLAPPING,
				      spans->n_overlapping++, track_of_thread(spans, span->thread),
				      &track);
}

/* Waits. */

static SptPerfettoTaskState perfetto_state(uint8_t state)
{
	switch (state) {
	case SPT_STATE_PREEMPTED:
	case SPT_STATE_WOKEN:
	case SPT_STATE_NEW:
		return SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_RUNNABLE;
	case SPT_STATE_DISK:
	case SPT_STATE_IOWAIT:
	case SPT_STATE_LOCK:
		return SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_SLEEPS_SOUNDLY;
	case SPT_STATE_STOPPED:
		return SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_STOPPED;
	default:
		return SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_SLEEPS;
	}
}

static const char *span_thread_name(const SptCapture *capture, uint32_t thread)
{
	const char *name = capture->threads[thread].name;

	return name && *name ? name : spt_process_label(spt_process_of_thread(capture, thread));
}

static void perfetto_put_state(struct perfetto_spans *spans, uint32_t thread, uint32_t cpu,
			       SptPerfettoTaskState state, uint64_t time)
{
	const SptCapture *capture = spans->perfetto->input->capture;
	g_autofree char *name = g_utf8_make_valid(span_thread_name(capture, thread), -1);
	SptPerfettoTask task = SPT_PERFETTO_TASK__INIT;
	SptPerfettoPacket packet = SPT_PERFETTO_PACKET__INIT;

	task.has_cpu = task.has_tid = task.has_state = true;
	task.cpu = (int32_t)cpu;
	task.comm = name;
	task.tid = capture->threads[thread].tid;
	task.state = state;
	packet.generic_kernel_task_state_event = &task;
	spt_perfetto_set_time(spans->perfetto, &packet, time);
	spt_perfetto_put(spans->perfetto, &packet);
}

static void perfetto_write_states(struct perfetto_spans *spans, const SptSpan *span)
{
	uint64_t end = span->begin_ns + span->duration_ns;
	SptPerfettoTaskState state = perfetto_state(span->state);

	perfetto_put_state(spans, span->thread, span->cpu_before, state, span->begin_ns);
	if (span->runnable_ns && state != SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_RUNNABLE)
		perfetto_put_state(spans, span->thread, span->cpu,
				   SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_RUNNABLE,
				   end - span->runnable_ns);
	if (!(span->flags & SPT_WAIT_CUT_END))
		perfetto_put_state(spans, span->thread, span->cpu,
				   SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_RUNNING, end);
}

/* The fields as one object of JSON, which Perfetto takes apart. */
static void perfetto_put_slice(struct perfetto_spans *spans, const SptSpan *span, uint64_t track,
			       const char *name)
{
	const char *kind = spt_span_kind_name(span->kind);
	g_autofree char *valid = g_utf8_make_valid(name, -1);
	SptPerfettoNote note = SPT_PERFETTO_NOTE__INIT, *notes = &note;
	SptPerfettoEvent event = SPT_PERFETTO_EVENT__INIT;

	g_string_printf(spans->fields, "{\"kind\":\"%s\"", kind);
	spt_span_append_fields(spans->perfetto->input->capture, span, spans->fields);
	g_string_append_c(spans->fields, '}');
	note.name = (char *)"fields";
	note.legacy_json_value = spans->fields->str;
	event.n_debug_annotations = event.n_categories = 1;
	event.debug_annotations = &notes;
	event.categories = (char **)&kind;
	event.name = valid;
	spt_perfetto_put_event(spans->perfetto, &event, span->duration_ns ? BEGIN : INSTANT, track,
			       span->begin_ns);
}

static void perfetto_end_slice(struct perfetto_spans *spans, uint64_t track, uint64_t time)
{
	SptPerfettoEvent event = SPT_PERFETTO_EVENT__INIT;

	spt_perfetto_put_event(spans->perfetto, &event, END, track, time);
}

/* The end of a wait in which its thread could run, and an arrow to it. */
static void perfetto_write_waking(struct perfetto_spans *spans, const SptSpan *span, uint64_t track)
{
	const SptCapture *capture = spans->perfetto->input->capture;
	uint64_t end = span->begin_ns + span->duration_ns, flow = ++spans->n_flows;
	SptPerfettoEvent wakes = SPT_PERFETTO_EVENT__INIT, runnable = SPT_PERFETTO_EVENT__INIT;

	runnable.name = (char *)"runnable";
	if (span->other && span->other < capture->n_threads) {
		g_autofree char *name = g_strdup_printf("wakes %s",
							span_thread_name(capture, span->thread)),
				*valid = g_utf8_make_valid(name, -1);

		spans->perfetto->is_seen[span->other] = true;
		wakes.name = valid;
		wakes.n_flow_ids = runnable.n_terminating_flow_ids = 1;
		wakes.flow_ids = runnable.terminating_flow_ids = &flow;
		spt_perfetto_put_event(spans->perfetto, &wakes, INSTANT,
				       track_of_thread(spans, span->other),
				       end - span->runnable_ns);
	}
	spt_perfetto_put_event(spans->perfetto, &runnable, BEGIN, track, end - span->runnable_ns);
	perfetto_end_slice(spans, track, end);
}

static void perfetto_write_wait(struct perfetto_spans *spans, const SptSpan *span)
{
	uint64_t track = track_of_kind(spans, span->thread, NULL);

	perfetto_write_states(spans, span);
	perfetto_put_slice(spans, span, track, spt_wait_state_name(span->state));
	if (span->runnable_ns && span->runnable_ns < span->duration_ns)
		perfetto_write_waking(spans, span, track);
	if (span->duration_ns)
		perfetto_end_slice(spans, track, span->begin_ns + span->duration_ns);
}

static void perfetto_write_event(struct perfetto_spans *spans, const SptSpan *span)
{
	bool overlaps = span->duration_ns && span->kind->detail == SPT_EVENT_DEPTH;
	uint64_t track = overlaps ? track_of_overlapping(spans, span) :
				    track_of_kind(spans, span->thread, span->kind);

	perfetto_put_slice(spans, span, track,
			   span->what ? span->what : spt_span_kind_name(span->kind));
	if (span->duration_ns)
		perfetto_end_slice(spans, track, span->begin_ns + span->duration_ns);
}

/* Names.  A process that execs has several; the last one counts. */

static void perfetto_write_thread(struct spt_perfetto *perfetto, uint32_t thread)
{
	const SptCapture *capture = perfetto->input->capture;
	const SptProcessRow *row = spt_process_of_thread(capture, thread);
	g_autofree char *label = g_utf8_make_valid(spt_process_label(row), -1),
			*name = g_utf8_make_valid(span_thread_name(capture, thread), -1);
	SptPerfettoProcess process = SPT_PERFETTO_PROCESS__INIT;
	SptPerfettoThread one = SPT_PERFETTO_THREAD__INIT;
	SptPerfettoTrack of_process = SPT_PERFETTO_TRACK__INIT, of_thread = of_process;
	uint32_t pid = row ? row->pid : 0;

	process.has_pid = one.has_pid = one.has_tid = true;
	process.pid = one.pid = (int32_t)pid;
	process.process_name = label;
	one.tid = capture->threads[thread].tid;
	one.thread_name = name;
	of_process.process = &process;
	of_thread.thread = &one;
	spt_perfetto_put_track(perfetto, SPT_PERFETTO_TRACK_THREAD, perfetto->first[thread],
			       spt_perfetto_put_track(perfetto, SPT_PERFETTO_TRACK_PROCESS, pid, 0,
						      &of_process),
			       &of_thread);
}

void spt_perfetto_write_spans(struct spt_perfetto *perfetto)
{
	const SptCapture *capture = perfetto->input->capture;
	g_autoptr(SptSpans) walk = spt_spans_new(capture, perfetto->input->filter);
	struct perfetto_spans spans = { .perfetto = perfetto, .fields = g_string_new(NULL) };
	SptSpan span;

	while (spt_spans_next(walk, &span)) {
		if (span.thread >= capture->n_threads)
			continue;
		perfetto->is_seen[span.thread] = true;
		if (span.kind)
			perfetto_write_event(&spans, &span);
		else
			perfetto_write_wait(&spans, &span);
	}
	for (uint32_t i = 0; i < capture->n_threads; i++)
		if (perfetto->is_seen[i])
			perfetto_write_thread(perfetto, i);
	spt_pairs_clear(&spans.kinds);
	g_string_free(spans.fields, TRUE);
}

#endif

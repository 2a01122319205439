/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subject of an event is at the top of its stack: the handler of an interrupt, as if the
 * interrupted code had called it.
 */
#include "record/events.h"

#include <string.h>

#include "record/event-pairs.h"
#include "record/recorder-private.h"

const struct sysprof_part *spt_event_part(const struct sysprof_event *event, unsigned type)
{
	const __u64 *words = (const __u64 *)event;
	size_t at = sizeof(*event) / 8 + event->n_kernel + event->n_user, size = event->record.size;

	for (unsigned left = event->n_parts; left && at < size; left--) {
		const struct sysprof_part *part = (const void *)(words + at);

		if (!part->size || part->size > size - at)
			break;
		if (part->type == type)
			return part;
		at += part->size;
	}
	return NULL;
}

struct sysprof_sample *spt_event_sample(const struct sysprof_event *event)
{
	const struct sysprof_part *raw = spt_event_part(event, SYSPROF_PART_RAW);
	size_t frames = ((size_t)event->n_kernel + event->n_user) * sizeof(event->frames[0]),
	       raw_bytes = raw ? (raw->size - 1u) * 8u : 0;
	struct sysprof_sample *sample = g_malloc(sizeof(*sample) + frames + raw_bytes);

	*sample = (struct sysprof_sample){
		.record = event->record,
		.mm = event->mm,
		.n_kernel = event->n_kernel,
		.n_user = event->n_user,
		.kernel_end = event->kernel_end,
		.user_end = event->user_end,
		.user_mode = event->user_mode,
		.raw_bytes = raw_bytes,
	};
	sample->record.type = SYSPROF_SAMPLE;
	sample->record.size = (sizeof(*sample) + frames + raw_bytes) / 8;
	memcpy(sample->frames, event->frames, frames);
	if (raw)
		memcpy((uint8_t *)sample->frames + frames, raw + 1, raw_bytes);
	return sample;
}

/* Of one that is taken as a whole. */
static G_GNUC_NO_INLINE uint32_t events_whole_node(SptRecorder *recorder,
						   const struct sysprof_event *event,
						   const SptThread *thread)
{
	g_autofree struct sysprof_sample *sample = NULL;

	event = (const void *)spt_trace_whole(recorder->trace, &event->record);
	if (!event->n_kernel && !event->n_user && !spt_event_part(event, SYSPROF_PART_RAW)) {
		/* It has no span, either: not that of the stack before. */
		if (recorder->contexts)
			spt_contexts_none(recorder->contexts);
		return 0;
	}
	sample = spt_event_sample(event);
	return spt_recorder_node(recorder, sample, thread);
}

uint32_t spt_event_node(SptRecorder *recorder, const struct sysprof_event *event,
			const SptThread *thread)
{
	const SptOuter *outer =
		recorder->once ? spt_once_outer(recorder->once, &event->record) : NULL;
	SptStackView view;
	uint32_t node;

	if (!outer)
		return events_whole_node(recorder, event, thread);
	/* One whose outer frames have a number is never a copy. */
	view = (SptStackView){
		.record = &event->record,
		.frames = event->frames,
		.mm = event->mm,
		.n_kernel = event->n_kernel,
		.n_user = event->n_user,
		.user_mode = event->user_mode,
		.user_end = event->user_end,
	};
	if (!spt_recorder_node_by_outer(recorder, &view, outer, thread->name, &node))
		return events_whole_node(recorder, event, thread);
	thread->process->has_run = true;
	return node;
}

uint32_t spt_event_placed(SptRecorder *recorder, uint32_t node, uint32_t object, uint64_t offset)
{
	unsigned number;
	SptStash *stash = spt_output_stash(recorder->output, &number);
	const SptFrame frame = { .object = object, .offset = offset, .kind = SPT_FRAME_EXACT };

	return spt_stash_child(stash, node, &frame);
}

uint32_t spt_event_named(SptRecorder *recorder, uint32_t node, const char *name)
{
	return spt_event_placed(recorder, node, SPT_STACKS_NAMED,
				spt_output_named(recorder->output, name));
}

/* The part of an event's weight that belongs to its value. */
static uint64_t events_weight_of(const struct sysprof_event *event, const SptTraceEvents *source)
{
	uint64_t ns = event->weight * source->period;

	if (!source->period)
		return event->value;
	if (!event->duration || event->value >= event->duration)
		return ns;
	return (uint64_t)((long double)ns * event->value / event->duration);
}

static void set_interrupt(SptRecorder *recorder, const struct sysprof_event *event,
			  const SptTraceEvents *source, SptEventRow *row)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_IRQ);
	const struct sysprof_part_irq *irq = (const void *)part;
	g_autofree char *name = NULL;

	(void)source;
	if (!part || part->size * 8u < sizeof(*irq))
		return;
	name = *irq->name ? g_utf8_make_valid(irq->name, strnlen(irq->name, sizeof(irq->name))) :
			    g_strdup_printf("interrupt %u", irq->vector);
	row->node = spt_event_named(recorder, row->node, name);
}

static const char *lock_name(unsigned kind)
{
	static const char *const names[] = {
		[SYSPROF_LOCK_SPIN] = "spin lock",	[SYSPROF_LOCK_RWLOCK] = "rwlock",
		[SYSPROF_LOCK_MUTEX] = "mutex",		[SYSPROF_LOCK_RWSEM] = "rwsem",
		[SYSPROF_LOCK_PERCPU] = "percpu-rwsem", [SYSPROF_LOCK_RT] = "rt_mutex",
	};

	return kind < G_N_ELEMENTS(names) && names[kind] ? names[kind] : "lock";
}

/* A static lock has a symbol in the kernel; of others only the kind is known. */
static uint32_t lock_node(SptRecorder *recorder, const struct sysprof_part_lock *lock,
			  uint32_t node)
{
	if (!lock->lock)
		return spt_event_named(recorder, node, lock_name(lock->part.a));
	return spt_event_placed(recorder, node, lock->lock >> SYSPROF_FRAME_OBJECT_SHIFT,
				lock->lock & SYSPROF_FRAME_OFFSET_MASK);
}

/* The lock is on top of both stacks: the waiter's, and the holder's, which can be missing. */
static void set_lock(SptRecorder *recorder, const struct sysprof_event *event,
		     const SptTraceEvents *source, SptEventRow *row)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_LOCK);
	const struct sysprof_part_lock *lock = (const void *)part;
	bool is_wanted;

	(void)source;
	if (!part || part->size * 8u < sizeof(*lock))
		return;
	if (lock->holder_tid)
		row->holder = spt_waits_thread_of(recorder, lock->holder_tid, &is_wanted);
	spt_waits_hold(recorder, event->key, &row->holder_node, &row->holder);
	row->node = lock_node(recorder, lock, row->node);
	row->holder_node = lock_node(recorder, lock, row->holder_node);
}

/* What the kind's own value says of a part. */
static void set_subject(SptRecorder *recorder, const struct sysprof_event *event,
			const SptEventSubject *subject, SptEventRow *row)
{
	const struct sysprof_part *part = spt_event_part(event, subject->part);
	g_autofree char *text = NULL;
	const char *name = NULL;

	if (part && subject->prefix)
		name = text = g_strdup_printf("%s%u", subject->prefix, part->a);
	else if (part && part->a < subject->n_names)
		name = subject->names[part->a];
	if (name)
		row->node = spt_event_named(recorder, row->node, name);
}

static void set_file(SptRecorder *recorder, const struct sysprof_event *event,
		     const SptTraceEvents *source, SptEventRow *row)
{
	(void)source;
	row->node = spt_event_pairs_file_node(recorder->pairs, recorder, event, row->node);
}

static void set_fault(SptRecorder *recorder, const struct sysprof_event *event,
		      const SptTraceEvents *source, SptEventRow *row)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_FAULT);

	(void)recorder;
	row->flags = part ? (uint8_t)part->a : 0;
	row->weight = event->weight * MAX(source->period, 1);
	row->value = event->duration * row->weight;
}

/* Kinds that are not here have rows with their stacks, and the subjects that they name. */
static const SptEventIntake intakes[] = {
	[SYSPROF_SOURCE_WAIT] = { .take = spt_waits_take_wait },
	[SYSPROF_SOURCE_WAKE] = { .take = spt_waits_take_wake },
	[SYSPROF_SOURCE_HOLD] = { .take = spt_waits_take_wake },
	[SYSPROF_SOURCE_IRQ] = { .subject = set_interrupt },
	[SYSPROF_SOURCE_SOFTIRQ] = { .subject = set_interrupt },
	[SYSPROF_SOURCE_LOCK] = { .subject = set_lock },
	[SYSPROF_SOURCE_PAGE_CACHE] = { .subject = set_file },
	[SYSPROF_SOURCE_FAULT] = { .subject = set_fault },
	[SYSPROF_SOURCE_SLAB] = { .layer = SPT_ALLOCATION_SLAB },
	[SYSPROF_SOURCE_SLAB_FREE] = { .layer = SPT_ALLOCATION_SLAB },
	[SYSPROF_SOURCE_PAGE] = { .layer = SPT_ALLOCATION_PAGE },
	[SYSPROF_SOURCE_PAGE_FREE] = { .layer = SPT_ALLOCATION_PAGE },
	[SYSPROF_SOURCE_PERCPU] = { .layer = SPT_ALLOCATION_PERCPU },
	[SYSPROF_SOURCE_PERCPU_FREE] = { .layer = SPT_ALLOCATION_PERCPU },
	[SYSPROF_SOURCE_VMALLOC] = { .layer = SPT_ALLOCATION_AREA },
	[SYSPROF_SOURCE_VMALLOC_FREE] = { .layer = SPT_ALLOCATION_AREA },
};

const SptEventIntake *spt_event_intake(uint16_t kind)
{
	static const SptEventIntake none;

	return kind < G_N_ELEMENTS(intakes) ? &intakes[kind] : &none;
}

/* These two are not inline: what they need of the stack is more than waits do. */
static G_GNUC_NO_INLINE void take_event_row(SptRecorder *recorder,
					    const struct sysprof_event *event,
					    const SptTraceEvents *source,
					    const SptEventIntake *intake)
{
	const struct sysprof_record *record = &event->record;
	const SptEventKind *kind = spt_event_kind_of(source->kind);
	const SptThread *thread = spt_tasks_sampled(recorder->tasks, record->pid, record->tid,
						    event->mm, record->time);
	SptEventRow row = {
		.time = event->begin + event->duration,
		.duration_ns = event->duration,
		.weight = events_weight_of(event, source),
		.cpu = record->cpu,
		.thread = thread->id,
		.kind = source->kind,
		.context = event->state,
	};

	if (!source->kind)
		return;
	if (event->phase == SYSPROF_PHASE_CLOSE) {
		spt_event_pairs_close(recorder->pairs, recorder, event, source);
		return;
	}
	if (recorder->filters_pids && !thread->process->is_wanted)
		return;
	spt_recorder_get_to_know(recorder, thread->process);
	row.node = spt_event_node(recorder, event, thread);
	if (intake->subject)
		intake->subject(recorder, event, source, &row);
	else if (kind && kind->subject)
		set_subject(recorder, event, kind->subject, &row);
	recorder->status.events++;
	if (event->phase == SYSPROF_PHASE_OPEN)
		spt_event_pairs_open(recorder->pairs, recorder, event, source, &row);
	else
		spt_output_put(recorder->output, SPT_ROW_EVENT, &row);
}

/* As perf events report it, whose stacks are whole. */
static G_GNUC_NO_INLINE void take_point(SptRecorder *recorder, const struct sysprof_event *event,
					unsigned point)
{
	const struct sysprof_event *whole =
		(const void *)spt_trace_whole(recorder->trace, &event->record);
	g_autofree struct sysprof_sample *sample = spt_event_sample(whole);
	SptTraceHit hit = {
		.record = event->record,
		.point = point,
		.mm = event->mm,
		.stack = sample,
	};

	hit.record.type = SPT_TRACE_HIT;
	hit.record.time = event->begin;
	spt_recorder_take_hit(recorder, &hit);
}

void spt_events_take(SptRecorder *recorder, const struct sysprof_event *event)
{
	static const SptTraceEvents nothing;
	const SptTraceEvents *source = event->source < recorder->n_sources ?
					       &recorder->sources[event->source] : &nothing;
	const SptEventIntake *intake = spt_event_intake(source->kind);

	if (source->point)
		take_point(recorder, event, source->point - 1);
	else if (intake->take)
		intake->take(recorder, event);
	else
		take_event_row(recorder, event, source, intake);
}

void spt_events_finish(SptRecorder *recorder)
{
	g_autofree char *limited = spt_trace_limited(recorder->trace, recorder->start_ns);

	if (!limited)
		return;
	recorder->status.limited = g_intern_string(limited);
	spt_recorder_note(recorder, "limited", limited);
}

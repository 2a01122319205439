/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subject of an event is at the top of its stack: the handler of an interrupt, as if the
 * interrupted code had called it.
 */
#include "record/events.h"

#include <string.h>

#include "record/opens.h"
#include "record/recorder-private.h"

const struct sysprof_part *spt_event_part(const struct sysprof_event *event, unsigned type)
{
	const __u64 *at = event->frames + event->n_kernel + event->n_user,
		    *end = (const __u64 *)event + event->record.size;

	for (unsigned i = 0; i < event->n_parts && at < end; i++) {
		const struct sysprof_part *part = (const void *)at;

		if (!part->size || part->size > end - at)
			break;
		if (part->type == type)
			return part;
		at += part->size;
	}
	return NULL;
}

/* The event's stack as if a tick had found it; to be freed. */
static struct sysprof_sample *sample_of(const struct sysprof_event *event)
{
	const struct sysprof_part *raw = spt_event_part(event, SYSPROF_PART_RAW);
	size_t frames = ((size_t)event->n_kernel + event->n_user) * sizeof(event->frames[0]),
	       raw_bytes = raw ? (raw->size - 1u) * 8u : 0;
	struct sysprof_sample *sample = g_malloc0(sizeof(*sample) + frames + raw_bytes);

	sample->record = event->record;
	sample->record.type = SYSPROF_SAMPLE;
	sample->record.size = (sizeof(*sample) + frames + raw_bytes) / 8;
	sample->mm = event->mm;
	sample->raw_bytes = raw_bytes;
	sample->n_kernel = event->n_kernel;
	sample->n_user = event->n_user;
	sample->kernel_end = event->kernel_end;
	sample->user_end = event->user_end;
	sample->user_mode = event->user_mode;
	memcpy(sample->frames, event->frames, frames);
	if (raw)
		memcpy((uint8_t *)sample->frames + frames, raw + 1, raw_bytes);
	return sample;
}

uint32_t spt_event_node(SptRecorder *recorder, const struct sysprof_event *event,
			const SptThread *thread)
{
	g_autofree struct sysprof_sample *sample = sample_of(event);

	if (!sample->n_kernel && !sample->n_user && !sample->raw_bytes)
		return 0;
	return spt_recorder_node(recorder, sample, thread);
}

uint32_t spt_event_named(SptRecorder *recorder, uint32_t node, const char *name)
{
	unsigned number;
	SptStash *stash = spt_output_stash(recorder->output, &number);
	const SptFrame frame = { .object = SPT_STACKS_NAMED,
				 .offset = spt_output_named(recorder->output, name),
				 .kind = SPT_FRAME_EXACT };

	return spt_stash_child(stash, node, &frame);
}

/* The part of an event's weight that belongs to its value. */
static uint64_t weight_of(const struct sysprof_event *event, const SptTraceEvents *source)
{
	uint64_t ns = event->weight * source->period;

	if (!source->period)
		return event->value;
	if (!event->duration || event->value >= event->duration)
		return ns;
	return (uint64_t)((long double)ns * event->value / event->duration);
}

static uint32_t interrupt_node(SptRecorder *recorder, const struct sysprof_event *event,
			       uint32_t node)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_IRQ);
	const struct sysprof_part_irq *irq = (const void *)part;
	g_autofree char *name = NULL;

	if (!part || part->size * 8u < sizeof(*irq))
		return node;
	name = *irq->name ? g_utf8_make_valid(irq->name, strnlen(irq->name, sizeof(irq->name))) :
			    g_strdup_printf("interrupt %u", irq->vector);
	return spt_event_named(recorder, node, name);
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
	SptFrame frame = { .kind = SPT_FRAME_EXACT };
	unsigned number;

	if (!lock->lock)
		return spt_event_named(recorder, node, lock_name(lock->part.a));
	frame.object = lock->lock >> SYSPROF_FRAME_OBJECT_SHIFT;
	frame.offset = lock->lock & SYSPROF_FRAME_OFFSET_MASK;
	return spt_stash_child(spt_output_stash(recorder->output, &number), node, &frame);
}

/* The lock is on top of both stacks: the waiter's, and the holder's, which can be missing. */
static void set_lock(SptRecorder *recorder, const struct sysprof_event *event, SptEventRow *row)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_LOCK);
	const struct sysprof_part_lock *lock = (const void *)part;
	bool is_wanted;

	if (!part || part->size * 8u < sizeof(*lock))
		return;
	if (lock->holder_tid)
		row->holder = spt_waits_thread_of(recorder, lock->holder_tid, &is_wanted);
	spt_waits_hold(recorder, event->key, &row->holder_node, &row->holder);
	row->node = lock_node(recorder, lock, row->node);
	row->holder_node = lock_node(recorder, lock, row->holder_node);
}

static uint32_t stall_node(SptRecorder *recorder, const struct sysprof_event *event, uint32_t node)
{
	static const char *const names[] = {
		[SYSPROF_STALL_RECLAIM] = "reclaim",
		[SYSPROF_STALL_GROUP] = "reclaim in a cgroup",
		[SYSPROF_STALL_COMPACTION] = "compaction",
	};
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_STALL);

	if (!part || part->a >= G_N_ELEMENTS(names) || !names[part->a])
		return node;
	return spt_event_named(recorder, node, names[part->a]);
}

static uint32_t fragment_node(SptRecorder *recorder, const struct sysprof_event *event,
			      uint32_t node)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_FRAGMENT);
	g_autofree char *name = NULL;

	if (!part)
		return node;
	name = g_strdup_printf("order %u", part->a);
	return spt_event_named(recorder, node, name);
}

static void set_fault(const struct sysprof_event *event, const SptTraceEvents *source,
		      SptEventRow *row)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_FAULT);

	row->flags = part ? (uint8_t)part->a : 0;
	row->weight = event->weight * MAX(source->period, 1);
	row->value = event->duration * row->weight;
}

void spt_events_take(SptRecorder *recorder, const struct sysprof_event *event,
		     const SptTraceEvents *source)
{
	const struct sysprof_record *record = &event->record;
	const SptThread *thread = spt_tasks_sampled(recorder->tasks, record->pid, record->tid,
						    event->mm, record->time);
	SptEventRow row = {
		.time = event->begin + event->duration,
		.duration_ns = event->duration,
		.weight = weight_of(event, source),
		.cpu = record->cpu,
		.thread = thread->id,
		.kind = source->kind,
		.context = event->state,
	};

	if (!source->kind)
		return;
	if (event->phase == SYSPROF_PHASE_CLOSE) {
		spt_opens_close(recorder->opens, recorder, event, source);
		return;
	}
	if (recorder->filters_pids && !thread->process->is_wanted)
		return;
	spt_recorder_get_to_know(recorder, thread->process);
	row.node = spt_event_node(recorder, event, thread);
	if (source->kind == SYSPROF_SOURCE_IRQ || source->kind == SYSPROF_SOURCE_SOFTIRQ)
		row.node = interrupt_node(recorder, event, row.node);
	else if (source->kind == SYSPROF_SOURCE_LOCK)
		set_lock(recorder, event, &row);
	else if (source->kind == SYSPROF_SOURCE_STALL)
		row.node = stall_node(recorder, event, row.node);
	else if (source->kind == SYSPROF_SOURCE_FRAGMENT)
		row.node = fragment_node(recorder, event, row.node);
	else if (source->kind == SYSPROF_SOURCE_PAGE_CACHE)
		row.node = spt_opens_file_node(recorder->opens, recorder, event, row.node);
	else if (source->kind == SYSPROF_SOURCE_FAULT)
		set_fault(event, source, &row);
	recorder->status.events++;
	if (event->phase == SYSPROF_PHASE_OPEN)
		spt_opens_open(recorder->opens, recorder, event, source, &row);
	else
		spt_output_put(recorder->output, SPT_ROW_EVENT, &row);
}

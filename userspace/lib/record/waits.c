/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A WAKE comes before the wait that it ended, and is kept until then.  So is the HOLD of a wait for
 * a lock, which several waits can have.  A source may sum up a thread since before the recording:
 * the first sum of such a thread is subtracted from all later ones.
 */
#include "record/waits.h"

#include <string.h>

#include "capture/format.h"
#include "events/event.h"
#include "record/events.h"
#include "record/recorder-private.h"
#include "record/wakes.h"
#include "trace/points/point.h"

/* The latest thread of a tid. */
struct known {
	uint32_t id;
	bool is_wanted;
};

/* The first sums of a thread. */
struct baseline {
	uint32_t tid;
	struct sysprof_thread record;
};

struct SptWaits {
	bool is_ending;
	unsigned n_cpus, n_kinds;
	uint64_t *lost, *cost_ns;	/* by kind of source and CPU, as of its last account */
	GHashTable *known;		/* tid -> struct known */
	SptWakes *wakes;		/* also of HOLDs */
	GHashTable *baselines;		/* tid -> struct baseline */
};

SptWaits *spt_waits_new(unsigned n_cpus)
{
	SptWaits *waits = g_new0(SptWaits, 1);

	waits->n_cpus = n_cpus;
	waits->n_kinds = spt_event_kind_numbers();
	waits->lost = g_new0(uint64_t, (size_t)n_cpus * waits->n_kinds);
	waits->cost_ns = g_new0(uint64_t, (size_t)n_cpus * waits->n_kinds);
	waits->known = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	waits->wakes = spt_wakes_new();
	waits->baselines = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	return waits;
}

void spt_waits_free(SptWaits *waits)
{
	if (!waits)
		return;
	g_hash_table_unref(waits->known);
	spt_wakes_free(waits->wakes);
	g_hash_table_unref(waits->baselines);
	g_free(waits->lost);
	g_free(waits->cost_ns);
	g_free(waits);
}

static void waits_thread(void *part, const SptThread *thread)
{
	SptWaits *waits = part;
	struct known *known = g_hash_table_lookup(waits->known, GUINT_TO_POINTER(thread->tid));

	if (!known) {
		known = g_new0(struct known, 1);
		g_hash_table_insert(waits->known, GUINT_TO_POINTER(thread->tid), known);
	}
	*known = (struct known){ thread->id, thread->process->is_wanted };
}

void spt_waits_end(SptWaits *waits)
{
	waits->is_ending = true;
}

uint32_t spt_waits_thread_of(SptRecorder *recorder, uint32_t tid, bool *ret_is_wanted)
{
	const SptThread *thread = spt_tasks_find(recorder->tasks, tid);
	const struct known *known;

	if (thread) {
		*ret_is_wanted = !recorder->filters_pids || thread->process->is_wanted;
		return thread->id;
	}
	known = g_hash_table_lookup(recorder->waits->known, GUINT_TO_POINTER(tid));
	*ret_is_wanted = !recorder->filters_pids || (known && known->is_wanted);
	return known ? known->id : 0;
}

/* Events. */

void spt_waits_take_wake(SptRecorder *recorder, const struct sysprof_event *event)
{
	const struct sysprof_record *record = &event->record;
	const SptThread *thread = spt_tasks_sampled(recorder->tasks, record->pid, record->tid,
						    event->mm, record->time);
	SptWake wake = { .key = event->key, .thread = thread->id };

	wake.node = spt_event_node(recorder, event, thread);
	wake.stash_number = recorder->stash_number;
	/* A waker that the module hides is not the idle task. */
	if (!record->tid && event->state == SYSPROF_CONTEXT_TASK)
		wake.thread = 0;
	spt_wakes_put(recorder->waits->wakes, &wake);
}

bool spt_waits_hold(SptRecorder *recorder, uint64_t key, uint32_t *ret_node, uint32_t *ret_thread)
{
	const SptWake *hold = key ? spt_wakes_find(recorder->waits->wakes, key) : NULL;

	if (!hold || hold->stash_number != recorder->stash_number)
		return false;
	*ret_node = hold->node;
	*ret_thread = hold->thread;
	return true;
}

/* The thread that ended it, if it is known. */
static void find_waker(SptRecorder *recorder, const struct sysprof_part_wait *part, SptWaitRow *row)
{
	SptWake wake;
	bool has_wake = part->wake && spt_wakes_take(recorder->waits->wakes, part->wake, &wake),
	     is_wanted;

	row->waker_context = part->part.a;
	if (part->part.a == SYSPROF_CONTEXT_TASK && part->waker_tid)
		row->waker = spt_waits_thread_of(recorder, part->waker_tid, &is_wanted);
	else if (part->part.a == SYSPROF_CONTEXT_TASK && has_wake)
		row->waker = wake.thread;
	/* Nodes of an earlier stash are invalid. */
	if (has_wake && wake.stash_number == recorder->stash_number)
		row->waker_node = wake.node;
}

/*
 * The command's first process waited for the recorder before it executed anything.  That is none of
 * the command's waits, but how long it was then ready to run is.  False: nothing remains.
 */
static bool leave_out_recorder(const SptRecorder *recorder, const struct sysprof_event *event,
			       SptWaitRow *row)
{
	if (event->record.tid != recorder->command_pid ||
	    event->begin >= recorder->command_begin_ns)
		return true;
	row->duration_ns = row->runnable_ns;
	row->weight_ns = MIN(row->weight_ns, row->runnable_ns);
	return row->duration_ns > 0;
}

void spt_waits_take_wait(SptRecorder *recorder, const struct sysprof_event *event)
{
	const struct sysprof_record *record = &event->record;
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_WAIT);
	const SptThread *thread = spt_tasks_sampled(recorder->tasks, record->pid, record->tid,
						    event->mm, record->time);
	uint64_t period_ns = recorder->config.waits.period_ns;
	SptWaitRow row = {
		.time = event->begin + event->duration,
		.duration_ns = event->duration,
		.runnable_ns = event->duration - MIN(event->value, event->duration),
		.weight_ns = period_ns ? event->weight * period_ns : event->duration,
		.cpu = record->cpu,
		.thread = thread->id,
		.state = event->state,
	};

	if ((recorder->filters_pids && !thread->process->is_wanted) || recorder->status.has_calls)
		return;
	spt_recorder_get_to_know(recorder, thread->process);
	if (record->flags & SYSPROF_EVENT_CUT_BEGIN)
		row.flags |= SPT_WAIT_CUT_BEGIN;
	if (record->flags & SYSPROF_EVENT_NO_WAKE)
		row.flags |= SPT_WAIT_NO_WAKING;
	row.node = spt_event_node(recorder, event, thread);
	if (part && part->size * 8u >= sizeof(struct sysprof_part_wait)) {
		const struct sysprof_part_wait *wait = (const void *)part;

		row.cpu_before = wait->cpu_before;
		find_waker(recorder, wait, &row);
		if (part->b != SYSPROF_CALL_OTHER)
			row.node = spt_event_pairs_call_node(recorder->pairs, recorder, record->pid,
							     part, row.node);
	}
	if (!leave_out_recorder(recorder, event, &row))
		return;
	spt_output_put(recorder->output, SPT_ROW_WAIT, &row);
	if (recorder->contexts)
		spt_contexts_put(recorder->contexts, true, row.time, row.cpu, row.thread, row.node,
				 row.weight_ns);
	recorder->status.waits++;
}

/* Sums. */

/* Sums of the source from before the recording. */
static const struct sysprof_thread *baseline_of(SptRecorder *recorder,
						const struct sysprof_thread *record)
{
	GHashTable *baselines = recorder->waits->baselines;
	uint32_t tid = record->record.tid;
	struct baseline *known = g_hash_table_lookup(baselines, GUINT_TO_POINTER(tid));

	if (record->since >= recorder->begin_ns)
		return NULL;
	if (known && known->record.start_time == record->start_time &&
	    known->record.since == record->since)
		return &known->record;
	known = g_new0(struct baseline, 1);
	*known = (struct baseline){ tid, *record };
	g_hash_table_insert(baselines, GUINT_TO_POINTER(tid), known);
	return &known->record;
}

/* A wait that has not ended is no event, and the thread's stack was not reported. */
static void put_open_wait(SptRecorder *recorder, const struct sysprof_thread *record,
			  uint32_t thread, uint64_t begin)
{
	uint64_t duration_ns = record->at - begin;
	bool is_blocked = record->state >= SYSPROF_STATE_SLEEP &&
			  record->state <= SYSPROF_STATE_OTHER;
	SptWaitRow row = {
		.time = record->at,
		.duration_ns = duration_ns,
		.runnable_ns = is_blocked ? 0 : duration_ns,
		.weight_ns = duration_ns,
		.cpu = record->record.cpu,
		.cpu_before = record->record.cpu,
		.thread = thread,
		.state = record->state,
		.flags = SPT_WAIT_CUT_END | (begin > record->state_since ? SPT_WAIT_CUT_BEGIN : 0),
	};

	spt_output_put(recorder->output, SPT_ROW_WAIT, &row);
	recorder->status.waits++;
}

static void take_thread(SptRecorder *recorder, const struct sysprof_thread *record)
{
	static const struct sysprof_thread none;
	const uint64_t begin = MAX(record->state_since, recorder->begin_ns);
	bool is_wanted;
	uint32_t thread = spt_waits_thread_of(recorder, record->record.tid, &is_wanted);
	const struct sysprof_thread *from = baseline_of(recorder, record);
	SptThreadTimeRow row = {
		.time = record->at,
		.since = from ? from->at : record->since,
		.thread = thread,
		.has_begin = !(record->flags & SYSPROF_THREAD_FOUND) && !from,
		.has_end = record->flags & SYSPROF_THREAD_ENDED,
		.longest_ns = record->longest,
	};

	G_STATIC_ASSERT(SPT_THREAD_STATES == SYSPROF_STATES);
	if (!thread || !is_wanted)
		return;
	if (recorder->waits->is_ending && record->state != SYSPROF_STATE_RUNNING &&
	    record->state < SYSPROF_STATE_UNKNOWN && record->at > begin)
		put_open_wait(recorder, record, thread, begin);
	if (from == record || (from && from->at >= record->at))
		return;
	if (!from)
		from = &none;
	for (unsigned i = 0; i < SPT_THREAD_STATES; i++)
		row.ns[i] = record->ns[i] - from->ns[i];
	row.voluntary = record->voluntary - from->voluntary;
	row.involuntary = record->involuntary - from->involuntary;
	row.wakes = record->wakes - from->wakes;
	spt_output_put(recorder->output, SPT_ROW_THREAD_TIME, &row);
}

/* Lanes. */

static void waits_put_lane(SptRecorder *recorder, uint32_t cpu, uint64_t time, uint32_t tid,
			   uint8_t state)
{
	bool is_wanted;
	SptLaneRow row = { .time = time, .cpu = cpu, .state = state };

	row.thread = tid ? spt_waits_thread_of(recorder, tid, &is_wanted) : 0;
	if (tid && !is_wanted)
		row.thread = 0;
	spt_output_put(recorder->output, SPT_ROW_LANE, &row);
}

static void take_lane(SptRecorder *recorder, const struct sysprof_lane *lane)
{
	uint64_t time = lane->begin;
	unsigned most = (lane->record.size * 8u - sizeof(*lane)) / sizeof(lane->entries[0]);

	if (lane->record.flags & SYSPROF_LANE_GAP)
		waits_put_lane(recorder, lane->record.cpu, time, lane->tid, SYSPROF_STATE_UNKNOWN);
	for (unsigned i = 0; i < MIN(lane->n, most); i++) {
		uint64_t entry = lane->entries[i];

		time += entry >> SYSPROF_LANE_NS_SHIFT;
		waits_put_lane(recorder, lane->record.cpu, time, entry & SYSPROF_LANE_TID_MASK,
			       entry >> SYSPROF_LANE_STATE_SHIFT &
				       ((1u << (SYSPROF_LANE_NS_SHIFT - SYSPROF_LANE_STATE_SHIFT)) -
					1));
	}
}

/* Accounts. */

static SptTally tally_of(const struct sysprof_tally *from)
{
	return (SptTally){ from->events, from->value, from->ns, from->weight };
}

/* Accounts are sums since the start. */
static void count_lost(uint64_t *sum, uint64_t *of_cpu, const SptSourceAccountRow *row)
{
	uint64_t lost = 0;

	for (unsigned i = SPT_TALLY_LOST; i < SPT_TALLIES; i++)
		lost += row->tallies[i].events;
	*sum += lost - *of_cpu;
	*of_cpu = lost;
}

static void waits_take_account(SptRecorder *recorder,
			       const struct sysprof_source_account_record *record)
{
	const struct sysprof_source_account *from = &record->account;
	uint64_t *lost, *cost_ns;
	SptSourceAccountRow row = {
		.time = record->record.time,
		.cpu = record->record.cpu,
		.kind = record->kind,
		.cost_ns = from->cost_ns,
		.calls = from->calls,
		.tallies = {
			[SPT_TALLY_SEEN] = tally_of(&from->seen),
			[SPT_TALLY_DELIVERED] = tally_of(&from->delivered),
			[SPT_TALLY_NOT_PICKED] = tally_of(&from->not_picked),
			[SPT_TALLY_BELOW] = tally_of(&from->below),
			[SPT_TALLY_EXCLUDED] = tally_of(&from->excluded),
		},
	};

	G_STATIC_ASSERT(SPT_TALLIES == SPT_TALLY_LOST + SYSPROF_LOST_REASONS);
	if (record->kind == SYSPROF_SOURCE_WAIT && recorder->status.has_calls)
		return;
	for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
		row.tallies[SPT_TALLY_LOST + i] = tally_of(&from->lost[i]);
	if (recorder->hits && spt_point_name_of_source(record->kind)) {
		spt_hits_account(recorder->hits, &row);
		return;
	}
	spt_output_put(recorder->output, SPT_ROW_SOURCE_ACCOUNT, &row);
	if (record->record.cpu >= recorder->waits->n_cpus ||
	    record->kind >= recorder->waits->n_kinds)
		return;
	lost = &recorder->waits->lost[record->kind * recorder->waits->n_cpus + record->record.cpu];
	cost_ns = &recorder->waits->cost_ns[lost - recorder->waits->lost];
	recorder->status.hooks_ns += from->cost_ns - *cost_ns;
	*cost_ns = from->cost_ns;
	if (record->kind == SYSPROF_SOURCE_WAIT)
		count_lost(&recorder->status.waits_lost, lost, &row);
	else if (record->kind > SYSPROF_SOURCE_LANE)
		count_lost(&recorder->status.events_lost, lost, &row);
}

bool spt_waits_take(SptRecorder *recorder, const struct sysprof_record *record)
{
	switch (record->type) {
	case SYSPROF_THREAD:
		take_thread(recorder, (const struct sysprof_thread *)record);
		return true;
	case SYSPROF_LANE:
		take_lane(recorder, (const struct sysprof_lane *)record);
		return true;
	case SYSPROF_SOURCE_ACCOUNT:
		waits_take_account(recorder, (const struct sysprof_source_account_record *)record);
		return true;
	default:
		return false;
	}
}

const SptStage spt_waits_stage = {
	.thread = waits_thread,
	.free = (GDestroyNotify)spt_waits_free,
};

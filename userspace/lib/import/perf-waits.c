/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf-waits.h"

#include <string.h>

#include "import/import.h"
#include "import/stacks.h"
#include "record/events.h"
#include "trace/perf/waits.h"

/* Limit of wakings whose wait was lost. */
#define MOST_WAKES   65536u
/* Of prev_state: the thread could go on. */
#define STATE_BITS   0xffu
/* Hits of which one may lack the one before it. */
#define PARTIAL_PART 16
#define SCHED_SWITCH "sched:sched_switch"
#define SCHED_WAKING "sched:sched_waking"
/* Comes later, on another CPU perhaps; it is taken where the file has no other. */
#define SCHED_WAKEUP "sched:sched_wakeup"

struct wake {
	uint64_t key;
	uint32_t node, thread;
};

/* A hit of context-switches. */
struct import_switch {
	uint64_t time;
	uint64_t n_gaps;		/* the waits' by then; else it is not the last one */
	uint32_t tid;
	bool has_next;			/* who came then is known, too */
};

struct SptImportPerfWaits {
	SptImportPerfCapture *capture;
	const SptPerfData *data;
	SptPerfRecords *records;
	SptPerfWaits *waits;		/* NULL: nothing of the scheduler was seen yet */
	struct spt_perf_tracepoints points;
	uint32_t next_at;		/* where sched_switch has the next thread; 0: not known */
	bool has_records;		/* the kernel's records of switches */
	bool is_of_cpus;		/* all threads of the CPUs are in it */
	unsigned n_cpus;		/* the highest one that something happened on, and one */
	struct import_switch *left;	/* of each CPU: who left it last */
	/* Hits of context-switches, and those whose thread had been the last to leave, too. */
	uint64_t n_left, n_left_twice;
	uint64_t n_gaps;		/* from 1 */
	GHashTable *wakes;		/* set of struct wake, by key */
	uint64_t last_time, n_late;	/* of what was taken; of what is older than that */
	/* Of context-switches: those that are waits by themselves, and those that are none. */
	uint64_t n_blind, n_unknown;
};

/* The event of a trace point; NULL: the file has none. */
static const struct spt_perf_data_point *import_waits_point(const SptImportPerfWaits *waits,
							    const char *name, uint32_t *ret_id)
{
	const struct spt_perf_data_event *event;

	for (unsigned i = 0; (event = spt_perf_data_events(waits->data, i)); i++) {
		const struct spt_perf_data_point *point =
			event->attr.type == PERF_TYPE_TRACEPOINT ?
				spt_perf_data_point(waits->data, event->attr.config) :
				NULL;

		*ret_id = (uint32_t)event->attr.config;
		if (point && strcmp(point->name, name) == 0 && *ret_id <= UINT16_MAX)
			return point;
	}
	*ret_id = 0;
	return NULL;
}

/* Where @point has a number of @bytes; 0: nowhere. */
static uint32_t import_waits_field(const struct spt_perf_data_point *point, const char *name,
				   unsigned bytes)
{
	for (unsigned i = 0; point && i < point->format.n_fields; i++) {
		const SptPointField *field = &point->format.fields[i];

		if (strcmp(field->field.name, name) == 0 && field->bytes == bytes &&
		    field->form == SPT_POINT_NUMBER)
			return field->at;
	}
	return 0;
}

static void find_points(SptImportPerfWaits *waits)
{
	const struct spt_perf_data_event *event;
	const struct spt_perf_data_point *point;
	struct spt_perf_tracepoints *points = &waits->points;

	for (unsigned i = 0; (event = spt_perf_data_events(waits->data, i)); i++)
		waits->has_records |= event->attr.context_switch;
	point = import_waits_point(waits, SCHED_SWITCH, &points->switch_id);
	points->state_at = import_waits_field(point, "prev_state", 8);
	waits->next_at = import_waits_field(point, "next_pid", 4);
	if (!points->state_at || !waits->next_at)
		points->switch_id = 0;
	point = import_waits_point(waits, SCHED_WAKING, &points->waking_id);
	if (!point)
		point = import_waits_point(waits, SCHED_WAKEUP, &points->waking_id);
	points->woken_at = import_waits_field(point, "pid", 4);
	if (!points->woken_at)
		points->waking_id = 0;
}

SptImportPerfWaits *spt_import_perf_waits_new(SptImportPerfCapture *capture,
					      const SptPerfData *data, SptPerfRecords *records)
{
	SptImportPerfWaits *waits = g_new0(SptImportPerfWaits, 1);

	waits->capture = capture;
	waits->data = data;
	waits->records = records;
	waits->wakes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	waits->n_gaps = 1;
	waits->left = g_new0(struct import_switch, SPT_IMPORT_CPUS);
	find_points(waits);
	return waits;
}

void spt_import_perf_waits_free(SptImportPerfWaits *waits)
{
	if (!waits)
		return;
	spt_perf_waits_free(waits->waits);
	g_hash_table_unref(waits->wakes);
	g_free(waits->left);
	g_free(waits);
}

/* Rows. */

/* The node in place of a stack, see hit_of(), and the thread. */
static uint32_t import_event_stack(SptImportPerfWaits *waits, const struct sysprof_event *event,
				   uint32_t *ret_thread)
{
	*ret_thread = spt_import_perf_capture_waiter(waits->capture, &event->record, event->mm);
	return event->n_user ? (uint32_t)event->frames[event->n_kernel] : 0;
}

static void import_wake(SptImportPerfWaits *waits, const struct sysprof_event *event)
{
	struct wake *wake = g_new0(struct wake, 1);

	wake->key = event->key;
	wake->node = import_event_stack(waits, event, &wake->thread);
	if (g_hash_table_size(waits->wakes) >= MOST_WAKES)
		g_hash_table_remove_all(waits->wakes);
	g_hash_table_add(waits->wakes, wake);
}

static void import_waker(SptImportPerfWaits *waits, const struct sysprof_part_wait *part,
			 SptWaitRow *row)
{
	const struct wake *wake = part->wake ? g_hash_table_lookup(waits->wakes, &part->wake) :
					       NULL;
	uint32_t pid;

	row->cpu_before = part->cpu_before;
	row->waker_context = (uint8_t)part->part.a;
	if (part->part.a == SYSPROF_CONTEXT_TASK && part->waker_tid)
		row->waker = spt_import_perf_capture_thread(waits->capture, part->waker_tid, &pid);
	else if (part->part.a == SYSPROF_CONTEXT_TASK && wake)
		row->waker = wake->thread;
	if (!wake)
		return;
	row->waker_node = wake->node;
	g_hash_table_remove(waits->wakes, &part->wake);
}

static void import_wait(SptImportPerfWaits *waits, const struct sysprof_event *event)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_WAIT);
	SptWaitRow row = {
		.time = event->begin + event->duration,
		.duration_ns = event->duration,
		.runnable_ns = event->duration - MIN(event->value, event->duration),
		.weight_ns = event->duration,
		.cpu = event->record.cpu,
		.state = event->state,
	};

	if (event->record.flags & SYSPROF_EVENT_CUT_BEGIN)
		row.flags |= SPT_WAIT_CUT_BEGIN;
	if (event->record.flags & SYSPROF_EVENT_NO_WAKE)
		row.flags |= SPT_WAIT_NO_WAKING;
	row.node = import_event_stack(waits, event, &row.thread);
	if (part)
		import_waker(waits, (const struct sysprof_part_wait *)part, &row);
	spt_import_perf_capture_put(waits->capture, SPT_ROW_WAIT, &row, row.time);
}

static void import_thread_time(SptImportPerfWaits *waits, const struct sysprof_thread *record)
{
	uint32_t pid;
	SptThreadTimeRow row = {
		.time = record->at,
		.since = record->since,
		.thread = spt_import_perf_capture_thread(waits->capture, record->record.tid, &pid),
		.has_begin = !(record->flags & SYSPROF_THREAD_FOUND),
		.has_end = record->flags & SYSPROF_THREAD_ENDED,
		.longest_ns = record->longest,
		.voluntary = record->voluntary,
		.involuntary = record->involuntary,
		.wakes = record->wakes,
	};

	if (!row.thread)
		return;
	memcpy(row.ns, record->ns, sizeof(row.ns));
	spt_import_perf_capture_put(waits->capture, SPT_ROW_THREAD_TIME, &row, row.time);
}

static void import_lane(SptImportPerfWaits *waits, const struct sysprof_lane *lane)
{
	const uint64_t state_mask =
		(1u << (SYSPROF_LANE_NS_SHIFT - SYSPROF_LANE_STATE_SHIFT)) - 1;
	uint64_t time = lane->begin;
	uint32_t pid;

	for (unsigned i = 0; waits->is_of_cpus && i < lane->n; i++) {
		SptLaneRow row = { .cpu = lane->record.cpu };
		uint64_t entry = lane->entries[i];
		uint32_t tid = entry & SYSPROF_LANE_TID_MASK;

		row.time = time += entry >> SYSPROF_LANE_NS_SHIFT;
		row.state = (uint8_t)(entry >> SYSPROF_LANE_STATE_SHIFT & state_mask);
		row.thread = tid ? spt_import_perf_capture_thread(waits->capture, tid, &pid) : 0;
		spt_import_perf_capture_put(waits->capture, SPT_ROW_LANE, &row, row.time);
	}
}

static void import_account(SptImportPerfWaits *waits,
			   const struct sysprof_source_account_record *record)
{
	const struct sysprof_tally *seen = &record->account.seen,
				   *delivered = &record->account.delivered;
	SptSourceAccountRow row = {
		.time = record->record.time,
		.cpu = record->record.cpu,
		.kind = record->kind,
		.tallies = {
			[SPT_TALLY_SEEN] = { seen->events, seen->value, seen->ns, seen->weight },
			[SPT_TALLY_DELIVERED] = { delivered->events, delivered->value,
						  delivered->ns, delivered->weight },
		},
	};

	for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
		row.tallies[SPT_TALLY_LOST + i].events = record->account.lost[i].events;
	if (seen->events)
		spt_import_perf_capture_put(waits->capture, SPT_ROW_SOURCE_ACCOUNT, &row, row.time);
}

static void take_wait_record(const struct sysprof_record *record, void *data)
{
	SptImportPerfWaits *waits = data;
	const struct sysprof_event *event = (const void *)record;
	const struct spt_perf_sink others = spt_import_perf_capture_sink(waits->capture);

	switch (record->type) {
	case SYSPROF_EVENT:
		if (event->source == SPT_TRACE_WAKES)
			import_wake(waits, event);
		else
			import_wait(waits, event);
		break;
	case SYSPROF_THREAD:
		import_thread_time(waits, (const struct sysprof_thread *)record);
		break;
	case SYSPROF_LANE:
		import_lane(waits, (const struct sysprof_lane *)record);
		break;
	case SYSPROF_SOURCE_ACCOUNT:
		import_account(waits, (const struct sysprof_source_account_record *)record);
		break;
	default:
		others.func(record, others.data);
	}
}

/* Records. */

/* Waits are made in order of time.  False: this comes too late. */
static bool is_in_order(SptImportPerfWaits *waits, uint64_t time)
{
	if (time < waits->last_time) {
		waits->n_late++;
		return false;
	}
	waits->last_time = time;
	return true;
}

/* The first one of the scheduler begins the recording of waits. */
static SptPerfWaits *waits_from(SptImportPerfWaits *waits, uint32_t cpu, uint64_t time)
{
	static const SptTraceConfig config = { .waits = { .is_on = true } };

	if (!waits->waits)
		waits->waits = spt_perf_waits_new(waits->records, &config, &waits->points, time);
	waits->n_cpus = MAX(waits->n_cpus, cpu + 1);
	return waits->waits;
}

void spt_import_perf_waits_state(SptImportPerfWaits *waits, const struct perf_event_header *made,
				 uint32_t cpu)
{
	const struct spt_perf_sink sink = { take_wait_record, waits };
	bool is_switch = made->type == PERF_RECORD_SWITCH ||
			 made->type == PERF_RECORD_SWITCH_CPU_WIDE;
	uint64_t time;

	if (!spt_perf_record_time(made, &time) || cpu >= SPT_IMPORT_CPUS ||
	    (!is_switch && !waits->waits) || !is_in_order(waits, time))
		return;
	waits->is_of_cpus |= made->type == PERF_RECORD_SWITCH_CPU_WIDE;
	spt_perf_waits_take(waits_from(waits, cpu, time), cpu, made, &sink);
}

/* With the number of its node in place of the stack, which was looked up when it came. */
static struct spt_perf_waits_hit hit_of(const SptImportPerfWaits *waits,
					const struct spt_perf_fields *fields)
{
	return (struct spt_perf_waits_hit){
		.who = { fields->time, fields->cpu, fields->pid, fields->tid },
		.raw = fields->raw,
		.raw_bytes = fields->raw_bytes,
		.stack = spt_import_perf_capture_node(waits->capture),
	};
}

/* A switch of which the file has no record. */
static void make_switch(SptImportPerfWaits *waits, const struct spt_perf_who *who, unsigned misc)
{
	const struct spt_perf_sink sink = { take_wait_record, waits };

	waits->is_of_cpus = true;
	spt_perf_waits_switch(waits_from(waits, who->cpu, who->time), who, misc, &sink);
}

/* Where the file has no records of switches, a hit of sched_switch is two of them. */
static void make_switches(SptImportPerfWaits *waits, const struct spt_perf_fields *fields)
{
	struct spt_perf_who who = { fields->time, fields->cpu, fields->pid, fields->tid };
	uint64_t state;
	uint32_t next, pid;

	if (waits->points.state_at + sizeof(state) > fields->raw_bytes ||
	    waits->next_at + sizeof(next) > fields->raw_bytes)
		return;
	memcpy(&state, fields->raw + waits->points.state_at, sizeof(state));
	memcpy(&next, fields->raw + waits->next_at, sizeof(next));
	make_switch(waits, &who,
		    PERF_RECORD_MISC_SWITCH_OUT |
			    (state & STATE_BITS ? 0 : PERF_RECORD_MISC_SWITCH_OUT_PREEMPT));
	spt_import_perf_capture_thread(waits->capture, next, &pid);
	who.pid = pid ? pid : next;
	who.tid = next;
	make_switch(waits, &who, 0);
}

/* The event context-switches. */

bool spt_import_perf_waits_is_switch(const struct spt_perf_data_event *event)
{
	const uint64_t needed = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES &&
	       (event->attr.sample_type & needed) == needed;
}

/* Each switch of a CPU is in the file, and not some of them: perf record -a -c 1. */
static bool has_each_switch(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_CPU && !attr->enable_on_exec && !attr->freq &&
	       attr->sample_period == 1;
}

static bool has_all_threads(const SptImportPerfWaits *waits)
{
	return waits->n_left_twice <= waits->n_left / PARTIAL_PART;
}

/*
 * Where the file has no records of switches: who is on a CPU came to it when the one before it
 * left.  That time is older than what other CPUs have reported since, but younger than all of @who.
 */
static void import_came(SptImportPerfWaits *waits, const struct spt_perf_who *who)
{
	struct import_switch *left = &waits->left[who->cpu];
	struct spt_perf_who came = *who;

	if (left->n_gaps != waits->n_gaps || left->has_next || left->tid == who->tid)
		return;
	left->has_next = true;
	came.time = left->time;
	make_switch(waits, &came, 0);
}

void spt_import_perf_waits_ends(SptImportPerfWaits *waits, const struct spt_perf_who *who)
{
	if (waits->n_blind && who->cpu < SPT_IMPORT_CPUS && has_all_threads(waits))
		import_came(waits, who);
}

/*
 * If none left a CPU between two times that a thread did, a hit is missing; if that is often so,
 * those of other processes are not in the file.
 */
static bool take_switch_of_cpu(SptImportPerfWaits *waits, const struct spt_perf_waits_hit *hit)
{
	const struct spt_perf_who *who = &hit->who;
	struct import_switch *left = &waits->left[who->cpu];
	bool is_in_place;

	waits->n_left++;
	waits->n_left_twice += left->n_gaps == waits->n_gaps && left->tid == who->tid;
	is_in_place = has_all_threads(waits) && is_in_order(waits, who->time);
	if (is_in_place) {
		waits->n_blind++;
		import_came(waits, who);
		spt_perf_waits_hit(waits_from(waits, who->cpu, who->time), hit);
		make_switch(waits, who, PERF_RECORD_MISC_SWITCH_OUT);
	}
	*left = (struct import_switch){ who->time, waits->n_gaps, who->tid, false };
	return is_in_place;
}

bool spt_import_perf_waits_switch(SptImportPerfWaits *waits,
				  const struct spt_perf_data_event *event,
				  const struct spt_perf_fields *fields)
{
	const struct spt_perf_waits_hit hit = hit_of(waits, fields);

	if (waits->points.switch_id || fields->cpu >= SPT_IMPORT_CPUS || !fields->time)
		return false;
	if (!waits->has_records &&
	    (!has_each_switch(&event->attr) || !take_switch_of_cpu(waits, &hit))) {
		waits->n_unknown++;
		return true;
	}
	if (waits->has_records && is_in_order(waits, fields->time))
		spt_perf_waits_hit(waits_from(waits, fields->cpu, fields->time), &hit);
	return true;
}

void spt_import_perf_waits_gap(SptImportPerfWaits *waits)
{
	if (waits)
		waits->n_gaps++;
}

void spt_import_perf_waits_hit(SptImportPerfWaits *waits, const struct spt_perf_data_event *event,
			       const struct spt_perf_fields *fields)
{
	const struct spt_perf_waits_hit hit = hit_of(waits, fields);
	bool is_switch = waits->points.switch_id &&
			 event->attr.config == waits->points.switch_id,
	     is_waking = waits->points.waking_id &&
			 event->attr.config == waits->points.waking_id;

	if (!(is_switch || is_waking) || !fields->raw || fields->cpu >= SPT_IMPORT_CPUS ||
	    !fields->time || !is_in_order(waits, fields->time))
		return;
	if (is_switch || waits->waits)
		spt_perf_waits_hit(waits_from(waits, fields->cpu, fields->time), &hit);
	if (is_switch && !waits->has_records)
		make_switches(waits, fields);
}

void spt_import_perf_waits_finish(SptImportPerfWaits *waits, uint64_t time, GString *note)
{
	const struct spt_perf_sink sink = { take_wait_record, waits };

	spt_import_note_count(note, waits->n_late, "context switches out of order were skipped");
	spt_import_note_count(note, waits->n_blind,
			      "context switches do not say who was preempted: all count as blocked");
	spt_import_note_count(note, waits->n_unknown,
			      "context switches are no waits, as only -a -c 1 or --switch-events "
			      "say when those ended");
	if (!waits->waits)
		return;
	time = MAX(time, waits->last_time);
	spt_perf_waits_finish(waits->waits, time, &sink);
	spt_import_note_count(note, spt_perf_waits_n_unended(waits->waits),
			      "waits are lost: the file has no switch that ended them");
	for (unsigned cpu = 0; cpu < waits->n_cpus; cpu++)
		spt_perf_waits_put_account(waits->waits, cpu, time, &sink);
}

bool spt_import_perf_waits_has_excess(const SptImportPerfWaits *waits)
{
	return waits && waits->waits &&
	       spt_perf_waits_n_threads(waits->waits) > SPT_IMPORT_FUNCTIONS;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One small state machine per thread.  The stack of a thread that is switched out comes before its
 * switch, that of a waker when it wakes: both are kept as the kernel gave them until the wait ends,
 * and become frames only if the wait is reported.
 */
#include "trace/perf/waits.h"

#include <stdlib.h>
#include <string.h>

#include "trace/perf/event.h"
#include "trace/perf/futex-call.h"

/* No task: one that has exited already. */
#define TID_NONE UINT32_MAX

/* A value of enum sysprof_state: the thread was preempted. */
#define IS_BLOCKED(state) ((state) >= SYSPROF_STATE_SLEEP && (state) <= SYSPROF_STATE_OTHER)

/*
 * How long an ended thread may still wait, for a lock or for memory that is given back; where its
 * last switch is missing, from its end on.
 */
#define LAST_WAIT_NS 2000000000u
#define UNSEEN_WAIT_NS 10000000000u

/* Threads that were looked for lately, by tid. */
#define RECENT_THREADS 1024

/* Bits of a trace point's record: the context that it interrupted. */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10

struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

/* A sample of perf's, as long as it is needed, or the number of its stack. */
struct kept {
	struct perf_event_header *record;
	size_t room;			/* 0: there is only the number */
	uint64_t time;
	uint32_t number;
	bool is_there;
};

struct thread {
	uint32_t pid, tid;
	uint64_t born;			/* 0: the thread existed before the start */
	uint64_t since;			/* end of the time that is summed up */
	uint64_t began;			/* to wait */
	uint64_t woken;			/* 0: nobody was seen to wake it */
	uint64_t ns[SYSPROF_STATES];
	uint64_t voluntary, involuntary, wakes, longest;
	uint32_t cpu;			/* CPU on which it ran last */
	uint32_t waker_pid, waker_tid, waker_cpu;
	uint8_t state;
	uint8_t left_state;		/* state of the switch-out to come, from its trace point */
	uint8_t waker_context;
	bool is_cut, has_changed, has_ended;
	uint64_t gone;			/* an ended thread left its CPU; 0: it did not yet */
	struct kept stack, waker_stack;
};

struct lane {
	uint64_t last;
	uint32_t tid;			/* the present thread */
	uint8_t left;			/* state in which the last thread left */
	struct sysprof_lane *record;	/* with its entries so far; NULL: there was none yet */
};

struct SptPerfWaits {
	SptPerfRecords *records;
	struct spt_perf_tracepoints points;
	uint64_t period_ns, threshold_ns, start;
	uint64_t n_wakes;
	uint64_t n_lost;		/* records that explain ends which do not come */
	uint64_t n_unended;
	unsigned n_cpus;
	GHashTable *threads;		/* tid -> struct thread */
	struct thread *recent[RECENT_THREADS];		/* of @threads; NULL: none */
	bool is_of_threads;		/* events of single threads */
	struct lane *lanes;
	struct sysprof_source_account *accounts;
	GByteArray *made;
	SptPerfFutexCall *futexes;
};

static void forget_stacks(struct thread *thread)
{
	g_free(thread->stack.record);
	g_free(thread->waker_stack.record);
	thread->stack = thread->waker_stack = (struct kept){ 0 };
}

static void waits_thread_free(void *data)
{
	forget_stacks(data);
	g_free(data);
}

SptPerfWaits *spt_perf_waits_new(SptPerfRecords *records, const SptTraceConfig *config,
				 const struct spt_perf_tracepoints *points, uint64_t start)
{
	SptPerfWaits *waits = g_new0(SptPerfWaits, 1);

	waits->records = records;
	waits->points = *points;
	waits->period_ns = config->waits.period_ns;
	waits->threshold_ns = config->waits.threshold_ns;
	waits->start = start;
	waits->n_cpus = spt_perf_records_n_cpus(records);
	waits->threads = g_hash_table_new_full(NULL, NULL, NULL, waits_thread_free);
	waits->lanes = g_new0(struct lane, waits->n_cpus);
	waits->accounts = g_new0(struct sysprof_source_account, waits->n_cpus);
	waits->made = g_byte_array_new();
	waits->futexes = spt_perf_futex_call_new(spt_perf_records_kallsyms(records));
	return waits;
}

uint64_t spt_perf_waits_n_unended(const SptPerfWaits *waits)
{
	return waits->n_unended;
}

void spt_perf_waits_free(SptPerfWaits *waits)
{
	if (!waits)
		return;
	for (unsigned cpu = 0; cpu < waits->n_cpus; cpu++)
		g_free(waits->lanes[cpu].record);
	g_hash_table_unref(waits->threads);
	g_byte_array_unref(waits->made);
	spt_perf_futex_call_free(waits->futexes);
	g_free(waits->lanes);
	g_free(waits->accounts);
	g_free(waits);
}

/* Threads. */

unsigned spt_perf_waits_n_threads(const SptPerfWaits *waits)
{
	return g_hash_table_size(waits->threads);
}

static struct thread *waits_find(SptPerfWaits *waits, uint32_t tid)
{
	struct thread **recent = &waits->recent[tid % RECENT_THREADS];

	if (!*recent || (*recent)->tid != tid)
		*recent = g_hash_table_lookup(waits->threads, GUINT_TO_POINTER(tid));
	return *recent;
}

static struct thread *waits_add(SptPerfWaits *waits, uint32_t pid, uint32_t tid, uint64_t since,
				uint8_t state)
{
	struct thread *thread = g_new0(struct thread, 1);

	*thread = (struct thread){ .pid = pid, .tid = tid, .since = since, .began = since,
				   .state = state };
	waits->recent[tid % RECENT_THREADS] = thread;
	g_hash_table_insert(waits->threads, GUINT_TO_POINTER(tid), thread);
	return thread;
}

/* Counts the time up to @time as @state. */
static void waits_spend(struct thread *thread, uint64_t time, uint8_t state)
{
	if (time > thread->since) {
		thread->ns[state] += time - thread->since;
		thread->since = time;
	}
	thread->has_changed = true;
}

/* Instants of a thread's grid before @time: one per period, at a pseudo-random position in it. */
static uint64_t instants_before(const SptPerfWaits *waits, uint32_t tid, uint64_t time)
{
	uint64_t period = time / waits->period_ns,
		 draw = (period + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)tid * 0xd1342543de82ef95u;

	draw ^= draw >> 32;
	draw *= 0xd6e8feb86659fd93u;
	draw ^= draw >> 32;
	return period + (draw % waits->period_ns < time % waits->period_ns);
}

/* Records. */

static void waits_put_thread(struct thread *thread, uint64_t at, const struct spt_perf_sink *sink,
			     const SptPerfWaits *waits)
{
	struct spt_perf_who who = { at, thread->cpu, thread->pid, thread->tid };
	struct sysprof_thread record = {
		.record = spt_perf_record(SYSPROF_THREAD, 0, sizeof(record), &who),
		.start_time = thread->born,
		.since = thread->born ? thread->born : waits->start,
		.at = thread->since,
		.switches = thread->voluntary + thread->involuntary,
		.voluntary = thread->voluntary,
		.involuntary = thread->involuntary,
		.wakes = thread->wakes,
		.longest = thread->longest,
		.state_since = thread->since,
		.state = thread->state,
		.flags = (thread->has_ended ? SYSPROF_THREAD_ENDED : 0) |
			 (thread->born ? 0 : SYSPROF_THREAD_FOUND),
	};

	memcpy(record.ns, thread->ns, sizeof(record.ns));
	sink->func(&record.record, sink->data);
	thread->has_changed = false;
}

static struct sysprof_event *begin_event(SptPerfWaits *waits, const struct spt_perf_who *who,
					 const struct kept *stack, const struct spt_perf_sink *sink)
{
	struct sysprof_event *event =
		spt_perf_event_begin(waits->made, waits->records, who,
				     stack->is_there ? stack->record : NULL, sink);

	return stack->is_there && !stack->record ?
		       spt_perf_event_add_frame(waits->made, stack->number) : event;
}

/* The stack of the waker; returns its number, 0 if there is none. */
static uint64_t waits_put_wake(SptPerfWaits *waits, const struct thread *thread,
			       const struct spt_perf_sink *sink)
{
	struct spt_perf_who who = { thread->woken, thread->waker_cpu, thread->waker_pid,
				    thread->waker_tid };
	struct sysprof_event *event;

	if (!thread->woken || !thread->waker_stack.is_there)
		return 0;
	event = begin_event(waits, &who, &thread->waker_stack, sink);
	event->begin = thread->woken;
	event->key = ++waits->n_wakes;
	event->source = SPT_TRACE_WAKES;
	event->phase = SYSPROF_PHASE_INSTANT;
	event->state = thread->waker_context;
	spt_perf_event_put(waits->made, &who, sink);
	return waits->n_wakes;
}

/* @end: time at which it ran again, or at which the recording ended. */
static void put_wait(SptPerfWaits *waits, struct thread *thread, uint32_t cpu, uint64_t end,
		     uint64_t weight, const struct spt_perf_sink *sink)
{
	struct spt_perf_who who = { end, cpu, thread->pid, thread->tid };
	uint64_t woken = IS_BLOCKED(thread->state) ? (thread->woken ? thread->woken : end) :
						     thread->began;
	uint64_t wake = waits_put_wake(waits, thread, sink);
	struct sysprof_event *event = begin_event(waits, &who, &thread->stack, sink);
	struct sysprof_part_wait_futex part = {
		.wait = {
			.part = { SYSPROF_PART_WAIT, sizeof(part.wait) / 8, thread->waker_context,
				  SYSPROF_CALL_OTHER },
			.waker_pid = thread->woken ? thread->waker_pid : 0,
			.waker_tid = thread->woken ? thread->waker_tid : 0,
			.cpu_before = thread->cpu,
			.waker_cpu = thread->waker_cpu,
			.wake = wake,
		},
	};

	event->begin = thread->began;
	event->duration = end - thread->began;
	event->value = CLAMP(woken, thread->began, end) - thread->began;
	event->weight = weight;
	event->source = SPT_TRACE_WAITS;
	event->phase = SYSPROF_PHASE_SPAN;
	event->state = thread->state;
	event->record.flags |= thread->is_cut ? SYSPROF_EVENT_CUT_BEGIN : 0;
	if (IS_BLOCKED(thread->state) && !thread->woken)
		event->record.flags |= SYSPROF_EVENT_NO_WAKE;
	if (IS_BLOCKED(thread->state) && spt_perf_futex_call_is_in(waits->futexes, event)) {
		part.wait.part.b = SYSPROF_CALL_FUTEX;
		part.address = spt_perf_futex_call_address(event);
		if (part.address)
			part.wait.part.size = sizeof(part) / 8;
	}
	spt_perf_event_add(waits->made, &part.wait.part);
	spt_perf_event_put(waits->made, &who, sink);
}

static void waits_count(struct sysprof_tally *tally, uint64_t value, uint64_t ns, uint64_t weight)
{
	tally->events++;
	tally->value += value;
	tally->ns += ns;
	tally->weight += weight;
}

/* A wait is over, or the recording is. */
static void end_wait(SptPerfWaits *waits, struct thread *thread, uint32_t cpu, uint64_t end,
		     const struct spt_perf_sink *sink)
{
	struct sysprof_source_account *account = &waits->accounts[cpu];
	uint64_t length = end - MIN(thread->began, end), weight = 1, blocked = 0;
	bool was_blocked = IS_BLOCKED(thread->state);

	if (was_blocked)
		blocked = thread->woken > thread->began ? thread->woken - thread->began :
			  thread->woken			? 0 :
							  length;
	waits_spend(thread, MIN(thread->began + blocked, end), thread->state);
	waits_spend(thread, end, was_blocked ? SYSPROF_STATE_WOKEN : thread->state);
	thread->longest = MAX(thread->longest, length);
	if (thread->state == SYSPROF_STATE_UNKNOWN)
		return;
	if (waits->period_ns)
		weight = instants_before(waits, thread->tid, end) -
			 instants_before(waits, thread->tid, thread->began);
	waits_count(&account->seen, blocked, length, weight);
	if (!weight) {
		waits_count(&account->not_picked, blocked, length, 0);
	} else if (length < waits->threshold_ns) {
		waits_count(&account->below, blocked, length, 0);
	} else {
		waits_count(&account->delivered, blocked, length, weight);
		put_wait(waits, thread, cpu, end, weight, sink);
	}
}

/* Lanes. */

static void put_lane(SptPerfWaits *waits, unsigned cpu, const struct spt_perf_sink *sink)
{
	struct lane *lane = &waits->lanes[cpu];
	struct spt_perf_who nobody = { .time = lane->last, .cpu = cpu };

	if (!lane->record || !lane->record->n)
		return;
	lane->record->record = spt_perf_record(
		SYSPROF_LANE, 0, sizeof(*lane->record) + lane->record->n * (size_t)8, &nobody);
	sink->func(&lane->record->record, sink->data);
	lane->record->n = 0;
}

static void add_to_lane(SptPerfWaits *waits, unsigned cpu, uint32_t tid, uint64_t time,
			const struct spt_perf_sink *sink)
{
	struct lane *lane = &waits->lanes[cpu];
	uint64_t distance;

	if (waits->is_of_threads)
		return;
	if (!lane->record)
		lane->record = g_malloc0(sizeof(*lane->record) + SYSPROF_LANE_ENTRIES_MAX * 8);
	if ((time - lane->last) >> (64 - SYSPROF_LANE_NS_SHIFT) != 0)
		put_lane(waits, cpu, sink);
	if (!lane->record->n) {
		lane->record->begin = lane->last = time;
		lane->record->tid = lane->tid;
	}
	distance = time - MIN(lane->last, time);
	lane->record->entries[lane->record->n++] =
		distance << SYSPROF_LANE_NS_SHIFT |
		(uint64_t)lane->left << SYSPROF_LANE_STATE_SHIFT | (tid & SYSPROF_LANE_TID_MASK);
	lane->last = time;
	lane->tid = tid;
	if (lane->record->n == SYSPROF_LANE_ENTRIES_MAX)
		put_lane(waits, cpu, sink);
}

/* Switches. */

static uint8_t blocked_state(const struct thread *thread)
{
	return thread->left_state ? thread->left_state : SYSPROF_STATE_OTHER;
}

/*
 * What a thread that does not run does next shows that it ran, and that the end of its wait is
 * missing.
 */
static void waits_miss_end(SptPerfWaits *waits, const struct thread *thread)
{
	struct sysprof_source_account *account = &waits->accounts[thread->cpu];

	/* What was found asleep may have run before the first event. */
	if (thread->state == SYSPROF_STATE_RUNNING || thread->state == SYSPROF_STATE_UNKNOWN ||
	    thread->is_cut)
		return;
	if (waits->n_lost) {
		waits->n_lost--;
		return;
	}
	waits->n_unended++;
	account->seen.events++;
	account->lost[SYSPROF_LOST_NO_SLOT].events++;
}

/* It has left its CPU for the last time, as far as is known. */
static void leave(SptPerfWaits *waits, struct thread *thread, const struct spt_perf_who *who)
{
	waits->lanes[who->cpu].left = SYSPROF_STATE_OTHER;
	thread->gone = who->time;
}

static void switched_out(SptPerfWaits *waits, const struct spt_perf_who *who, bool is_preempted)
{
	struct thread *thread;

	waits->lanes[who->cpu].left = SYSPROF_STATE_PREEMPTED;
	if (who->tid == 0)
		return;
	/* Its id is free already, but it is the one that came to this CPU. */
	thread = waits_find(waits, who->tid == TID_NONE ? waits->lanes[who->cpu].tid : who->tid);
	if (!thread && who->tid != TID_NONE)
		thread = waits_add(waits, who->pid, who->tid, waits->start, SYSPROF_STATE_RUNNING);
	/* On a busy host it can be preempted, and wait, before its last switch. */
	if (thread && thread->has_ended && !is_preempted)
		leave(waits, thread, who);
	if (!thread || thread->has_ended || who->tid == TID_NONE)
		return;
	/* Another CPU was quicker than the switch: the waking was reported before. */
	if (thread->woken && (!thread->stack.is_there || is_preempted ||
			      thread->woken < thread->stack.time))
		thread->woken = 0;
	/* A lost record of the thread leaves a gap of unknown state. */
	waits_miss_end(waits, thread);
	waits_spend(thread, who->time,
		    thread->state == SYSPROF_STATE_RUNNING ? SYSPROF_STATE_RUNNING :
							     SYSPROF_STATE_UNKNOWN);
	thread->state = is_preempted ? SYSPROF_STATE_PREEMPTED : blocked_state(thread);
	*(is_preempted ? &thread->involuntary : &thread->voluntary) += 1;
	thread->began = who->time;
	thread->cpu = who->cpu;
	thread->left_state = 0;
	thread->is_cut = false;
	waits->lanes[who->cpu].left = thread->state;
}

static void switched_in(SptPerfWaits *waits, const struct spt_perf_who *who,
			const struct spt_perf_sink *sink)
{
	struct thread *thread;

	add_to_lane(waits, who->cpu, who->tid == TID_NONE ? 0 : who->tid, who->time, sink);
	if (who->tid == 0 || who->tid == TID_NONE)
		return;
	thread = waits_find(waits, who->tid);
	if (!thread) {
		thread = waits_add(waits, who->pid, who->tid, waits->start, SYSPROF_STATE_UNKNOWN);
		thread->is_cut = true;
	}
	if (thread->has_ended)
		return;
	thread->pid = who->pid;
	if (thread->state != SYSPROF_STATE_RUNNING)
		end_wait(waits, thread, who->cpu, who->time, sink);
	else
		waits_spend(thread, who->time, SYSPROF_STATE_UNKNOWN);
	thread->state = SYSPROF_STATE_RUNNING;
	thread->cpu = who->cpu;
	thread->woken = 0;
	thread->stack.is_there = false;
	thread->waker_stack.is_there = false;
}

static void waits_keep(struct kept *to, const struct spt_perf_waits_hit *hit)
{
	size_t bytes = hit->sample ? hit->sample->size : 0;

	if (to->room < bytes) {
		to->room = bytes;
		to->record = g_realloc(to->record, to->room);
	}
	if (bytes)
		memcpy(to->record, hit->sample, bytes);
	to->time = hit->who.time;
	to->number = hit->stack;
	to->is_there = true;
}

static uint8_t context_of(const uint8_t *raw)
{
	if (raw[2] & FLAG_HARDIRQ)
		return SYSPROF_CONTEXT_IRQ;
	return raw[2] & FLAG_SOFTIRQ ? SYSPROF_CONTEXT_SOFTIRQ : SYSPROF_CONTEXT_TASK;
}

static void woke(SptPerfWaits *waits, const struct spt_perf_waits_hit *hit)
{
	const struct spt_perf_who *who = &hit->who;
	struct thread *thread;
	uint32_t tid;

	memcpy(&tid, hit->raw + waits->points.woken_at, sizeof(tid));
	thread = waits_find(waits, tid);
	/* Only the first one counts: from then on the thread could run. */
	if (!thread || thread->has_ended || thread->state == SYSPROF_STATE_NEW ||
	    (thread->woken && thread->state != SYSPROF_STATE_RUNNING))
		return;
	thread->woken = who->time;
	thread->wakes++;
	thread->waker_context = context_of(hit->raw);
	thread->waker_pid = thread->waker_context == SYSPROF_CONTEXT_TASK ? who->pid : 0;
	thread->waker_tid = thread->waker_context == SYSPROF_CONTEXT_TASK ? who->tid : 0;
	thread->waker_cpu = who->cpu;
	waits_keep(&thread->waker_stack, hit);
}

uint8_t spt_perf_waits_state_of(uint64_t bits)
{
	switch (bits & 0xff) {
	case 0:
		return SYSPROF_STATE_PREEMPTED;
	case 0x01:
	case 0x80:			/* an idle kernel thread */
		return SYSPROF_STATE_SLEEP;
	case 0x02:
		return SYSPROF_STATE_DISK;
	case 0x04:
	case 0x08:
		return SYSPROF_STATE_STOPPED;
	default:
		return SYSPROF_STATE_OTHER;
	}
}

void spt_perf_waits_hit(SptPerfWaits *waits, const struct spt_perf_waits_hit *hit)
{
	const struct spt_perf_who *who = &hit->who;
	uint16_t id = 0;
	struct thread *thread;

	if (hit->raw && hit->raw_bytes >= 8)
		memcpy(&id, hit->raw, sizeof(id));
	if (id && id == waits->points.waking_id && waits->points.woken_at + 4 <= hit->raw_bytes) {
		woke(waits, hit);
		return;
	}
	if (who->tid == 0 || who->tid == TID_NONE)
		return;
	thread = waits_find(waits, who->tid);
	if (!thread)
		thread = waits_add(waits, who->pid, who->tid, waits->start, SYSPROF_STATE_RUNNING);
	if (thread->has_ended)
		return;
	waits_keep(&thread->stack, hit);
	if (id && id == waits->points.switch_id && waits->points.state_at + 8 <= hit->raw_bytes) {
		uint64_t bits;

		memcpy(&bits, hit->raw + waits->points.state_at, sizeof(bits));
		thread->left_state = spt_perf_waits_state_of(bits);
	}
}

/* Tasks. */

static void scan_thread(SptPerfWaits *waits, uint32_t pid, const char *path, const char *name,
			GHashTable *only)
{
	g_autofree char *file = g_strdup_printf("%s/%s/stat", path, name), *text = NULL;
	const char *close;
	uint32_t tid = strtoul(name, NULL, 10);
	uint8_t state;

	if (!tid || waits_find(waits, tid) ||
	    (only && !g_hash_table_contains(only, GUINT_TO_POINTER(tid))) ||
	    !g_file_get_contents(file, &text, NULL, NULL) || !(close = strrchr(text, ')')) ||
	    close[1] != ' ')
		return;
	switch (close[2]) {
	case 'S':
	case 'I':
		state = SYSPROF_STATE_SLEEP;
		break;
	case 'D':
		state = SYSPROF_STATE_DISK;
		break;
	case 'T':
	case 't':
		state = SYSPROF_STATE_STOPPED;
		break;
	default:
		return;
	}
	waits_add(waits, pid, tid, waits->start, state)->is_cut = true;
}

void spt_perf_waits_scan(SptPerfWaits *waits, const char *directory, GHashTable *only)
{
	g_autoptr(GDir) processes = g_dir_open(directory, 0, NULL);
	const char *name;

	waits->is_of_threads = only;
	while (processes && (name = g_dir_read_name(processes))) {
		g_autofree char *path = g_strdup_printf("%s/%s/task", directory, name);
		g_autoptr(GDir) threads =
			g_ascii_isdigit(*name) ? g_dir_open(path, 0, NULL) : NULL;
		const char *thread;

		while (threads && (thread = g_dir_read_name(threads)))
			scan_thread(waits, strtoul(name, NULL, 10), path, thread, only);
	}
}

static void forked(SptPerfWaits *waits, const struct spt_perf_who *who)
{
	struct thread *thread = waits_add(waits, who->pid, who->tid, who->time, SYSPROF_STATE_NEW);

	thread->born = who->time;
	thread->cpu = who->cpu;
}

/* From now on the thread only ends. */
static void exited(SptPerfWaits *waits, const struct spt_perf_who *who,
		   const struct spt_perf_sink *sink)
{
	struct thread *thread = waits_find(waits, who->tid);

	if (!thread || thread->has_ended)
		return;
	/* Of single threads, others are not seen to switch. */
	if (!waits->is_of_threads)
		waits_miss_end(waits, thread);
	waits_spend(thread, who->time, thread->state);
	thread->has_ended = true;
	forget_stacks(thread);
	waits_put_thread(thread, who->time, sink, waits);
}

void spt_perf_waits_switch(SptPerfWaits *waits, const struct spt_perf_who *who, unsigned misc,
			   const struct spt_perf_sink *sink)
{
	if (misc & PERF_RECORD_MISC_SWITCH_OUT)
		switched_out(waits, who, misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	else
		switched_in(waits, who, sink);
}

void spt_perf_waits_take(SptPerfWaits *waits, unsigned cpu, const struct perf_event_header *header,
			 const struct spt_perf_sink *sink)
{
	const struct sample_id *id =
		(const void *)((const uint8_t *)header + header->size - sizeof(*id));
	const uint32_t *words = (const void *)(header + 1);
	struct spt_perf_who who = { .cpu = cpu };
	struct spt_perf_waits_hit hit = { .sample = header };

	spt_perf_record_time(header, &who.time);
	who.pid = id->pid;
	who.tid = id->tid;
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		who.pid = words[0];
		who.tid = words[1];
		hit.who = who;
		hit.raw = spt_perf_sample_raw(header, &hit.raw_bytes);
		spt_perf_waits_hit(waits, &hit);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		spt_perf_waits_switch(waits, &who, header->misc, sink);
		break;
	case PERF_RECORD_LOST:
		/* Lost switches and stacks; how many of them were ends of waits is not known. */
		waits->accounts[cpu].lost[SYSPROF_LOST_RING_FULL].events +=
			((const uint64_t *)(header + 1))[1];
		waits->accounts[cpu].seen.events += ((const uint64_t *)(header + 1))[1];
		waits->n_lost += ((const uint64_t *)(header + 1))[1];
		break;
	case PERF_RECORD_FORK:
		who.pid = words[0];
		who.tid = words[2];
		forked(waits, &who);
		break;
	case PERF_RECORD_EXIT:
		who.pid = words[0];
		who.tid = words[2];
		exited(waits, &who, sink);
		break;
	}
}

void spt_perf_waits_tell(SptPerfWaits *waits, uint64_t at, const struct spt_perf_sink *sink)
{
	GHashTableIter iter;
	struct thread *thread;
	void *data;

	for (unsigned cpu = 0; cpu < waits->n_cpus; cpu++)
		put_lane(waits, cpu, sink);
	g_hash_table_iter_init(&iter, waits->threads);
	while (g_hash_table_iter_next(&iter, NULL, &data)) {
		thread = data;
		if (thread->has_changed)
			waits_put_thread(thread, at, sink, waits);
		if (thread->gone ? thread->gone + LAST_WAIT_NS < at :
				   thread->has_ended && thread->since + UNSEEN_WAIT_NS < at) {
			waits->recent[thread->tid % RECENT_THREADS] = NULL;
			g_hash_table_iter_remove(&iter);
		}
	}
}

void spt_perf_waits_finish(SptPerfWaits *waits, uint64_t at, const struct spt_perf_sink *sink)
{
	GHashTableIter iter;
	void *data;

	g_hash_table_iter_init(&iter, waits->threads);
	while (g_hash_table_iter_next(&iter, NULL, &data)) {
		struct thread *thread = data;

		if (thread->has_ended)
			continue;
		if (thread->state == SYSPROF_STATE_RUNNING)
			waits_spend(thread, at, SYSPROF_STATE_RUNNING);
		else
			end_wait(waits, thread, thread->cpu, MAX(at, thread->began), sink);
		thread->state = SYSPROF_STATE_RUNNING;
		thread->has_changed = true;
	}
	spt_perf_waits_tell(waits, at, sink);
}

void spt_perf_waits_put_account(const SptPerfWaits *waits, unsigned cpu, uint64_t at,
				const struct spt_perf_sink *sink)
{
	struct spt_perf_who nobody = { .time = at, .cpu = cpu };
	struct sysprof_source_account_record record = {
		.record = spt_perf_record(SYSPROF_SOURCE_ACCOUNT, 0, sizeof(record), &nobody),
		.source = SPT_TRACE_WAITS,
		.kind = SYSPROF_SOURCE_WAIT,
		.account = waits->accounts[cpu],
	};

	sink->func(&record.record, sink->data);
}

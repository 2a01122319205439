/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perfetto-waits.h"

#ifdef SPT_HAS_PPROF

#include "base/words.h"
#include "import/import.h"
#include "sysprof-event.h"
#include "trace/perf/waits.h"

/* Most changes of a state that are kept. */
#define CHANGES_MAX (1u << 25)

/* From a time on a thread is in a state. */
struct pftrace_change {
	uint64_t time;
	uint32_t tid, cpu;
	uint8_t state;			/* enum sysprof_state */
};

struct pftrace_thread {
	uint64_t left, woken;		/* woken 0: nobody was seen to wake it */
	uint32_t cpu;
	uint8_t state;			/* RUNNING: it waits for nothing that is known */
};

struct SptPftraceWaits {
	GArray *changes;		/* struct pftrace_change */
	GHashTable *threads;		/* tid -> struct pftrace_thread */
};

SptPftraceWaits *spt_pftrace_waits_new(void)
{
	SptPftraceWaits *waits = g_new0(SptPftraceWaits, 1);

	waits->changes = g_array_new(FALSE, FALSE, sizeof(struct pftrace_change));
	waits->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	return waits;
}

void spt_pftrace_waits_free(SptPftraceWaits *waits)
{
	g_array_unref(waits->changes);
	g_hash_table_unref(waits->threads);
	g_free(waits);
}

/* Of CPUs that are idle nothing is kept. */
static const char *keep_change(SptPftraceWaits *waits, uint64_t time, int64_t tid, uint32_t cpu,
			       uint8_t state)
{
	const struct pftrace_change change = { time, (uint32_t)tid, cpu, state };

	if (tid <= 0 || tid > INT32_MAX || cpu >= SPT_IMPORT_CPUS || time > INT64_MAX / 2)
		return NULL;
	if (waits->changes->len >= CHANGES_MAX)
		return SPT_WORDS("it is too large");
	g_array_append_val(waits->changes, change);
	return NULL;
}

static const char *note_switch(SptPftraceWaits *waits, SptPftraceState *state,
			       const SptPerfettoSwitch *event, uint64_t time, uint32_t cpu)
{
	const char *wrong;

	spt_pftrace_state_name(state, (uint32_t)event->prev_pid, &event->prev_comm);
	spt_pftrace_state_name(state, (uint32_t)event->next_pid, &event->next_comm);
	wrong = keep_change(waits, time, event->prev_pid, cpu,
			    spt_perf_waits_state_of((uint64_t)event->prev_state));
	return wrong ? wrong :
		       keep_change(waits, time, event->next_pid, cpu, SYSPROF_STATE_RUNNING);
}

/* A switch says who came: who leaves is who came before. */
static const char *note_switches(SptPftraceWaits *waits, SptPftraceState *state,
				 const SptPerfettoSwitches *all, uint32_t cpu)
{
	size_t n = MIN(MIN(all->n_switch_timestamp, all->n_switch_prev_state),
		       all->n_switch_next_pid);
	const char *wrong = NULL;
	int32_t before = 0;
	uint64_t time = 0;

	for (size_t i = 0; i < n && !wrong; i++) {
		uint32_t name = i < all->n_switch_next_comm_index ?
					all->switch_next_comm_index[i] :
					UINT32_MAX;

		time += all->switch_timestamp[i];
		if (name < all->n_intern_table)
			spt_pftrace_state_name(state, (uint32_t)all->switch_next_pid[i],
					       &all->intern_table[name]);
		wrong = keep_change(waits, time, before, cpu,
				    spt_perf_waits_state_of((uint64_t)all->switch_prev_state[i]));
		before = all->switch_next_pid[i];
		if (!wrong)
			wrong = keep_change(waits, time, before, cpu, SYSPROF_STATE_RUNNING);
	}
	return wrong;
}

const char *spt_pftrace_waits_note(SptPftraceWaits *waits, SptPftraceState *state,
				   const SptPerfettoPacket *packet)
{
	const SptPerfettoKernelEvents *events = packet->ftrace_events;
	const char *wrong = NULL;

	for (size_t i = 0; events && i < events->n_event && !wrong; i++)
		if (events->event[i]->sched_switch)
			wrong = note_switch(waits, state, events->event[i]->sched_switch,
					    events->event[i]->timestamp, events->cpu);
	if (events && events->compact_sched && !wrong)
		wrong = note_switches(waits, state, events->compact_sched, events->cpu);
	return wrong;
}

void spt_pftrace_waits_span(const SptPftraceWaits *waits, uint64_t *begin_ns, uint64_t *end_ns)
{
	for (guint i = 0; i < waits->changes->len; i++) {
		uint64_t time = g_array_index(waits->changes, struct pftrace_change, i).time;

		*begin_ns = MIN(*begin_ns, time);
		*end_ns = MAX(*end_ns, time);
	}
}

const char *spt_pftrace_waits_take(SptPftraceWaits *waits, const SptPerfettoTask *task,
				   uint64_t time)
{
	static const uint8_t states[] = {
		[SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_RUNNABLE] = SYSPROF_STATE_WOKEN,
		[SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_RUNNING] = SYSPROF_STATE_RUNNING,
		[SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_SLEEPS] = SYSPROF_STATE_SLEEP,
		[SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_SLEEPS_SOUNDLY] = SYSPROF_STATE_DISK,
		[SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_STOPPED] = SYSPROF_STATE_STOPPED,
	};
	unsigned state = (unsigned)task->state;

	return keep_change(waits, time, task->tid, (uint32_t)task->cpu,
			   state == SPT_PERFETTO_TASK_STATE__SPT_PERFETTO_RUNNING ?
				   SYSPROF_STATE_RUNNING :
			   state < G_N_ELEMENTS(states) && states[state] ? states[state] :
									   SYSPROF_STATE_OTHER);
}

/* Waits. */

static int compare_changes(gconstpointer a, gconstpointer b)
{
	const struct pftrace_change *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static void put_pftrace_wait(const struct pftrace_thread *thread,
			     const struct pftrace_change *change, uint32_t id,
			     SptImportStacks *stacks, uint64_t begin_ns)
{
	uint64_t duration = change->time - thread->left;
	bool was_blocked = thread->state != SYSPROF_STATE_PREEMPTED;
	const SptWaitRow row = {
		.time = change->time - begin_ns,
		.duration_ns = duration,
		.runnable_ns = !was_blocked  ? duration :
			       thread->woken ? change->time - thread->woken :
					       0,
		.weight_ns = duration,
		.cpu = change->cpu,
		.cpu_before = thread->cpu,
		.thread = id,
		.state = thread->state,
		.flags = was_blocked && !thread->woken ? SPT_WAIT_NO_WAKING : 0,
	};

	if (duration)
		spt_import_stacks_wait(stacks, &row);
}

static void take_change(SptPftraceWaits *waits, const SptPftraceState *state,
			const struct pftrace_change *change, SptImportStacks *stacks,
			uint64_t begin_ns)
{
	struct pftrace_thread *thread =
		g_hash_table_lookup(waits->threads, GUINT_TO_POINTER(change->tid));
	bool is_off = thread && thread->state != SYSPROF_STATE_RUNNING;

	if (!thread) {
		thread = g_new0(struct pftrace_thread, 1);
		g_hash_table_insert(waits->threads, GUINT_TO_POINTER(change->tid), thread);
	}
	if (change->state == SYSPROF_STATE_WOKEN && is_off) {
		thread->woken = change->time;
	} else if (change->state == SYSPROF_STATE_RUNNING) {
		if (is_off)
			put_pftrace_wait(thread, change,
					 spt_pftrace_state_thread(state, stacks, 0, change->tid),
					 stacks, begin_ns);
		thread->state = SYSPROF_STATE_RUNNING;
	} else {
		*thread = (struct pftrace_thread){
			.left = change->time,
			.cpu = change->cpu,
			.state = change->state == SYSPROF_STATE_WOKEN ? SYSPROF_STATE_PREEMPTED :
									change->state,
		};
	}
}

const char *spt_pftrace_waits_put(SptPftraceWaits *waits, const SptPftraceState *state,
				  SptImportStacks *stacks, uint64_t begin_ns)
{
	const char *wrong = NULL;

	/* This sort keeps the order of equal ones. */
	g_array_sort(waits->changes, compare_changes);
	for (guint i = 0; i < waits->changes->len && !wrong; i++) {
		take_change(waits, state,
			    &g_array_index(waits->changes, struct pftrace_change, i), stacks,
			    begin_ns);
		wrong = spt_import_stacks_excess(stacks);
		if (!wrong && !spt_import_stacks_flush(stacks, NULL))
			break;
	}
	return wrong;
}

#endif

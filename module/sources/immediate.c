// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of immediate sources.  Each session counts all of them, and picks those that contain an
 * instant of its grid, or that last at least as long as it requested.  The grid of a source that
 * counts nanoseconds is of the CPU's time.  The instants are computed, not stored: the number of
 * instants before a point is a function of that point.
 */
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>

#include "sources/event.h"
#include "periods.h"
#include "sources/immediate.h"
#include "session-stack.h"
#include "stack.h"
#include "throttle.h"
#include "trace-points.h"

#define TIMED_CALLS 64 /* one call in this number is timed, and represents the others */
#define CPU_SHIFT   40 /* distance of the CPUs' grids, as a power of two */

/**
 * struct immediate_cpu - of one CPU; touched there with interrupts off
 * @stack: stack that is being sent
 * @stacks: taken
 * @calls: by enum sysprof_immediate, without those of events that passed
 * @cost_ns: likewise
 * @timed_since: the call under way is timed; 0: it is not
 * @skips: users' sessions are not asked of the event under way
 */
struct immediate_cpu {
	struct sysprof_stack *stack;
	u32 stacks;
	u64 calls[SYSPROF_IMMEDIATES];
	u64 cost_ns[SYSPROF_IMMEDIATES];
	u64 timed_since;
	bool skips;
};

static DEFINE_PER_CPU(struct immediate_cpu, immediate_cpus);
DEFINE_PER_CPU(struct sysprof_immediate_countdown[SYSPROF_IMMEDIATES],
	       sysprof_immediate_countdowns);
u32 sysprof_immediate_changes;

/* The part of an event that is after the session's START. */
struct extent {
	u64 begin;
	u64 duration;
	u64 value;
	bool is_cut;
};

static struct extent immediate_clip(const struct sysprof_subscription *sub,
				    const struct sysprof_immediate_event *event)
{
	u64 begin = max(event->begin, sub->start), duration = max(event->end, begin) - begin;

	if (event->phase == SYSPROF_PHASE_OPEN || event->phase == SYSPROF_PHASE_INSTANT)
		return (struct extent){ .begin = event->begin, .value = event->value };
	return (struct extent){
		.begin = begin,
		.duration = duration,
		.value = event->axis == SYSPROF_AXIS_NS && event->phase == SYSPROF_PHASE_SPAN ?
				 min(event->value, duration) :
				 event->value,
		.is_cut = begin != event->begin,
	};
}

/* How far an event reaches on its axis. */
static u64 reach_of(const struct sysprof_immediate_event *event, const struct extent *extent)
{
	return event->axis == SYSPROF_AXIS_VALUE  ? event->value :
	       event->axis == SYSPROF_AXIS_EVENTS ? 1 :
						    extent->duration;
}

/* Where the next event begins on the axis. */
static u64 position_of(const struct sysprof_immediate_countdown *countdown)
{
	return countdown->until - countdown->left;
}

/* Number of instants of the session's grid in the event. */
static u64 immediate_weight_of(const struct sysprof_immediate_event *event,
			       const struct sysprof_subscription *sub, const struct extent *extent)
{
	const struct sysprof_immediate_request *request = &sub->immediate[event->immediate];
	u64 from =
		event->axis == SYSPROF_AXIS_NS ?
			extent->begin :
			position_of(this_cpu_ptr(&sysprof_immediate_countdowns[event->immediate]));
	u64 *next = &sub->cpus[smp_processor_id()].next[event->immediate];
	u64 reach = reach_of(event, extent), picked_to;

	if (!request->period)
		return reach >= request->threshold;
	if (!event->is_global)
		from += (u64)smp_processor_id() << CPU_SHIFT;
	if (event->axis == SYSPROF_AXIS_NS)
		return picked_before(from + reach, request->period) -
		       picked_before(from, request->period);
	/* These follow each other without gaps, and most are far from the next instant. */
	if (likely(from + reach <= *next))
		return 0;
	picked_to = picked_before(from + reach, request->period);
	*next = picked(picked_to, request->period);
	return picked_to - picked_before(from, request->period);
}

/* Whether the session gets each event of the source, of all CPUs. */
static bool gets_all(const struct sysprof_subscription *sub, enum sysprof_immediate immediate)
{
	const struct sysprof_immediate_request *request = &sub->immediate[immediate];

	return request->id && !request->period && !request->threshold && sub->is_plain;
}

/* Events that pass. */

void sysprof_immediate_follow(struct sysprof_subscription *sub, int cpu,
			      enum sysprof_immediate immediate)
{
	const struct sysprof_immediate_countdown *countdown =
		per_cpu_ptr(&sysprof_immediate_countdowns[immediate], cpu);
	struct sysprof_source_account *account = &sub->cpus[cpu].immediate[immediate];
	struct sysprof_countdown_mark *mark = &sub->cpus[cpu].marks[immediate];
	u64 events = countdown->passed - mark->passed,
	    value = position_of(countdown) - countdown->asked - mark->value;

	mark->passed += events;
	mark->value += value;
	if (!mark->is_set)
		return;
	account->seen.events += events;
	account->seen.value += value;
	account->not_picked.events += events;
	account->not_picked.value += value;
}

void sysprof_immediate_begin(struct sysprof_subscription *sub, int cpu,
			     enum sysprof_immediate immediate)
{
	sysprof_immediate_follow(sub, cpu, immediate);
	sub->cpus[cpu].marks[immediate].is_set = true;
}

void sysprof_immediate_end(struct sysprof_subscription *sub, int cpu)
{
	int i;

	for (i = 0; i < SYSPROF_IMMEDIATES; i++)
		sub->cpus[cpu].marks[i].is_set = false;
}

/*
 * Up to where events pass for a session: it picks none of them, for want of an instant and for no
 * other reason.
 */
static u64 passes_until(const struct sysprof_subscription *sub, enum sysprof_immediate immediate)
{
	u64 next = sub->cpus[smp_processor_id()].next[immediate], first = (u64)smp_processor_id()
									  << CPU_SHIFT;

	if (!sub->immediate[immediate].id)
		return U64_MAX;
	if (!sub->immediate[immediate].period || !sub->is_plain)
		return 0;
	return next > first ? next - first : 0;
}

/* Finds out how far events pass for all sessions. */
static noinline void set_left(struct sysprof_immediate_countdown *countdown,
			      enum sysprof_immediate immediate)
{
	u64 at = position_of(countdown), until = U64_MAX;
	struct sysprof_subscription *sub;

	sysprof_for_each_subscription(sub)
		until = min(until, passes_until(sub, immediate));
	countdown->left = until > at ? min_t(u64, until - at, S64_MAX) : -1;
	countdown->until = at + countdown->left;
	countdown->is_closed = !until;
}

static noinline void note_changes(struct sysprof_immediate_countdown *countdown,
				  enum sysprof_immediate immediate)
{
	struct sysprof_subscription *sub;

	/* Pairs with the release of update_requests() in sources.c: a new session is in the list */
	countdown->changes = smp_load_acquire(&sysprof_immediate_changes);
	sysprof_for_each_subscription(sub)
		sysprof_immediate_begin(sub, smp_processor_id(), immediate);
	countdown->is_closed = false;
}

bool sysprof_immediate_note_closes(enum sysprof_immediate immediate, enum sysprof_immediate open)
{
	struct sysprof_immediate_countdown *countdown =
		this_cpu_ptr(&sysprof_immediate_countdowns[immediate]);
	/* As in note_changes(). */
	u32 changes = smp_load_acquire(&sysprof_immediate_changes);
	struct sysprof_subscription *sub;
	bool passes = true;

	/* Those that are not asked may get all. */
	if (sysprof_subscriptions_skip())
		return false;
	rcu_read_lock();
	sysprof_for_each_subscription(sub) {
		sysprof_immediate_begin(sub, smp_processor_id(), immediate);
		passes &= !gets_all(sub, open);
	}
	rcu_read_unlock();
	if (!passes)
		return false;
	countdown->changes = changes;
	countdown->passed++;
	return true;
}

u8 sysprof_immediate_context(void)
{
	if (hardirq_count())
		return SYSPROF_CONTEXT_IRQ;
	if (in_serving_softirq())
		return SYSPROF_CONTEXT_SOFTIRQ;
	return current->pid ? SYSPROF_CONTEXT_TASK : SYSPROF_CONTEXT_IDLE;
}

/*
 * A CLOSE goes to the sessions that got its OPEN.  Bits are given out again, to sessions that begin
 * later.
 */
static bool has_opened(const struct sysprof_subscription *sub,
		       const struct sysprof_immediate_event *event)
{
	return (event->delivered_to & sub->bit && event->delivered_start >= sub->start) ||
	       gets_all(sub, event->open);
}

/* A holder is the session's if one of its waiters is. */
static bool is_excluded(const struct sysprof_subscription *sub,
			const struct sysprof_immediate_event *event)
{
	if (event->immediate != SYSPROF_IMMEDIATE_HOLD)
		return sysprof_event_is_excluded(sub->session, current);
	return !(event->delivered_to & sub->bit) ||
	       !cpumask_test_cpu(smp_processor_id(), sub->session->cpumask) ||
	       sysprof_session_hides(sub->session, current) == SYSPROF_HIDES_FRAMES;
}

/* Accounts for an event in the session; returns its weight, 0 if it is not sent. */
static u64 immediate_choose(const struct sysprof_subscription *sub,
			    struct sysprof_immediate_event *event,
			    struct sysprof_source_account *account, const struct extent *extent)
{
	const struct sysprof_immediate_request *request = &sub->immediate[event->immediate];
	bool is_close = event->phase == SYSPROF_PHASE_CLOSE;
	u64 weight = is_close ? has_opened(sub, event) : immediate_weight_of(event, sub, extent);
	struct sysprof_tally *to = NULL;

	if (weight && !event->end)
		event->begin = event->end = ktime_get_mono_fast_ns();
	sysprof_tally_add(&account->seen, extent->value, extent->duration, weight);
	if (unlikely(!sub->is_plain) && !is_close && is_excluded(sub, event))
		to = &account->excluded;
	else if (!weight)
		to = request->period || is_close ? &account->not_picked : &account->below;
	else if (sysprof_event_is_throttled(sub->session, event->end))
		to = &account->lost[SYSPROF_LOST_THROTTLED];
	if (!to)
		return weight;
	sysprof_tally_add(to, extent->value, extent->duration, weight);
	return 0;
}

/* The parts of the stack that sessions request; false: no session gets the event. */
static bool pick(struct sysprof_immediate_event *event, bool skips,
		 struct sysprof_stack_request *stack)
{
	int cpu = smp_processor_id();
	const struct sysprof_immediate_request *request;
	struct sysprof_subscription_cpu *own;
	struct sysprof_subscription *sub;
	struct extent extent;
	bool any = false;

	sysprof_for_each_asking_subscription(sub, skips) {
		own = &sub->cpus[cpu];
		request = &sub->immediate[event->immediate];
		own->immediate_weight = 0;
		if (!request->id || READ_ONCE(sub->session->dead))
			continue;
		extent = immediate_clip(sub, event);
		own->immediate_weight =
			immediate_choose(sub, event, &own->immediate[event->immediate], &extent);
		if (!own->immediate_weight)
			continue;
		if (event->phase == SYSPROF_PHASE_OPEN && !gets_all(sub, event->immediate))
			event->needs_close = true;
		if (any)
			sysprof_stack_request_add(stack, &request->stack);
		else
			*stack = request->stack;
		any = true;
	}
	return any;
}

/* An event that would never end for the session. */
static void lose(struct sysprof_subscription *sub, const struct sysprof_immediate_event *event)
{
	struct sysprof_subscription_cpu *own = &sub->cpus[smp_processor_id()];
	struct extent extent = immediate_clip(sub, event);

	sysprof_tally_add(&own->immediate[event->immediate].lost[SYSPROF_LOST_NO_SLOT],
			  extent.value, extent.duration, own->immediate_weight);
}

static void immediate_put(struct sysprof_subscription *sub, struct sysprof_session_cpu *sc,
			  const struct sysprof_immediate_event *from, struct sysprof_stack *stack)
{
	const struct sysprof_immediate_request *request = &sub->immediate[from->immediate];
	u32 part_bytes = from->part ? from->part->size * 8 : 0;
	struct sysprof_subscription_cpu *own = &sub->cpus[sc->cpu];
	struct sysprof_source_account *account = &own->immediate[from->immediate];
	struct extent extent = immediate_clip(sub, from);
	struct sysprof_part_lock *lock;
	struct sysprof_event *event;
	u32 stacks = request->stacks;

	/* The operation is the session's, who ends it may be anybody. */
	if (from->phase == SYSPROF_PHASE_CLOSE)
		stacks = sysprof_event_stacks(sub->session, stacks);
	event = sysprof_event_reserve(sc, stacks, stack, part_bytes);
	sysprof_tally_add(sysprof_event_tally(account, event), extent.value, extent.duration,
			  own->immediate_weight);
	if (!IS_ERR(event)) {
		event->begin = extent.begin;
		event->duration = extent.duration;
		event->value = extent.value;
		event->key = from->key;
		event->weight = min_t(u64, own->immediate_weight, U32_MAX);
		event->source = request->id;
		event->phase = from->phase;
		event->state = from->context;
		event->record.flags |= from->flags | (extent.is_cut ? SYSPROF_EVENT_CUT_BEGIN : 0);
		lock = sysprof_event_part(event, part_bytes);
		memcpy(lock, from->part, part_bytes);
		/*
		 * Whether the session may know of the holder was only asked if that has sent its
		 * HOLD.
		 */
		if (unlikely(sub->session->hides_others) && part_bytes &&
		    from->part->type == SYSPROF_PART_LOCK)
			lock->holder_pid = lock->holder_tid = 0;
		sysprof_ring_commit(&sc->ring);
	}
	sysprof_delivery_wake(sub->session, sc);
}

static void immediate_end_call(struct immediate_cpu *cpu, enum sysprof_immediate immediate,
			       bool has_stack)
{
	u64 now, cost;

	if (likely(!cpu->timed_since))
		return;
	now = ktime_get_mono_fast_ns();
	cost = now - cpu->timed_since;
	cpu->cost_ns[immediate] += cost * TIMED_CALLS;
	cpu->timed_since = 0;
	/* Stacks are paid for by themselves. */
	if (!has_stack)
		sysprof_subscriptions_pay(now, cost, TIMED_CALLS);
}

/*
 * Whether there is time for copies of stacks.  Other hooks may run with a lock held for which other
 * CPUs spin, the run queue's too.  These interrupt code as ticks do, or run where a task may sleep.
 */
static bool may_copy(const struct sysprof_immediate_event *event)
{
	switch (event->immediate) {
	case SYSPROF_IMMEDIATE_IRQ:
	case SYSPROF_IMMEDIATE_SOFTIRQ:
	case SYSPROF_IMMEDIATE_FAULT:
	case SYSPROF_IMMEDIATE_STALL:
		return true;
	case SYSPROF_IMMEDIATE_HOLD:
		return event->regs;
	default:
		return false;
	}
}

void sysprof_immediate_tell_wanted(struct sysprof_immediate_event *event)
{
	struct immediate_cpu *cpu = this_cpu_ptr(&immediate_cpus);
	bool is_close = event->phase == SYSPROF_PHASE_CLOSE;
	struct sysprof_session_cpu *sc;
	struct sysprof_subscription *sub;

	if (!may_copy(event))
		cpu->stack->request.raw_bytes = 0;
	cpu->stack->origin = event->origin;
	sysprof_stack_take(cpu->stack, event->regs);
	sysprof_for_each_asking_subscription(sub, cpu->skips) {
		sc = &sub->session->cpus[smp_processor_id()];
		if (!sub->immediate[event->immediate].id || !sub->cpus[sc->cpu].immediate_weight)
			continue;
		if (unlikely(event->phase == SYSPROF_PHASE_OPEN &&
			     (event->has_no_slot || !sub->bit) &&
			     !gets_all(sub, event->immediate))) {
			lose(sub, event);
			continue;
		}
		immediate_put(sub, sc, event, cpu->stack);
		if (!is_close && !gets_all(sub, event->immediate)) {
			event->delivered_to |= sub->bit;
			event->delivered_start = max(event->delivered_start, sub->start);
		}
		sysprof_subscription_tell(sub, sc, event->end);
	}
	sysprof_event_pay_for_stack(&cpu->stacks, event->end);
	immediate_end_call(cpu, event->immediate, true);
}

bool sysprof_immediate_wants(struct sysprof_immediate_event *event)
{
	struct sysprof_immediate_countdown *countdown =
		this_cpu_ptr(&sysprof_immediate_countdowns[event->immediate]);
	struct immediate_cpu *cpu = this_cpu_ptr(&immediate_cpus);
	bool is_followed = event->axis != SYSPROF_AXIS_NS && event->phase != SYSPROF_PHASE_CLOSE;
	u64 reach = event->axis == SYSPROF_AXIS_VALUE ? event->value : 1;
	bool is_wanted;

	/* An NMI may have interrupted this CPU while it reported another event. */
	if (unlikely(in_nmi())) {
		sysprof_immediate_missed(event->immediate);
		return false;
	}
	if (unlikely(++cpu->calls[event->immediate] % TIMED_CALLS == 0))
		cpu->timed_since = event->end ?: ktime_get_mono_fast_ns();
	if (is_followed && unlikely(countdown->changes != READ_ONCE(sysprof_immediate_changes)))
		note_changes(countdown, event->immediate);
	cpu->skips = sysprof_subscriptions_skip();
	if (unlikely(cpu->skips))
		this_cpu_inc(sysprof_skips.n.immediates[event->immediate]);
	is_wanted = pick(event, cpu->skips, &cpu->stack->request);
	if (is_followed) {
		countdown->left -= reach;
		countdown->asked += reach;
		/* No event passes that would have to be skipped. */
		if (!countdown->is_closed && !cpu->skips)
			set_left(countdown, event->immediate);
	}
	if (!is_wanted)
		immediate_end_call(cpu, event->immediate, false);
	return is_wanted;
}

void sysprof_immediate_tell(struct sysprof_immediate_event *event)
{
	if (sysprof_immediate_wants(event))
		sysprof_immediate_tell_wanted(event);
}

void sysprof_immediate_tell_from_hook(struct sysprof_immediate_event *event)
{
	unsigned long flags;

	if (in_nmi())
		return;
	local_irq_save(flags);
	event->context = sysprof_immediate_context();
	rcu_read_lock();
	sysprof_immediate_tell(event);
	rcu_read_unlock();
	local_irq_restore(flags);
}

bool sysprof_immediate_has_picker(const struct sysprof_immediate_event *event)
{
	struct sysprof_subscription *sub;
	struct extent extent;

	sysprof_for_each_subscription(sub) {
		if (!sub->immediate[event->immediate].id || READ_ONCE(sub->session->dead))
			continue;
		extent = immediate_clip(sub, event);
		if (immediate_weight_of(event, sub, &extent) &&
		    (sub->is_plain || !is_excluded(sub, event)))
			return true;
	}
	return false;
}

void sysprof_immediate_count_unpicked(const struct sysprof_immediate_event *event)
{
	struct sysprof_source_account *account;
	struct sysprof_tally *to;
	struct sysprof_subscription *sub;
	struct extent extent;
	u64 weight;

	sysprof_for_each_subscription(sub) {
		if (!sub->immediate[event->immediate].id || READ_ONCE(sub->session->dead))
			continue;
		account = &sub->cpus[smp_processor_id()].immediate[event->immediate];
		extent = immediate_clip(sub, event);
		weight = immediate_weight_of(event, sub, &extent);
		/* What has an instant and was not picked was excluded then. */
		if (weight || (!sub->is_plain && is_excluded(sub, event)))
			to = &account->excluded;
		else
			to = sub->immediate[event->immediate].period ? &account->not_picked :
								       &account->below;
		sysprof_tally_add(&account->seen, extent.value, extent.duration, weight);
		sysprof_tally_add(to, extent.value, extent.duration, weight);
	}
}

/* Reports to each session that has the source an event without details. */
void sysprof_immediate_missed(enum sysprof_immediate immediate)
{
	struct sysprof_source_account *account;
	struct sysprof_subscription *sub;

	rcu_read_lock();
	sysprof_for_each_subscription(sub) {
		if (!sub->immediate[immediate].id)
			continue;
		account = &sub->cpus[smp_processor_id()].immediate[immediate];
		account->seen.events++;
		account->lost[SYSPROF_LOST_NO_SLOT].events++;
	}
	rcu_read_unlock();
}

void sysprof_immediate_cost(int cpu, enum sysprof_immediate immediate, u64 *ns, u64 *calls)
{
	*ns = READ_ONCE(per_cpu_ptr(&immediate_cpus, cpu)->cost_ns[immediate]);
	*calls = READ_ONCE(per_cpu_ptr(&immediate_cpus, cpu)->calls[immediate]) +
		 READ_ONCE(per_cpu_ptr(&sysprof_immediate_countdowns[immediate], cpu)->passed);
}

/* Memory. */

/* Of users. */
static DEFINE_MUTEX(memory_lock);
static unsigned int users;

static void immediate_free_stacks(void)
{
	int i;

	for_each_possible_cpu(i) {
		kvfree(per_cpu_ptr(&immediate_cpus, i)->stack);
		per_cpu_ptr(&immediate_cpus, i)->stack = NULL;
	}
}

static int immediate_alloc_stacks(void)
{
	struct immediate_cpu *cpu;
	int i;

	for_each_possible_cpu(i) {
		cpu = per_cpu_ptr(&immediate_cpus, i);
		*cpu = (struct immediate_cpu){
			.stack = kvzalloc_node(sizeof(*cpu->stack), GFP_KERNEL, cpu_to_node(i)),
		};
		if (!cpu->stack) {
			immediate_free_stacks();
			return -ENOMEM;
		}
	}
	return 0;
}

static int prepare(void)
{
	int err = 0;

	mutex_lock(&memory_lock);
	if (!users)
		err = immediate_alloc_stacks();
	if (!err)
		users++;
	mutex_unlock(&memory_lock);
	return err;
}

static void release(void)
{
	mutex_lock(&memory_lock);
	if (!--users)
		immediate_free_stacks();
	mutex_unlock(&memory_lock);
}

/* Hooks. */

const char *sysprof_hooking_lacks(struct sysprof_hooking *hooking)
{
	struct sysprof_hook *hook;

	for (hook = hooking->hooks; hook < hooking->hooks + hooking->n; hook++) {
		hook->tracepoint = hook->probe ? sysprof_trace_point_find(hook->name) : NULL;
		if (!hook->tracepoint && !hook->is_optional)
			return hook->name;
	}
	return NULL;
}

static void immediate_remove_hooks(struct sysprof_hooking *hooking, int n)
{
	struct sysprof_hook *hook;

	while (n--) {
		hook = &hooking->hooks[n];
		if (hook->tracepoint)
			tracepoint_probe_unregister(hook->tracepoint, hook->probe, hook->data);
	}
	tracepoint_synchronize_unregister();
	if (hooking->end)
		hooking->end();
	release();
}

int sysprof_hooking_put(struct sysprof_arming *arming)
{
	struct sysprof_hooking *hooking = container_of(arming, struct sysprof_hooking, arming);
	struct sysprof_hook *hook;
	int i, err = prepare();

	if (err)
		return err;
	if (hooking->begin)
		err = hooking->begin();
	if (err) {
		release();
		return err;
	}
	for (i = 0; i < hooking->n; i++) {
		hook = &hooking->hooks[i];
		if (!hook->tracepoint)
			continue;
		err = tracepoint_probe_register(hook->tracepoint, hook->probe, hook->data);
		if (err) {
			immediate_remove_hooks(hooking, i);
			return err;
		}
	}
	return 0;
}

void sysprof_hooking_remove(struct sysprof_arming *arming)
{
	struct sysprof_hooking *hooking = container_of(arming, struct sysprof_hooking, arming);

	immediate_remove_hooks(hooking, hooking->n);
}

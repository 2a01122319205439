// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits and wakings: selects the sessions that want each, and writes the records.  Each session
 * counts all of them, and picks those that contain an instant of its grid, or that last at least as
 * long as it requested.
 */
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "sources/calls.h"
#include "sources/event.h"
#include "periods.h"
#include "session-stack.h"
#include "sources/sources.h"
#include "stack.h"
#include "sources/waits.h"

u8 sysprof_wakes_wanted;

/* The part of a wait that is after the session's START. */
struct extent {
	u64 begin;
	u64 duration;
	u64 value;
	bool is_cut;
};

static __always_inline struct extent waits_clip(const struct sysprof_subscription *sub,
						const struct sysprof_wait *wait)
{
	u64 begin = max(wait->begin, sub->start), end = max(wait->end, begin);

	return (struct extent){
		.begin = begin,
		.duration = end - begin,
		.value = clamp(wait->woken, begin, end) - begin,
		.is_cut = begin != wait->begin,
	};
}

/* Number of instants of the session's own grid in the time that has passed. */
static __always_inline u64 own_instants(const struct sysprof_subscription *sub,
					struct sysprof_instants instants)
{
	u64 from = max(instants.from, sub->first_period);

	if (likely(from >= instants.to))
		return 0;
	return picked_before(instants.to, sub->divisor) - picked_before(from, sub->divisor);
}

void sysprof_waits_missed(void)
{
	struct sysprof_source_account *account;
	struct sysprof_subscription *sub;

	sysprof_for_each_subscription(sub) {
		if (!sub->wait_id)
			continue;
		account = &sub->cpus[smp_processor_id()].wait;
		account->seen.events++;
		account->lost[SYSPROF_LOST_NO_SLOT].events++;
	}
}

/* Records. */

static __always_inline void sources_waits_count(struct sysprof_source_account *account,
						struct sysprof_tally *to,
						const struct extent *extent, u64 weight)
{
	sysprof_tally_add(&account->seen, extent->value, extent->duration, weight);
	sysprof_tally_add(to, extent->value, extent->duration, weight);
}

/* Flags of events for a wait that is reported, from @slot. */
static __always_inline u16 waits_describe(struct sysprof_part_wait *part,
					  const struct sysprof_slot *slot, u64 begin,
					  const struct task_struct *task)
{
	u16 flags = unlikely(slot->is_found) && begin == slot->since_made ?
			    SYSPROF_EVENT_CUT_BEGIN :
			    0;

	part->part = (struct sysprof_part){ .type = SYSPROF_PART_WAIT, .size = sizeof(*part) / 8 };
	part->cpu_before = slot->cpu;
	part->priority = task->prio;
	part->reserved = 0;
	part->waker_pid = part->waker_tid = 0;
	part->wake = 0;
	part->waker_cpu = 0;
	if (!sysprof_needs_waking(slot->state))
		return flags;
	if (!slot->woken)
		return flags | SYSPROF_EVENT_NO_WAKE;
	part->part.a = slot->context;
	part->waker_pid = slot->waker_pid;
	part->waker_tid = slot->waker_tid;
	part->waker_cpu = slot->waker_cpu;
	if (slot->wake)
		part->wake = sysprof_wake_key(slot->waker_cpu, slot->wake);
	return flags;
}

/*
 * Only numbers are left of the waker: that the opener could trace it is certain only if it was of
 * the waiter's own process, @pid.
 */
static __always_inline void hide_waker(const struct sysprof_subscription *sub,
				       struct sysprof_part_wait *part, u32 pid)
{
	if (unlikely(sub->session->hides_others == SYSPROF_HIDES_FRAMES) && part->waker_pid != pid)
		part->waker_pid = part->waker_tid = 0;
}

/* What the thread waits for, where its system call says it. */
static void describe_call(struct sysprof_wait *wait, const struct sysprof_slot *slot,
			  struct task_struct *task)
{
	struct sysprof_part_wait_file *file = &wait->part.file;
	struct sysprof_called called;

	if (!sysprof_needs_waking(slot->state) || slot->state == SYSPROF_STATE_STOPPED)
		return;
	called = sysprof_calls_look(task);
	wait->part.wait.part.b = called.call;
	if (called.futex) {
		wait->part.wait.part.size = sizeof(wait->part.futex) / 8;
		wait->part.futex.address = called.futex;
		return;
	}
	if (!sysprof_inode_has_name(called.inode))
		return;
	wait->part.wait.part.size = sizeof(*file) / 8;
	file->file_major = MAJOR(called.inode->i_sb->s_dev);
	file->file_minor = MINOR(called.inode->i_sb->s_dev);
	file->inode = called.inode->i_ino;
}

/*
 * The bytes of the part that the session gets.  Current is the waiter, if its user stack is there:
 * of others nobody can say whether the session may have addresses.
 */
static u32 waits_part_bytes(const struct sysprof_subscription *sub, const struct sysprof_wait *wait,
			    const struct sysprof_stack *stack)
{
	if (likely(wait->part.wait.part.b != SYSPROF_CALL_FUTEX) ||
	    (sub->stacks & SYSPROF_STACKS_USER && stack->user_regs &&
	     sysprof_session_may_have_addresses(sub->session)))
		return wait->part.wait.part.size * 8;
	return sizeof(wait->part.wait);
}

static __always_inline void waits_fill(struct sysprof_event *event,
				       const struct sysprof_subscription *sub,
				       const struct extent *extent, u64 weight, u8 state, u16 flags)
{
	event->begin = extent->begin;
	event->duration = extent->duration;
	event->value = extent->value;
	event->key = 0;
	event->weight = min_t(u64, weight, U32_MAX);
	event->source = sub->wait_id;
	event->phase = SYSPROF_PHASE_SPAN;
	event->state = state;
	event->record.flags |= flags | (extent->is_cut ? SYSPROF_EVENT_CUT_BEGIN : 0);
}

/* Without a stack there is nothing to wait for, and it costs little. */
static __always_inline void put_bare(struct sysprof_subscription *sub,
				     struct sysprof_subscription_cpu *own,
				     const struct sysprof_wait *wait, const struct extent *extent,
				     u64 weight, const struct sysprof_slot *slot,
				     const struct task_struct *task)
{
	struct sysprof_session_cpu *sc = &sub->session->cpus[smp_processor_id()];
	struct sysprof_part_wait *part;
	struct sysprof_event *event;

	sysprof_delivery_report_losses(sc);
	event = sysprof_delivery_take(sc, sizeof(*event) + sizeof(struct sysprof_part_wait),
				      sc->ring.bytes / 2, SYSPROF_EVENT);
	sources_waits_count(&own->wait,
			    likely(event) ? &own->wait.delivered :
					    &own->wait.lost[SYSPROF_LOST_RING_FULL],
			    extent, weight);
	if (likely(event)) {
		event->record.pid = task->tgid;
		event->record.tid = task->pid;
		event->mm = 0;
		event->n_kernel = event->n_user = 0;
		event->kernel_end = event->user_end = SYSPROF_END_NONE;
		event->user_mode = SYSPROF_USER_NONE;
		event->n_parts = 1;
		part = (struct sysprof_part_wait *)event->frames;
		waits_fill(event, sub, extent, weight, slot->state,
			   waits_describe(part, slot, wait->begin, task));
		hide_waker(sub, part, task->tgid);
		ring_commit(&sc->ring);
	}
	sysprof_subscription_tell(sub, sc, wait->end);
	sysprof_delivery_wake(sub->session, sc);
}

static noinline u32 waits_choose(struct sysprof_subscription *sub, struct sysprof_wait *wait,
				 const struct sysprof_slot *slot, struct task_struct *task,
				 struct sysprof_stack *stack, u32 so_far)
{
	struct sysprof_subscription_cpu *own = &sub->cpus[smp_processor_id()];
	struct extent extent = waits_clip(sub, wait);
	u64 weight = 1;

	if (sub->divisor)
		weight = own_instants(sub, wait->instants);
	else if (extent.duration < sub->threshold)
		weight = 0;
	if (unlikely(!sub->is_plain && sysprof_event_is_excluded(sub->session, task))) {
		sources_waits_count(&own->wait, &own->wait.excluded, &extent, weight);
		return 0;
	}
	if (!weight) {
		sysprof_tally_add(&own->left_out, extent.value, extent.duration, 0);
		return 0;
	}
	if (!sub->takes_stacks) {
		put_bare(sub, own, wait, &extent, weight, slot, task);
		return 0;
	}
	if (unlikely(sysprof_event_is_throttled(sub->session, wait->end))) {
		sources_waits_count(&own->wait, &own->wait.lost[SYSPROF_LOST_THROTTLED], &extent,
				    weight);
		return 0;
	}
	own->weight = weight;
	if (!so_far) {
		wait->flags = waits_describe(&wait->part.wait, slot, wait->begin, task);
		describe_call(wait, slot, task);
		wait->state = slot->state;
		stack->request = sub->request;
	} else {
		sysprof_stack_request_add(&stack->request, &sub->request);
	}
	return 1;
}

u32 sysprof_waits_choose(struct sysprof_subscription *sub, struct sysprof_wait *wait,
			 const struct sysprof_slot *slot, struct task_struct *task,
			 struct sysprof_stack *stack, u32 so_far)
{
	const struct extent whole = {
		.begin = wait->begin,
		.duration = wait->end - wait->begin,
		.value = wait->woken - wait->begin,
	};

	if (!sub->wait_id || unlikely(READ_ONCE(sub->session->dead)))
		return 0;
	if (sub->takes_stacks || wait->begin < sub->plain_from || whole.duration < sub->threshold)
		return waits_choose(sub, wait, slot, task, stack, so_far);
	put_bare(sub, &sub->cpus[smp_processor_id()], wait, &whole, 1, slot, task);
	return 0;
}

bool sysprof_waits_pick_skipping(struct sysprof_wait *wait, const struct sysprof_slot *slot,
				 struct task_struct *task, struct sysprof_stack *stack)
{
	struct sysprof_subscription *sub;
	u32 delivered = 0;

	this_cpu_inc(sysprof_skips.n.waits);
	sysprof_for_each_asking_subscription(sub, true)
		delivered |= sysprof_waits_choose(sub, wait, slot, task, stack, delivered);
	return delivered;
}

static __always_inline void put_with_stack(struct sysprof_subscription *sub,
					   struct sysprof_subscription_cpu *own,
					   const struct sysprof_wait *wait,
					   struct sysprof_stack *stack)
{
	struct sysprof_session_cpu *sc = &sub->session->cpus[smp_processor_id()];
	struct extent extent = waits_clip(sub, wait);
	u32 part_bytes = waits_part_bytes(sub, wait, stack);
	struct sysprof_event *event = sysprof_event_reserve(sc, sub->stacks, stack, part_bytes);
	struct sysprof_part_wait *part;

	sources_waits_count(&own->wait, sysprof_event_tally(&own->wait, event), &extent,
			    own->weight);
	if (!IS_ERR(event)) {
		waits_fill(event, sub, &extent, own->weight, wait->state, wait->flags);
		part = sysprof_event_part(event, part_bytes);
		memcpy(part, &wait->part, part_bytes);
		part->part.size = part_bytes / 8;
		hide_waker(sub, part, stack->pid);
		sysprof_ring_commit(&sc->ring);
	}
	sysprof_subscription_tell(sub, sc, wait->end);
	sysprof_delivery_wake(sub->session, sc);
}

void sysprof_waits_put(const struct sysprof_wait *wait, struct sysprof_stack *stack)
{
	int cpu = smp_processor_id();
	struct sysprof_subscription_cpu *own;
	struct sysprof_subscription *sub;

	sysprof_for_each_subscription(sub) {
		own = &sub->cpus[cpu];
		if (own->weight)
			put_with_stack(sub, own, wait, stack);
		own->weight = 0;
	}
}

/* Wakings. */

/* Whether the session picks the wait so far.  The waiter may be leaving its CPU still. */
static bool picks(const struct sysprof_subscription *sub, const struct task_struct *task,
		  const struct sysprof_slot *slot, u64 now)
{
	u64 begin = max(READ_ONCE(slot->since), sub->start), next = READ_ONCE(slot->next);
	struct sysprof_instants instants;

	if (!sub->wake_id || READ_ONCE(sub->session->dead))
		return false;
	if (!sub->divisor) {
		if (now < begin || now - begin < sub->threshold)
			return false;
	} else {
		if (next > now)
			return false;
		instants.from = div_u64(next, SYSPROF_WAIT_PERIOD_NS);
		instants.to = div_u64(now, SYSPROF_WAIT_PERIOD_NS) + 1;
		if (!own_instants(sub, instants))
			return false;
	}
	return (sub->is_plain || !sysprof_event_is_excluded(sub->session, task)) &&
	       !sysprof_event_is_throttled(sub->session, now);
}

static void put_wake(struct sysprof_subscription *sub, struct sysprof_subscription_cpu *own,
		     u64 now, u8 context, struct sysprof_stack *stack, u64 key)
{
	struct sysprof_session_cpu *sc = &sub->session->cpus[smp_processor_id()];
	/* The waiter is the session's, the waker may be another user's. */
	u32 stacks = sysprof_event_stacks(sub->session, sub->stacks);
	struct sysprof_event *event = sysprof_event_reserve(sc, stacks, stack, 0);

	own->wake.seen.events++;
	sysprof_event_tally(&own->wake, event)->events++;
	if (!IS_ERR(event)) {
		event->begin = now;
		event->duration = 0;
		event->value = 0;
		event->key = key;
		event->weight = 0;
		event->source = sub->wake_id;
		event->phase = SYSPROF_PHASE_INSTANT;
		event->state = context;
		sysprof_ring_commit(&sc->ring);
	}
	sysprof_delivery_wake(sub->session, sc);
}

static bool plan_wakes(struct task_struct *task, const struct sysprof_slot *slot, u64 now,
		       u8 context, bool skips, struct sysprof_stack_request *request)
{
	int cpu = smp_processor_id();
	struct sysprof_subscription *sub;
	bool any = false;

	*request = (struct sysprof_stack_request){};
	sysprof_for_each_asking_subscription(sub, skips) {
		sub->cpus[cpu].wakes = picks(sub, task, slot, now);
		if (!sub->cpus[cpu].wakes)
			continue;
		sysprof_stack_request_add(request, &sub->request);
		any = true;
	}
	/* While a lock of the scheduler's is held there is no time for copies of stacks. */
	request->raw_bytes = 0;
	/* The thread did not cause the interrupt. */
	if (context != SYSPROF_CONTEXT_TASK)
		request->max_user = 0;
	return any;
}

bool sysprof_wakes_put(struct task_struct *task, const struct sysprof_slot *slot, u64 now,
		       u8 context, struct sysprof_stack *stack, u64 key)
{
	int cpu = smp_processor_id();
	bool skips = sysprof_subscriptions_skip();
	struct sysprof_subscription_cpu *own;
	struct sysprof_subscription *sub;

	if (READ_ONCE(slot->state) < SYSPROF_STATE_SLEEP ||
	    !plan_wakes(task, slot, now, context, skips, &stack->request))
		return false;
	sysprof_stack_take(stack, NULL);
	if (context != SYSPROF_CONTEXT_TASK)
		stack->user_regs = NULL;
	sysprof_for_each_asking_subscription(sub, skips) {
		own = &sub->cpus[cpu];
		if (own->wakes)
			put_wake(sub, own, now, context, stack, key);
	}
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Which sessions get an event, and the stack in its record. */
#include <linux/cpumask.h>
#include <linux/smp.h>

#include "event.h"
#include "filter.h"
#include "raw.h"
#include "session-stack.h"
#include "stack.h"
#include "throttle.h"

#define TIMED_STACKS	8	/* one of this number of stacks is timed */
#define CHEAP_NS	(10 * NSEC_PER_USEC)	/* untimed ones count as no more */

bool sysprof_event_is_throttled(const struct sysprof_session *session, u64 now)
{
	return sysprof_throttle_until(SYSPROF_PAID_BY_EVENTS) > now ||
	       (!session->is_exempt && sysprof_throttle_until(SYSPROF_PAID_BY_USERS_EVENTS) > now);
}

bool sysprof_event_is_excluded(const struct sysprof_session *session,
			       const struct task_struct *task)
{
	return !cpumask_test_cpu(smp_processor_id(), session->cpumask) ||
	       !sysprof_filter_passes_task(session->filter, task) ||
	       sysprof_session_hides(session, task) == SYSPROF_HIDES_FRAMES;
}

void sysprof_event_add_wish(struct sysprof_stack_wish *wish, const struct sysprof_session *session,
			    u32 stacks)
{
	const struct sysprof_stack_wish *own = &session->wish;

	if (stacks & SYSPROF_STACKS_KERNEL)
		wish->max_kernel = max(wish->max_kernel, own->max_kernel);
	if (!(stacks & SYSPROF_STACKS_USER))
		return;
	wish->max_user = max(wish->max_user, own->max_user);
	wish->addresses |= own->addresses;
	wish->places |= own->places;
	wish->raw_bytes = max(wish->raw_bytes, session->config.raw_bytes);
}

struct sysprof_event_shape sysprof_event_shape(const struct sysprof_session *session, u32 stacks,
					       struct sysprof_session_cpu *sc,
					       struct sysprof_stack *stack)
{
	struct sysprof_stack_wish unused = {};
	struct sysprof_event_shape shape = {
		.has_user = stacks & SYSPROF_STACKS_USER && stack->user_regs,
	};

	if (session->asks_rights && shape.has_user) {
		sysprof_session_ask_rights(sc, &unused);
		shape.hides = sc->hides;
	}
	if (stacks & SYSPROF_STACKS_KERNEL)
		shape.n_kernel = min_t(u32, stack->n_kernel, session->wish.max_kernel);
	if (!shape.has_user)
		return shape;
	if (session->user_kind == SYSPROF_KIND_TABLED)
		sysprof_stack_by_tables(stack, sc->tables);
	shape.n_user = min(stack->user[session->user_kind].walk.n, session->wish.max_user);
	if (stack->raw && sc->raw_bytes)
		shape.raw_bytes =
			sizeof(struct sysprof_part) + sysprof_raw_size(stack->raw, sc->raw_bytes);
	return shape;
}

u32 sysprof_event_bytes(const struct sysprof_event_shape *shape)
{
	return sizeof(struct sysprof_event) + (shape->n_kernel + shape->n_user) * sizeof(u64) +
	       shape->raw_bytes;
}

struct sysprof_part *sysprof_event_put_stack(struct sysprof_event *event,
					     const struct sysprof_session *session, u32 stacks,
					     const struct sysprof_session_cpu *sc,
					     const struct sysprof_stack *stack,
					     const struct sysprof_event_shape *shape)
{
	const struct sysprof_user_part *user = &stack->user[session->user_kind];
	struct sysprof_part *part;

	event->record.flags = stack->flags;
	event->record.pid = stack->pid;
	event->record.tid = stack->tid;
	event->mm = stack->mm;
	event->n_kernel = shape->n_kernel;
	event->n_user = shape->n_user;
	event->kernel_end = !(stacks & SYSPROF_STACKS_KERNEL) ? SYSPROF_END_NONE :
			    shape->n_kernel < stack->n_kernel ? SYSPROF_END_LIMIT :
								stack->kernel_end;
	event->user_end = SYSPROF_END_NONE;
	event->user_mode = SYSPROF_USER_NONE;
	event->n_parts = 0;
	memcpy(event->frames, stack->kernel, shape->n_kernel * sizeof(u64));
	part = (struct sysprof_part *)(event->frames + shape->n_kernel + shape->n_user);
	if (!shape->has_user)
		return part;
	event->record.flags |= user->flags;
	event->user_end = shape->n_user < user->walk.n ? SYSPROF_END_LIMIT : user->walk.end;
	event->user_mode = session->config.user_mode - 1;
	if (event->user_mode == SYSPROF_USER_RAW && !shape->raw_bytes)
		event->user_mode = SYSPROF_USER_FP;
	if (unlikely(shape->hides)) {
		event->record.flags |= SYSPROF_SAMPLE_FUNCTIONS;
		sysprof_session_put_functions(event->frames + shape->n_kernel, user->frames,
					      shape->n_user);
	} else {
		memcpy(event->frames + shape->n_kernel, user->frames, shape->n_user * sizeof(u64));
	}
	if (!shape->raw_bytes)
		return part;
	*part = (struct sysprof_part){ .type = SYSPROF_PART_RAW, .size = shape->raw_bytes / 8 };
	sysprof_raw_put_into(part + 1, stack->raw, sc->raw_bytes);
	event->n_parts++;
	return (struct sysprof_part *)((u8 *)part + shape->raw_bytes);
}

struct sysprof_event *sysprof_event_reserve(struct sysprof_session_cpu *sc, u32 bytes,
					    struct sysprof_source_account *account, u64 value,
					    u64 ns, u64 weight)
{
	struct sysprof_event *event = NULL;
	u32 limit = sc->ring.bytes / 2;

	if (bytes <= limit)
		event = sysprof_delivery_reserve(sc, bytes, limit, SYSPROF_EVENT);
	sysprof_tally_add(event ? &account->delivered :
				  &account->lost[bytes > limit ? SYSPROF_LOST_TOO_BIG :
								 SYSPROF_LOST_RING_FULL],
			  value, ns, weight);
	return event;
}

void sysprof_event_pay_for_stack(u32 *stacks, u64 begin)
{
	u64 now, cost;

	if (++*stacks % TIMED_STACKS)
		return;
	now = ktime_get_mono_fast_ns();
	cost = now - begin;
	cost += min_t(u64, cost, CHEAP_NS) * (TIMED_STACKS - 1);
	sysprof_throttle_spend(SYSPROF_PAID_BY_EVENTS, now, cost);
	sysprof_throttle_spend(SYSPROF_PAID_BY_USERS_EVENTS, now, cost);
}

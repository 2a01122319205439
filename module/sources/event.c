// SPDX-License-Identifier: GPL-2.0-only
/* Selects the sessions that get an event, and the stack in its record. */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/smp.h>

#include "sources/event.h"
#include "filter.h"
#include "once.h"
#include "raw.h"
#include "session-stack.h"
#include "stack.h"
#include "throttle.h"

#define CHEAP_NS (10 * NSEC_PER_USEC) /* untimed ones count as this at most */

bool sysprof_event_is_excluded(const struct sysprof_session *session,
			       const struct task_struct *task)
{
	return !cpumask_test_cpu(smp_processor_id(), session->cpumask) ||
	       !sysprof_filter_passes_task(session->filter, task) ||
	       sysprof_session_hides(session, task) == SYSPROF_HIDES_FRAMES;
}

u32 sysprof_event_stacks(const struct sysprof_session *session, u32 stacks)
{
	return sysprof_session_hides(session, current) == SYSPROF_HIDES_FRAMES ?
		       SYSPROF_STACKS_HIDDEN :
		       stacks;
}

void sysprof_event_request(const struct sysprof_session *session, u32 stacks,
			   struct sysprof_stack_request *request)
{
	*request = session->request;
	if (!(stacks & SYSPROF_STACKS_KERNEL))
		request->max_kernel = 0;
	if (stacks & SYSPROF_STACKS_USER) {
		if (session->user_kind != SYSPROF_KIND_TABLED)
			request->raw_bytes = session->config.raw_bytes;
	} else {
		request->max_user = 0;
		request->addresses = request->places = false;
	}
}

/**
 * struct shape - the parts of a stack that go into a session's event
 * @n_kernel: number of kernel frames
 * @n_user: number of user frames
 * @cookie: of the user frames; 0: they have none, and there is no part STACK
 * @raw_bytes: bytes of the part RAW without its head; 0: there is none
 * @user: the user part; NULL: the stack has none, or the session did not request it
 * @rights: what the session may have of the user part.  Asked once: the answer may change until the
 *	record is written
 * @is_hidden: the session must not know whose event it is
 */
struct shape {
	u32 n_kernel;
	u32 n_user;
	u32 raw_bytes;
	u64 cookie;
	struct sysprof_user_part *user;
	struct sysprof_stack_rights rights;
	bool is_hidden;
};

static noinline void ask_rights(const struct sysprof_session *session,
				struct sysprof_stack_rights *ret)
{
	sysprof_session_ask_rights(session, ret);
}

static __always_inline struct shape shape_of(struct sysprof_session_cpu *sc, u32 stacks,
					     struct sysprof_stack *stack)
{
	const struct sysprof_session *session = sc->session;
	struct shape shape = { .is_hidden = stacks & SYSPROF_STACKS_HIDDEN };
	bool has_user = stacks & SYSPROF_STACKS_USER && stack->user_regs;

	if (has_user && likely(!session->asks_rights)) {
		shape.rights = session->rights;
	} else if (has_user) {
		ask_rights(session, &shape.rights);
		/* They have changed since it was found that the session may have the event. */
		if (unlikely(shape.rights.hides == SYSPROF_HIDES_FRAMES))
			return (struct shape){ .is_hidden = true };
	}
	if (stacks & SYSPROF_STACKS_KERNEL)
		shape.n_kernel = min_t(u32, stack->n_kernel, session->request.max_kernel);
	if (!has_user)
		return shape;
	shape.user = &stack->user[session->user_kind];
	if (session->user_kind == SYSPROF_KIND_TABLED)
		sysprof_session_by_tables(sc, stack, &shape.rights);
	shape.n_user = min(shape.user->walk.n, session->request.max_user);
	shape.cookie =
		once_cookie(sc, &shape.user->walk, shape.n_user, shape.rights.hides);
	if (stack->raw && shape.rights.raw_bytes && session->user_kind != SYSPROF_KIND_TABLED)
		shape.raw_bytes = sysprof_raw_size(stack->raw, shape.rights.raw_bytes);
	return shape;
}

static noinline void put_nobody(struct sysprof_event *event)
{
	event->mm = 0;
	event->n_kernel = event->n_user = 0;
	event->kernel_end = event->user_end = SYSPROF_END_NONE;
	event->user_mode = SYSPROF_USER_NONE;
}

static __always_inline void put_stack(struct sysprof_event *event,
				      const struct sysprof_session *session, u32 stacks,
				      const struct sysprof_stack *stack, const struct shape *shape)
{
	struct sysprof_user_part *user = shape->user;
	u32 n_user = shape->n_user;
	struct sysprof_part *part;

	if (unlikely(shape->is_hidden)) {
		put_nobody(event);
		return;
	}
	event->record.flags = stack->flags;
	event->record.pid = stack->pid;
	event->record.tid = stack->tid;
	event->mm = stack->mm;
	event->n_kernel = shape->n_kernel;
	if (once_refers(shape->cookie))
		n_user -= user->walk.outer.n;
	event->n_user = n_user;
	event->kernel_end = !(stacks & SYSPROF_STACKS_KERNEL) ? SYSPROF_END_NONE :
			    shape->n_kernel < stack->n_kernel ? SYSPROF_END_LIMIT :
								stack->kernel_end;
	event->user_end = SYSPROF_END_NONE;
	event->user_mode = SYSPROF_USER_NONE;
	memcpy(event->frames, stack->kernel, shape->n_kernel * sizeof(u64));
	if (!user)
		return;
	event->record.flags |= user->flags;
	event->user_end = shape->n_user < user->walk.n ? SYSPROF_END_LIMIT : user->walk.end;
	event->user_mode = session->config.user_mode - 1;
	if (event->user_mode == SYSPROF_USER_RAW && !shape->raw_bytes)
		event->user_mode = SYSPROF_USER_FP;
	if (unlikely(shape->rights.hides)) {
		event->record.flags |= SYSPROF_SAMPLE_FUNCTIONS;
		sysprof_walk_complete(&user->walk);
		sysprof_session_put_functions(event->frames + shape->n_kernel, user->frames,
					      n_user);
	} else {
		once_put(event->frames + shape->n_kernel, &user->walk, n_user);
		sysprof_user_part_put_thread(user, event->frames + shape->n_kernel, n_user);
	}
	part = (struct sysprof_part *)(event->frames + shape->n_kernel + n_user);
	if (shape->cookie) {
		*(struct sysprof_part_stack *)part = (struct sysprof_part_stack){
			.type = SYSPROF_PART_STACK,
			.size = sizeof(struct sysprof_part_stack) / 8,
			.cookie = shape->cookie,
		};
		event->n_parts++;
	}
	/* By tables there are no copies, and along frame pointers no cookies. */
	if (likely(!shape->raw_bytes))
		return;
	*part = (struct sysprof_part){
		.type = SYSPROF_PART_RAW,
		.size = (sizeof(*part) + shape->raw_bytes) / 8,
	};
	sysprof_raw_put_into(part + 1, shape->raw_bytes, stack->raw, shape->rights.raw_bytes);
	event->n_parts++;
}

struct sysprof_event *sysprof_event_reserve(struct sysprof_session_cpu *sc, u32 stacks,
					    struct sysprof_stack *stack, u32 part_bytes)
{
	const struct sysprof_session *session = sc->session;
	struct shape shape = shape_of(sc, stacks, stack);
	u32 limit = sc->ring.bytes / 2,
	    raw_bytes = shape.raw_bytes ? sizeof(struct sysprof_part) + shape.raw_bytes : 0,
	    n_user = shape.n_user - (once_refers(shape.cookie) ? shape.user->walk.outer.n : 0),
	    bytes = sizeof(struct sysprof_event) + raw_bytes + part_bytes +
		    (shape.cookie ? sizeof(struct sysprof_part_stack) : 0) +
		    (shape.n_kernel + n_user) * sizeof(u64);
	struct sysprof_event *event;

	sysprof_delivery_report_losses(sc);
	if (unlikely(bytes > limit))
		return ERR_PTR(-E2BIG);
	event = sysprof_delivery_take(sc, bytes, limit, SYSPROF_EVENT);
	if (unlikely(!event))
		return ERR_PTR(-ENOSPC);
	event->n_parts = !!part_bytes;
	put_stack(event, session, stacks, stack, &shape);
	if (shape.cookie)
		once_sent(sc, &shape.user->walk, shape.cookie);
	return event;
}

void sysprof_event_pay(u64 begin)
{
	u64 now = ktime_get_mono_fast_ns(), cost = now - begin;

	cost += min_t(u64, cost, CHEAP_NS) * (SYSPROF_TIMED_STACKS - 1);
	sysprof_throttle_spend(SYSPROF_PAID_BY_EVENTS, now, cost);
	sysprof_throttle_spend(SYSPROF_PAID_BY_USERS_EVENTS, now, cost);
}

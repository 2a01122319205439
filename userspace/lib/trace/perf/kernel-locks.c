/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for locks of the kernel, by thread and lock: a thread may wait for a lock in an interrupt
 * while it waits for another.  No trace point says who holds a lock.
 */
#include "trace/perf/kernel-hooks.h"

/* Bits of the trace point's flags, as in the kernel (LCB_F_*). */
#define IS_SPIN	  (1 << 0)
#define IS_READ	  (1 << 1)
#define IS_WRITE  (1 << 2)
#define IS_RT	  (1 << 3)
#define IS_PERCPU (1 << 4)
#define IS_MUTEX  (1 << 5)

enum { LOCK, FLAGS };

static uint16_t contention_lock_kind(uint64_t flags)
{
	if (!flags)
		return SYSPROF_LOCK_OTHER;
	if (flags & IS_MUTEX)
		return SYSPROF_LOCK_MUTEX;
	if (flags & IS_RT)
		return SYSPROF_LOCK_RT;
	if (flags & IS_PERCPU)
		return SYSPROF_LOCK_PERCPU;
	if (!(flags & IS_SPIN))
		return SYSPROF_LOCK_RWSEM;
	return flags & (IS_READ | IS_WRITE) ? SYSPROF_LOCK_RWLOCK : SYSPROF_LOCK_SPIN;
}

/* A mutex is reported twice: a thread spins first, and then sleeps.  The first time counts. */
static void contention_began(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	uint64_t thread = spt_hit_thread(hit), lock = spt_hit_number(hit, LOCK);
	SptPair *pair = spt_pairs_find(state->locks, thread, lock);

	if (pair)
		return;
	pair = spt_pairs_add(state->locks, thread, lock, hit->who.time);
	if (pair)
		pair->value = spt_hit_number(hit, FLAGS);
}

static void contention_ended(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	SptPair pair;
	struct sysprof_part_lock part = {
		.part = { SYSPROF_PART_LOCK, sizeof(part) / 8, 0, 0 },
	};
	struct spt_kernel_event event = {
		.kind = SYSPROF_SOURCE_LOCK,
		.phase = SYSPROF_PHASE_SPAN,
		.context = spt_hit_context(hit),
		.weight = 1,
		.part = &part.part,
		.has_stack = true,
	};

	if (!spt_pairs_take(state->locks, spt_hit_thread(hit), spt_hit_number(hit, LOCK), &pair)) {
		spt_kernel_tell_unpaired(state, hit);
		return;
	}
	part.part.a = contention_lock_kind(pair.value);
	part.lock = spt_kallsyms_data_frame(state->kallsyms, pair.b);
	event.begin = pair.since;
	event.value = hit->who.time - MIN(pair.since, hit->who.time);
	spt_kernel_tell(state, hit, &event);
}

const struct spt_kernel_hook spt_hooks_locks[] = {
	{
		.name = "lock:contention_end",
		.kind = SYSPROF_SOURCE_LOCK,
		.flags = SPT_HOOK_COUNTS | SPT_HOOK_STACK,
		.take = contention_ended,
		.fields = { [LOCK] = "lock_addr" },
	},
	{
		.name = "lock:contention_begin",
		.kind = SYSPROF_SOURCE_LOCK,
		.take = contention_began,
		.fields = { [LOCK] = "lock_addr", [FLAGS] = "flags" },
	},
	{ 0 },
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/open-calls.h"

#include <string.h>

/*
 * The stack pointer in a function that has begun, and where it has returned to: on x86 the return
 * address is between the two.
 */
#define SLACK_BYTES 32u
#define MOST_DEEP   4096u
/* The address that replaces them is the first one of a page. */
#define IN_PAGE	    0xfffu
#define MOST_STACKS (1u << 18)

struct SptOpenCalls {
	GHashTable *stacks;		/* thread -> GArray of SptOpenCall */
	uint64_t unended;
};

static void open_call_clear(void *data)
{
	g_free(((SptOpenCall *)data)->texts);
}

SptOpenCalls *spt_open_calls_new(void)
{
	SptOpenCalls *calls = g_new0(SptOpenCalls, 1);

	calls->stacks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					      (GDestroyNotify)g_array_unref);
	return calls;
}

void spt_open_calls_free(SptOpenCalls *calls)
{
	if (!calls)
		return;
	g_hash_table_unref(calls->stacks);
	g_free(calls);
}

static gint64 open_calls_key(uint32_t tid, uint32_t cpu)
{
	return tid ? tid : (gint64)(1ULL << 32 | cpu);
}

static void drop_last(SptOpenCalls *calls, GArray *stack, guint from)
{
	calls->unended += stack->len - from;
	g_array_set_size(stack, from);
}

void spt_open_calls_begin(SptOpenCalls *calls, uint32_t tid, const SptOpenCall *call)
{
	gint64 key = open_calls_key(tid, call->cpu);
	GArray *stack = g_hash_table_lookup(calls->stacks, &key);

	if (!stack && g_hash_table_size(calls->stacks) < MOST_STACKS) {
		stack = g_array_new(FALSE, FALSE, sizeof(SptOpenCall));
		g_array_set_clear_func(stack, open_call_clear);
		g_hash_table_insert(calls->stacks, g_memdup2(&key, sizeof(key)), stack);
	}
	if (!stack || stack->len >= MOST_DEEP) {
		g_free(call->texts);
		calls->unended++;
		return;
	}
	g_array_append_vals(stack, call, 1);
}

static bool open_calls_is_of(const SptOpenCall *call, const SptOpenCall *end)
{
	return call->function == end->function &&
	       end->sp + SLACK_BYTES - call->sp <= 2 * SLACK_BYTES;
}

bool spt_open_calls_end(SptOpenCalls *calls, uint32_t tid, uint64_t time, SptOpenCall *ret)
{
	gint64 key = open_calls_key(tid, ret->cpu);
	GArray *stack = g_hash_table_lookup(calls->stacks, &key);

	for (guint i = stack ? stack->len : 0; i--;) {
		SptOpenCall *call = &g_array_index(stack, SptOpenCall, i);

		if (!open_calls_is_of(call, ret))
			continue;
		*ret = *call;
		call->texts = NULL;
		drop_last(calls, stack, i + 1);
		g_array_set_size(stack, i);
		if (i && time > ret->time)
			g_array_index(stack, SptOpenCall, i - 1).inner_ns += time - ret->time;
		return true;
	}
	return false;
}

void spt_open_calls_mend(const SptOpenCalls *calls, uint32_t tid, uint64_t sp, uint8_t *copy,
			 size_t bytes)
{
	gint64 key = open_calls_key(tid, 0);
	const GArray *stack = tid ? g_hash_table_lookup(calls->stacks, &key) : NULL;

	for (guint i = 0; stack && i < stack->len; i++) {
		const SptOpenCall *call = &g_array_index(stack, SptOpenCall, i);
		uint64_t at = call->sp - sp, found;

		if (!call->caller || at > bytes || bytes - at < sizeof(found))
			continue;
		memcpy(&found, copy + at, sizeof(found));
		if (!(found & IN_PAGE))
			memcpy(copy + at, &call->caller, sizeof(call->caller));
	}
}

uint64_t spt_open_calls_count(const SptOpenCalls *calls)
{
	uint64_t n = calls->unended;
	GHashTableIter at;
	gpointer key, stack;

	g_hash_table_iter_init(&at, calls->stacks);
	while (g_hash_table_iter_next(&at, &key, &stack))
		n += ((const GArray *)stack)->len;
	return n;
}

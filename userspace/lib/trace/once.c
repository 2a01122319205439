/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/once.h"

#include <string.h>

/* What a sample and an event have in common. */
struct parts {
	uint64_t *cookie;
	uint16_t *n_user;
	uint8_t *user_end;
	size_t head_bytes;		/* up to the first frame */
	size_t frames_bytes;
};

struct stack {
	uint64_t number;
	uint64_t serial;
	uint64_t *frames;
	unsigned room;			/* for that many frames */
	unsigned n;			/* 0: there is none */
};

struct SptOnce {
	struct stack (*stacks)[SYSPROF_STACK_PLACES];	/* by CPU */
	unsigned n_cpus;
	uint64_t n_defined;
	uint64_t lost;
	/* The record that was copied last. */
	void *room;
	size_t room_bytes;
};

SptOnce *spt_once_new(unsigned n_cpus)
{
	SptOnce *once = g_new0(SptOnce, 1);

	once->n_cpus = n_cpus;
	once->stacks = g_malloc0_n(n_cpus, sizeof(*once->stacks));
	return once;
}

void spt_once_free(SptOnce *once)
{
	if (!once)
		return;
	for (unsigned cpu = 0; cpu < once->n_cpus; cpu++)
		for (unsigned i = 0; i < SYSPROF_STACK_PLACES; i++)
			g_free(once->stacks[cpu][i].frames);
	g_free(once->stacks);
	g_free(once->room);
	g_free(once);
}

uint64_t spt_once_lost(const SptOnce *once)
{
	return once->lost;
}

/* Of an event; NULL: it has none. */
static uint64_t *once_cookie_in(const struct sysprof_event *event)
{
	const __u64 *at = event->frames + event->n_kernel + event->n_user,
		    *end = (const __u64 *)event + event->record.size;
	const struct sysprof_part_stack *part = (const void *)at;

	/* It is always the first one. */
	if (!event->n_parts || (size_t)((const char *)end - (const char *)at) < sizeof(*part) ||
	    part->type != SYSPROF_PART_STACK || part->size * 8u < sizeof(*part))
		return NULL;
	return (uint64_t *)&part->cookie;
}

uint64_t spt_once_cookie(const struct sysprof_record *record)
{
	const uint64_t *cookie;

	if (record->type == SYSPROF_SAMPLE)
		return ((const struct sysprof_sample *)record)->cookie;
	if (record->type != SYSPROF_EVENT)
		return 0;
	cookie = once_cookie_in((const struct sysprof_event *)record);
	return cookie ? *cookie : 0;
}

/* Of a record that has a cookie. */
static struct parts once_parts_of(struct sysprof_record *record)
{
	struct sysprof_sample *sample = (void *)record;
	struct sysprof_event *event = (void *)record;

	if (record->type == SYSPROF_SAMPLE)
		return (struct parts){ (uint64_t *)&sample->cookie, &sample->n_user,
				       &sample->user_end, sizeof(*sample),
				       ((size_t)sample->n_kernel + sample->n_user) * 8 };
	return (struct parts){ once_cookie_in(event), &event->n_user, &event->user_end,
			       sizeof(*event), ((size_t)event->n_kernel + event->n_user) * 8 };
}

static void once_define(SptOnce *once, struct stack *stack, const struct sysprof_record *record,
			uint64_t cookie)
{
	struct parts parts = once_parts_of((struct sysprof_record *)record);
	unsigned n = SYSPROF_STACK_FRAMES(cookie);
	const uint8_t *end = (const uint8_t *)record + parts.head_bytes + parts.frames_bytes;

	stack->number = cookie & SYSPROF_STACK_NUMBER_MASK;
	stack->n = n;
	if (!n)
		return;
	stack->serial = ++once->n_defined;
	if (n > stack->room) {
		stack->room = n;
		stack->frames = g_renew(uint64_t, stack->frames, n);
	}
	memcpy(stack->frames, end - n * sizeof(*stack->frames), n * sizeof(*stack->frames));
}

/* A copy of @record with room for @bytes more. */
static struct sysprof_record *once_copy(SptOnce *once, const struct sysprof_record *record,
					size_t bytes)
{
	size_t size = record->size * 8u;

	if (once->room_bytes < size + bytes) {
		once->room_bytes = size + bytes;
		once->room = g_realloc(once->room, once->room_bytes);
	}
	memcpy(once->room, record, size);
	return once->room;
}

static bool once_has(const struct stack *stack, uint64_t cookie)
{
	return stack->n && stack->n == SYSPROF_STACK_FRAMES(cookie) &&
	       stack->number == (cookie & SYSPROF_STACK_NUMBER_MASK);
}

/* Whether @record with all of its frames can be one. */
static bool once_fits(const struct stack *stack, const struct sysprof_record *record)
{
	unsigned n_user = record->type == SYSPROF_SAMPLE ?
				  ((const struct sysprof_sample *)record)->n_user :
				  ((const struct sysprof_event *)record)->n_user;

	return n_user + stack->n <= G_MAXUINT16 && record->size + stack->n <= G_MAXUINT16;
}

const struct sysprof_record *spt_once_take(SptOnce *once, const struct sysprof_record *record)
{
	uint64_t cookie = spt_once_cookie(record);
	struct sysprof_record *cut;
	struct stack *stack;
	struct parts parts;

	if (!cookie || record->cpu >= once->n_cpus)
		return record;
	stack = &once->stacks[record->cpu][SYSPROF_STACK_PLACE(cookie)];
	if (!(cookie & SYSPROF_STACK_REFERS))
		once_define(once, stack, record, cookie);
	else if (!once_has(stack, cookie) || !once_fits(stack, record)) {
		once->lost++;
		cut = once_copy(once, record, 0);
		parts = once_parts_of(cut);
		*parts.user_end = SYSPROF_END_FAULT;
		*parts.cookie = 0;
		return cut;
	}
	return record;
}

bool spt_once_outer(const SptOnce *once, unsigned cpu, uint64_t cookie, SptOuter *ret)
{
	const struct stack *stack;

	if (!cookie || cpu >= once->n_cpus)
		return false;
	stack = &once->stacks[cpu][SYSPROF_STACK_PLACE(cookie)];
	if (!once_has(stack, cookie))
		return false;
	*ret = (SptOuter){
		.frames = stack->frames,
		.n = stack->n,
		.serial = stack->serial,
		.is_there = !(cookie & SYSPROF_STACK_REFERS),
	};
	return true;
}

const struct sysprof_record *spt_once_whole(SptOnce *once, const struct sysprof_record *record)
{
	uint64_t cookie = spt_once_cookie(record);
	struct sysprof_record *whole;
	struct parts parts;
	SptOuter outer;
	uint8_t *to;

	if (!(cookie & SYSPROF_STACK_REFERS) ||
	    !spt_once_outer(once, record->cpu, cookie, &outer))
		return record;
	whole = once_copy(once, record, outer.n * 8u);
	parts = once_parts_of(whole);
	to = (uint8_t *)whole + parts.head_bytes + parts.frames_bytes;
	*parts.cookie = 0;
	memmove(to + outer.n * 8u, to, whole->size * 8u - parts.head_bytes - parts.frames_bytes);
	memcpy(to, outer.frames, outer.n * 8u);
	*parts.n_user += outer.n;
	whole->size += outer.n;
	return whole;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/once.h"

#include <string.h>

/* What a sample and an event have in common. */
struct parts {
	uint64_t cookie;
	uint16_t *n_user;
	uint8_t *user_end;
	size_t head_bytes;		/* up to the first frame */
	size_t frames_bytes;
};

struct stack {
	uint64_t number;
	uint64_t *frames;
	unsigned n;			/* 0: there is none */
};

struct SptOnce {
	struct stack (*stacks)[SYSPROF_STACK_PLACES];	/* by CPU */
	unsigned n_cpus;
	uint64_t lost;
	/* The record that was completed last. */
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

static uint64_t cookie_of_event(const struct sysprof_event *event)
{
	const __u64 *at = event->frames + event->n_kernel + event->n_user,
		    *end = (const __u64 *)event + event->record.size;
	const struct sysprof_part_stack *part = (const void *)at;

	/* It is always the first one. */
	if (!event->n_parts || (size_t)((const char *)end - (const char *)at) < sizeof(*part) ||
	    part->type != SYSPROF_PART_STACK || part->size * 8u < sizeof(*part))
		return 0;
	return part->cookie;
}

uint64_t spt_once_cookie(const struct sysprof_record *record)
{
	if (record->type == SYSPROF_SAMPLE)
		return ((const struct sysprof_sample *)record)->cookie;
	if (record->type == SYSPROF_EVENT)
		return cookie_of_event((const struct sysprof_event *)record);
	return 0;
}

static struct parts once_parts_of(struct sysprof_record *record)
{
	struct sysprof_sample *sample = (void *)record;
	struct sysprof_event *event = (void *)record;

	if (record->type == SYSPROF_SAMPLE)
		return (struct parts){ spt_once_cookie(record), &sample->n_user, &sample->user_end,
				       sizeof(*sample),
				       ((size_t)sample->n_kernel + sample->n_user) * 8 };
	return (struct parts){ spt_once_cookie(record), &event->n_user, &event->user_end,
			       sizeof(*event), ((size_t)event->n_kernel + event->n_user) * 8 };
}

static void once_define(struct stack *stack, const struct sysprof_record *record,
			const struct parts *parts)
{
	unsigned n = SYSPROF_STACK_FRAMES(parts->cookie);
	const uint8_t *end = (const uint8_t *)record + parts->head_bytes + parts->frames_bytes;

	stack->number = parts->cookie & SYSPROF_STACK_NUMBER_MASK;
	stack->n = n;
	if (!n)
		return;
	stack->frames = g_renew(uint64_t, stack->frames, n);
	memcpy(stack->frames, end - n * sizeof(*stack->frames), n * sizeof(*stack->frames));
}

/* A copy of @record with room for @bytes more, in which only the frames' number is right. */
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

static const struct sysprof_record *once_complete(SptOnce *once, const struct stack *stack,
						  const struct sysprof_record *record)
{
	struct sysprof_record *whole = once_copy(once, record, stack->n * 8u);
	struct parts parts = once_parts_of(whole);
	unsigned n = SYSPROF_STACK_FRAMES(parts.cookie);
	uint8_t *to = (uint8_t *)whole + parts.head_bytes + parts.frames_bytes;
	size_t behind = whole->size * 8u - parts.head_bytes - parts.frames_bytes;

	if (stack->n != n || !n ||
	    stack->number != (parts.cookie & SYSPROF_STACK_NUMBER_MASK) ||
	    *parts.n_user + n > G_MAXUINT16 || whole->size + n > G_MAXUINT16) {
		once->lost++;
		*parts.user_end = SYSPROF_END_FAULT;
		return whole;
	}
	memmove(to + n * 8u, to, behind);
	memcpy(to, stack->frames, n * 8u);
	*parts.n_user += n;
	whole->size += n;
	return whole;
}

const struct sysprof_record *spt_once_take(SptOnce *once, const struct sysprof_record *record)
{
	uint64_t cookie = spt_once_cookie(record);
	struct stack *stack;
	struct parts parts;

	if (!cookie || record->cpu >= once->n_cpus)
		return record;
	stack = &once->stacks[record->cpu][SYSPROF_STACK_PLACE(cookie)];
	if (cookie & SYSPROF_STACK_REFERS)
		return once_complete(once, stack, record);
	parts = once_parts_of((struct sysprof_record *)record);
	once_define(stack, record, &parts);
	return record;
}

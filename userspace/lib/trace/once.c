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

struct spt_once_stack {
	uint64_t cookie;		/* but for SYSPROF_STACK_REFERS */
	SptOuter outer;			/* n 0: there is none */
	uint64_t *frames;
	unsigned room;			/* for that many frames */
};

SptOnce *spt_once_new(unsigned n_cpus)
{
	SptOnce *once = g_new0(SptOnce, 1);

	once->n_cpus = n_cpus;
	once->stacks = g_new0(struct spt_once_stack, (size_t)n_cpus * SYSPROF_STACK_PLACES);
	return once;
}

void spt_once_free(SptOnce *once)
{
	if (!once)
		return;
	for (size_t i = 0; i < (size_t)once->n_cpus * SYSPROF_STACK_PLACES; i++)
		g_free(once->stacks[i].frames);
	g_free(once->stacks);
	g_free(once->room);
	g_free(once);
}

uint64_t spt_once_lost(const SptOnce *once)
{
	return once->lost;
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
	return (struct parts){ (uint64_t *)&spt_once_part(event)->cookie, &event->n_user,
			       &event->user_end,
			       sizeof(*event), ((size_t)event->n_kernel + event->n_user) * 8 };
}

static G_GNUC_NO_INLINE void once_define(SptOnce *once, struct spt_once_stack *stack,
					 const struct sysprof_record *record, uint64_t cookie)
{
	const struct sysprof_sample *sample = (const void *)record;
	const struct sysprof_event *event = (const void *)record;
	unsigned n = SYSPROF_STACK_FRAMES(cookie);
	const __u64 *end = record->type == SYSPROF_SAMPLE ?
				   sample->frames + sample->n_kernel + sample->n_user :
				   event->frames + event->n_kernel + event->n_user;

	stack->cookie = cookie;
	stack->outer.n = n;
	stack->outer.place = SYSPROF_STACK_PLACE(cookie);
	stack->outer.is_there = true;
	if (!n)
		return;
	once->outer = &stack->outer;
	stack->outer.serial = ++once->n_defined;
	if (n > stack->room) {
		stack->room = n;
		stack->outer.frames = stack->frames = g_renew(uint64_t, stack->frames, n);
	}
	memcpy(stack->frames, end - n, n * sizeof(*stack->frames));
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

/* @cookie refers to it. */
static bool once_has(const struct spt_once_stack *stack, uint64_t cookie)
{
	return stack->outer.n && (stack->cookie | SYSPROF_STACK_REFERS) == cookie;
}

/* Whether @record with all of its frames, which count in its size, can be one. */
static bool once_fits(const struct spt_once_stack *stack, const struct sysprof_record *record)
{
	return record->size + stack->outer.n <= G_MAXUINT16;
}

/* Without the frames that it refers to. */
static G_GNUC_NO_INLINE const struct sysprof_record *
once_cut(SptOnce *once, const struct sysprof_record *record)
{
	struct sysprof_record *cut = once_copy(once, record, 0);
	struct parts parts = once_parts_of(cut);

	once->lost++;
	*parts.user_end = SYSPROF_END_FAULT;
	*parts.cookie = 0;
	return cut;
}

const struct sysprof_record *spt_once_take(SptOnce *once, const struct sysprof_record *record)
{
	uint64_t cookie = spt_once_cookie(record);
	struct spt_once_stack *stack;

	once->record = record;
	once->outer = NULL;
	if (!cookie || record->cpu >= once->n_cpus)
		return record;
	stack = &once->stacks[record->cpu * SYSPROF_STACK_PLACES + SYSPROF_STACK_PLACE(cookie)];
	if (!(cookie & SYSPROF_STACK_REFERS)) {
		once_define(once, stack, record, cookie);
		return record;
	}
	if (!once_has(stack, cookie) || !once_fits(stack, record))
		return once_cut(once, record);
	stack->outer.is_there = false;
	once->outer = &stack->outer;
	return record;
}

const struct sysprof_record *spt_once_whole(SptOnce *once, const struct sysprof_record *record)
{
	const SptOuter *outer = spt_once_outer(once, record);
	struct sysprof_record *whole;
	struct parts parts;
	uint8_t *to;

	if (!outer || outer->is_there)
		return record;
	whole = once_copy(once, record, outer->n * 8u);
	parts = once_parts_of(whole);
	to = (uint8_t *)whole + parts.head_bytes + parts.frames_bytes;
	*parts.cookie = 0;
	memmove(to + outer->n * 8u, to, whole->size * 8u - parts.head_bytes - parts.frames_bytes);
	memcpy(to, outer->frames, outer->n * 8u);
	*parts.n_user += outer->n;
	whole->size += outer->n;
	return whole;
}

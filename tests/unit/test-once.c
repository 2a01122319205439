/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that the device sends once: a reference gets exactly the frames that its number has in its
 * ring, or none, and each of those without is counted.
 */
#include "trace/once.h"

#include <string.h>

#include "sysprof-event.h"
#include "trace/record-check.h"

#define CPUS 2
#define MOST 64

union room {
	struct sysprof_record record;
	struct sysprof_sample sample;
	struct sysprof_event event;
	uint64_t words[16 + MOST];
};

static uint64_t cookie(uint64_t number, unsigned n, bool refers)
{
	return number | (uint64_t)n << SYSPROF_STACK_FRAMES_SHIFT |
	       (refers ? SYSPROF_STACK_REFERS : 0);
}

/* Frames are 1, 2, ... from the kernel's on. */
static const struct sysprof_record *make_sample(union room *to, unsigned cpu, unsigned n_kernel,
						unsigned n_user, uint64_t value)
{
	*to = (union room){ .sample = {
		.record = { .type = SYSPROF_SAMPLE, .cpu = cpu },
		.cookie = value,
		.n_kernel = n_kernel,
		.n_user = n_user,
		.user_end = SYSPROF_END_ROOT,
	} };
	for (unsigned i = 0; i < n_kernel + n_user; i++)
		to->sample.frames[i] = i + 1;
	to->record.size = sizeof(to->sample) / 8 + n_kernel + n_user;
	g_assert_true(spt_record_is_valid(&to->record, to->record.size * 8u));
	return &to->record;
}

/* A part of two words follows; unless @value is 0, one with that precedes it. */
static const struct sysprof_record *make_event(union room *to, unsigned cpu, unsigned n_user,
					       uint64_t value)
{
	struct sysprof_part_stack *part;

	*to = (union room){ .event = {
		.record = { .type = SYSPROF_EVENT, .cpu = cpu },
		.n_user = n_user,
		.n_parts = 1 + (value != 0),
		.user_end = SYSPROF_END_ROOT,
	} };
	for (unsigned i = 0; i < n_user; i++)
		to->event.frames[i] = i + 1;
	part = (struct sysprof_part_stack *)(to->event.frames + n_user);
	to->record.size = sizeof(to->event) / 8 + n_user + 2 * to->event.n_parts;
	if (value)
		*part++ = (struct sysprof_part_stack){ SYSPROF_PART_STACK, 2, 0, value };
	*part = (struct sysprof_part_stack){ SYSPROF_PART_FAULT, 2, 7, 0x5a };
	g_assert_true(spt_record_is_valid(&to->record, to->record.size * 8u));
	return &to->record;
}

/* As a reader that wants whole records. */
static const struct sysprof_record *take_whole(SptOnce *once, const struct sysprof_record *record)
{
	return spt_once_whole(once, spt_once_take(once, record));
}

static void check_frames(const uint64_t *frames, const uint64_t *expected, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		g_assert_cmpuint(frames[i], ==, expected[i]);
}

static void test_refers(void)
{
	g_autoptr(SptOnce) once = spt_once_new(CPUS);
	static const uint64_t expected[] = { 1, 2, 3, 4, 5, 6 };
	const struct sysprof_sample *sample;
	union room room;

	/* One kernel frame, and the outer four of five. */
	g_assert_true(take_whole(once, make_sample(&room, 1, 1, 5, cookie(64, 4, false))) ==
		      &room.record);
	sample = (const void *)take_whole(once,
					     make_sample(&room, 1, 1, 1, cookie(64, 4, true)));
	g_assert_cmpuint(sample->n_kernel, ==, 1);
	g_assert_cmpuint(sample->n_user, ==, 5);
	g_assert_cmpuint(sample->user_end, ==, SYSPROF_END_ROOT);
	g_assert_cmpuint(sample->record.size, ==, sizeof(*sample) / 8 + 6);
	check_frames((const uint64_t *)sample->frames, expected, 6);
	/* None of its own; and without a number the same record. */
	sample = (const void *)take_whole(once,
					     make_sample(&room, 1, 0, 0, cookie(64, 4, true)));
	g_assert_cmpuint(sample->n_user, ==, 4);
	check_frames((const uint64_t *)sample->frames, expected + 2, 4);
	g_assert_true(take_whole(once, make_sample(&room, 1, 1, 5, 0)) == &room.record);
	g_assert_cmpuint(spt_once_lost(once), ==, 0);
}

static void test_events(void)
{
	g_autoptr(SptOnce) once = spt_once_new(CPUS);
	static const uint64_t expected[] = { 1, 2, 2, 3, 4 };
	const struct sysprof_part_stack *part;
	const struct sysprof_event *event;
	union room room;

	g_assert_true(take_whole(once, make_event(&room, 0, 4, 0)) == &room.record);
	take_whole(once, make_event(&room, 0, 4, cookie(65, 3, false)));
	event = (const void *)take_whole(once, make_event(&room, 0, 2, cookie(65, 3, true)));
	g_assert_cmpuint(event->n_user, ==, 5);
	check_frames((const uint64_t *)event->frames, expected, 5);
	/* Samples and events have the same numbers. */
	g_assert_cmpuint(((const struct sysprof_sample *)take_whole(
				  once, make_sample(&room, 0, 0, 1, cookie(65, 3, true))))
				 ->n_user,
			 ==, 4);
	event = (const void *)take_whole(once, make_event(&room, 0, 2, cookie(65, 3, true)));
	part = (const void *)(event->frames + event->n_user);
	g_assert_cmpuint(part[0].type, ==, SYSPROF_PART_STACK);
	g_assert_cmpuint(part[1].type, ==, SYSPROF_PART_FAULT);
	g_assert_cmpuint(part[1].reserved, ==, 7);
	g_assert_cmpuint(part[1].cookie, ==, 0x5a);
	g_assert_true((const uint64_t *)(part + 2) == (const uint64_t *)event + event->record.size);
	g_assert_cmpuint(spt_once_lost(once), ==, 0);
}

static void check_lost(SptOnce *once, unsigned cpu, uint64_t value)
{
	uint64_t before = spt_once_lost(once);
	static const uint64_t own[] = { 1, 2 };
	const struct sysprof_sample *sample;
	const struct sysprof_event *event;
	union room room;

	sample = (const void *)take_whole(once, make_sample(&room, cpu, 0, 2, value));
	g_assert_cmpuint(sample->n_user, ==, 2);
	g_assert_cmpuint(sample->user_end, ==, SYSPROF_END_FAULT);
	g_assert_cmpuint(sample->record.size, ==, sizeof(*sample) / 8 + 2);
	check_frames((const uint64_t *)sample->frames, own, 2);
	event = (const void *)take_whole(once, make_event(&room, cpu, 2, value));
	g_assert_cmpuint(event->n_user, ==, 2);
	g_assert_cmpuint(event->user_end, ==, SYSPROF_END_FAULT);
	g_assert_cmpuint(event->n_parts, ==, 2);
	g_assert_cmpuint(spt_once_lost(once), ==, before + 2);
}

static void test_lost(void)
{
	g_autoptr(SptOnce) once = spt_once_new(CPUS);
	union room room;

	/* Nothing came; nor this number, nor on this CPU, nor with another number of frames. */
	check_lost(once, 0, cookie(64, 4, true));
	check_lost(once, 0, cookie(0, 0, true));
	take_whole(once, make_sample(&room, 0, 0, 8, cookie(64, 4, false)));
	check_lost(once, 0, cookie(128, 4, true));
	check_lost(once, 1, cookie(64, 4, true));
	check_lost(once, 0, cookie(64, 3, true));
	check_lost(once, 0, cookie(64, 5, true));
	check_lost(once, 0, cookie(64, 0x7fff, true));
	check_lost(once, 0, cookie(64, 0, true));
	/* Another stack has the place now. */
	take_whole(once, make_sample(&room, 0, 0, 8, cookie(128, 6, false)));
	check_lost(once, 0, cookie(64, 4, true));
	/* One that has no frames replaces it, too. */
	take_whole(once, make_sample(&room, 0, 0, 8, cookie(192, 0, false)));
	check_lost(once, 0, cookie(128, 6, true));
	check_lost(once, 0, cookie(192, 0, true));
}

static void test_invalid(void)
{
	union room room;

	/* It defines more than it has. */
	make_sample(&room, 0, 3, 2, 0);
	room.sample.cookie = cookie(64, 3, false);
	g_assert_false(spt_record_is_valid(&room.record, room.record.size * 8u));
	room.sample.cookie = cookie(64, 2, false);
	g_assert_true(spt_record_is_valid(&room.record, room.record.size * 8u));
	make_event(&room, 0, 2, cookie(64, 2, false));
	g_assert_true(spt_record_is_valid(&room.record, room.record.size * 8u));
	room.event.frames[3] = cookie(64, 3, false);
	g_assert_false(spt_record_is_valid(&room.record, room.record.size * 8u));
	/* A part that is cut is no part. */
	room.record.size = sizeof(room.event) / 8 + 3;
	g_assert_cmpuint(spt_once_cookie(&room.record), ==, 0);
	g_assert_true(spt_record_is_valid(&room.record, room.record.size * 8u));
}

/* As many frames as a record can have, and one more. */
static void test_most(void)
{
	g_autoptr(SptOnce) once = spt_once_new(CPUS);
	unsigned n = SYSPROF_STACK_FRAMES_MASK, head = sizeof(struct sysprof_sample) / 8;
	unsigned own = G_MAXUINT16 - head - n;
	g_autofree struct sysprof_sample *sample = g_malloc0(G_MAXUINT16 * 8u);

	sample->record = (struct sysprof_record){ .type = SYSPROF_SAMPLE, .size = head + n };
	sample->n_user = n;
	sample->cookie = cookie(64, n, false);
	g_assert_true(spt_record_is_valid(&sample->record, sample->record.size * 8u));
	take_whole(once, &sample->record);
	sample->cookie = cookie(64, n, true);
	for (unsigned more = 0; more < 2; more++) {
		const struct sysprof_sample *whole;

		sample->n_user = own + more;
		sample->record.size = head + own + more;
		whole = (const void *)take_whole(once, &sample->record);
		g_assert_cmpuint(whole->n_user, ==, more ? own + more : own + n);
		g_assert_cmpuint(spt_once_lost(once), ==, more);
	}
}

/* What came last of each place. */
struct came {
	uint64_t number, serial;
	unsigned n;
	uint64_t first;			/* of its frames, the innermost one */
};

static void check_outer(const SptOnce *once, const struct sysprof_record *record, uint64_t value,
			struct came *came)
{
	const SptOuter *outer = spt_once_outer(once, record);

	g_assert_nonnull(outer);
	g_assert_cmpuint(outer->n, ==, came->n);
	g_assert_true(outer->is_there == !(value & SYSPROF_STACK_REFERS));
	for (unsigned i = 0; i < outer->n; i++)
		g_assert_cmpuint(outer->frames[i], ==, came->first + i);
	if (outer->is_there)
		g_assert_cmpuint(outer->serial, >, came->serial);
	else
		g_assert_cmpuint(outer->serial, ==, came->serial);
	came->serial = outer->serial;
}

/* Whatever comes: only frames of the same number and ring, or a count. */
static void test_random(void)
{
	g_autoptr(SptOnce) once = spt_once_new(CPUS);
	struct came came[CPUS][SYSPROF_STACK_PLACES] = {};
	union room room;

	for (unsigned i = 0; i < 200000; i++) {
		unsigned cpu = g_test_rand_int_range(0, CPUS + 1), n = g_test_rand_int_range(0, 9);
		unsigned n_user = g_test_rand_int_range(0, 9);
		uint64_t number = g_test_rand_int_range(0, 4 * SYSPROF_STACK_PLACES);
		bool refers = g_test_rand_int() & 1, is_known;
		uint64_t lost = spt_once_lost(once), value = cookie(number, n, refers);
		struct came *place = &came[cpu % CPUS][SYSPROF_STACK_PLACE(number)];
		const struct sysprof_record *record;
		const struct sysprof_sample *sample;

		n_user = refers ? n_user : MAX(n_user, n);
		record = spt_once_take(once, make_sample(&room, cpu, 0, n_user, value));
		sample = (const void *)record;
		if (cpu >= CPUS || !value) {
			g_assert_true(record == &room.record);
			g_assert_null(spt_once_outer(once, record));
			continue;
		}
		is_known = n && place->n == n && place->number == number;
		if (!refers) {
			*place = (struct came){ number, place->serial, n, n_user - n + 1 };
			is_known = n > 0;
		}
		g_assert_cmpuint(spt_once_lost(once) - lost, ==, refers && !is_known);
		if (is_known) {
			g_assert_true(record == &room.record);
			check_outer(once, record, value, place);
			sample = (const void *)spt_once_whole(once, record);
		} else if (refers) {
			g_assert_cmpuint(sample->user_end, ==, SYSPROF_END_FAULT);
			g_assert_cmpuint(sample->cookie, ==, 0);
		}
		g_assert_cmpuint(sample->n_user, ==, n_user + (refers && is_known ? n : 0));
	}
}

static uint64_t random_word(void)
{
	return (uint64_t)(uint32_t)g_test_rand_int() << 32 | (uint32_t)g_test_rand_int();
}

/* Records of nothing but chance: what is valid stays so, within its bounds. */
static void test_hostile(void)
{
	const unsigned most = sizeof(union room) / 8;
	g_autoptr(SptOnce) once = spt_once_new(CPUS);
	unsigned n_whole = 0;

	for (unsigned i = 0; i < 300000; i++) {
		unsigned n = g_test_rand_int_range(sizeof(struct sysprof_event) / 8, most);
		/* Of its own size, so that nothing behind it is read unseen. */
		g_autofree uint64_t *words = g_new(uint64_t, n);
		struct sysprof_record *record = (struct sysprof_record *)words;
		struct sysprof_sample *sample = (void *)words;
		struct sysprof_event *event = (void *)words;
		const struct sysprof_record *whole;
		uint64_t value = cookie(g_test_rand_int_range(0, 8), g_test_rand_int_range(0, 4),
					g_test_rand_int() & 1);

		for (unsigned k = 0; k < n; k++)
			words[k] = random_word();
		record->type = g_test_rand_int() & 1 ? SYSPROF_SAMPLE : SYSPROF_EVENT;
		record->size = n;
		record->cpu = g_test_rand_int_range(0, CPUS + 1);
		if (record->type == SYSPROF_SAMPLE) {
			sample->cookie = value;
			sample->raw_bytes = 0;
			sample->n_kernel = g_test_rand_int_range(0, n);
			sample->n_user = g_test_rand_int_range(0, n);
		} else {
			event->n_kernel = g_test_rand_int_range(0, n);
			event->n_user = g_test_rand_int_range(0, n);
			unsigned at = sizeof(*event) / 8 + event->n_kernel + event->n_user;

			if (at + 2 <= n && g_test_rand_int() & 1) {
				words[at] = SYSPROF_PART_STACK | g_test_rand_int_range(1, 4) << 16;
				words[at + 1] = value;
			}
		}
		if (!spt_record_is_valid(record, n * 8u))
			continue;
		whole = take_whole(once, record);
		g_assert_true(spt_record_is_valid(whole, whole->size * 8u));
		g_assert_false(spt_once_cookie(whole) & SYSPROF_STACK_REFERS &&
			       whole->cpu < CPUS);
		n_whole += whole->size > record->size;
	}
	g_assert_cmpuint(n_whole, >, 1000);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/once/refers", test_refers);
	g_test_add_func("/once/events", test_events);
	g_test_add_func("/once/lost", test_lost);
	g_test_add_func("/once/invalid", test_invalid);
	g_test_add_func("/once/most", test_most);
	g_test_add_func("/once/random", test_random);
	g_test_add_func("/once/hostile", test_hostile);
	return g_test_run();
}

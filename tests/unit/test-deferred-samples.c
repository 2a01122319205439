/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that wait for unwind tables: what was deferred comes back as it was, in order, within
 * the memory it may have; and its mappings stay as they were, whatever the process does.
 */
#include <string.h>

#include "process/spaces.h"
#include "record/deferred-samples.h"

#define FRAMES	 3
#define MM	 5
#define OTHER_MM 6

static size_t record_bytes(void)
{
	return sizeof(struct sysprof_sample) + FRAMES * sizeof(uint64_t);
}

static struct sysprof_sample *new_sample(uint64_t number)
{
	struct sysprof_sample *sample = g_malloc0(record_bytes());

	sample->record.size = record_bytes() / 8;
	sample->mm = MM;
	sample->n_user = FRAMES;
	for (unsigned i = 0; i < FRAMES; i++)
		sample->frames[i] = number * 10 + i;
	return sample;
}

static bool put(SptDeferred *deferred, uint64_t number)
{
	g_autofree struct sysprof_sample *sample = new_sample(number);
	g_autofree char *comm = g_strdup_printf("task %u", (unsigned)number);
	const SptDeferredSample stack = {
		.row = { .time = number, .cpu = number % 2, .weight = number },
		.sample = sample,
		.comm = comm,
		.late = number % 2,
	};

	return spt_deferred_put(deferred, &stack, OTHER_MM);
}

struct taken {
	uint64_t numbers[8];
	unsigned n;
	bool takes_odd;
};

static bool take(SptDeferredSample *stack, void *data)
{
	struct taken *taken = data;
	g_autofree char *comm = g_strdup_printf("task %u", (unsigned)stack->row.time);

	g_assert_cmpstr(stack->comm, ==, comm);
	g_assert_cmpuint(stack->sample->mm, ==, OTHER_MM);
	g_assert_cmpuint(stack->sample->frames[2], ==, stack->row.time * 10 + 2);
	if (stack->late && !taken->takes_odd)
		return false;
	taken->numbers[taken->n++] = stack->row.time;
	return true;
}

static void test_order(void)
{
	g_autoptr(SptDeferred) deferred = spt_deferred_new(4 * record_bytes());
	struct taken taken = { .takes_odd = false };
	uint64_t weight;

	g_assert_true(spt_deferred_is_empty(deferred));
	for (uint64_t i = 1; i <= 4; i++)
		g_assert_true(put(deferred, i));
	/* There is no room, until some are taken. */
	g_assert_false(put(deferred, 5));
	g_assert_cmpuint(spt_deferred_count(deferred, 1, 4, &weight), ==, 2);
	g_assert_cmpuint(weight, ==, 1 + 3);
	g_assert_cmpuint(spt_deferred_count(deferred, 0, 3, &weight), ==, 1);
	g_assert_cmpuint(weight, ==, 2);
	spt_deferred_take(deferred, take, &taken);
	g_assert_cmpuint(taken.n, ==, 2);
	g_assert_true(put(deferred, 6) && put(deferred, 7));
	g_assert_false(put(deferred, 8));
	taken.takes_odd = true;
	spt_deferred_take(deferred, take, &taken);
	g_assert_true(spt_deferred_is_empty(deferred));
	g_assert_cmpuint(taken.n, ==, 6);
	g_assert_cmpmem(taken.numbers, 6 * sizeof(uint64_t), ((uint64_t[]){ 2, 4, 1, 3, 6, 7 }),
			6 * sizeof(uint64_t));
	/* What is left is freed. */
	g_assert_true(put(deferred, 9));
}

static void test_mappings(void)
{
	g_autoptr(SptSpaces) spaces = spt_spaces_new();
	SptMap map = { .start = 0x1000, .end = 0x3000, .object = 20 };
	uint64_t kept, later, version;

	g_assert_cmpuint(spt_spaces_keep(spaces, MM), ==, 0);
	spt_spaces_map(spaces, MM, 1, &map, true);
	version = spt_space_version(spt_spaces_get(spaces, MM));
	kept = spt_spaces_keep(spaces, MM);
	g_assert_true(kept && kept != MM && spt_spaces_keep(spaces, MM) == kept);
	/* The process executes another program. */
	map.object = 30;
	spt_spaces_map(spaces, MM, 2, &map, true);
	later = spt_spaces_keep(spaces, MM);
	g_assert_cmpuint(later, !=, kept);
	spt_spaces_drop(spaces, MM);
	g_assert_cmpuint(spt_space_find(spt_spaces_get(spaces, kept), 0x2000)->object, ==, 20);
	g_assert_cmpuint(spt_space_find(spt_spaces_get(spaces, later), 0x2000)->object, ==, 30);
	g_assert_cmpuint(spt_space_version(spt_spaces_get(spaces, kept)), ==, version);
	spt_spaces_drop_kept(spaces);
	g_assert_null(spt_spaces_get(spaces, kept));
	g_assert_null(spt_spaces_get(spaces, later));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/deferred-samples/order", test_order);
	g_test_add_func("/deferred-samples/mappings", test_mappings);
	return g_test_run();
}

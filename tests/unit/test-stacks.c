/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks by shortcuts and stacks frame by frame must be the same nodes, whatever comes in whatever
 * order.
 */
#include <string.h>

#include "capture/format.h"
#include "record/stacks.h"

#define CPUS 2
#define FRAMES 350			/* some are deeper than what is remembered */
#define SPACES 3
#define PAGE 0x1000u
#define PAGES 12
#define PLACES 3
#define OLD 4				/* stacks of each CPU that come again */
#define ROUNDS 200000

struct sample {
	struct sysprof_sample sample;
	__u64 frames[2 * FRAMES];
};

/* As sysprof.h says what frames are, and format.md what nodes are. */
static uint32_t plain_node(const SptSpaces *spaces, SptStash *stash,
			   const struct sysprof_sample *sample, bool is_in_exec,
			   SptStackEnd *ret_end)
{
	const SptSpace *space = spt_spaces_get(spaces, sample->mm);
	bool has_addresses = sample->record.flags & SYSPROF_SAMPLE_ADDRESSES;
	SptFrame frames[2 * FRAMES + 1];
	unsigned n = 0;
	uint32_t root = 0;

	if (sample->user_mode == SYSPROF_USER_RAW && sample->n_user &&
	    sample->user_end != SYSPROF_END_ROOT &&
	    !(sample->n_user == 1 && sample->user_end == SYSPROF_END_UNMAPPED))
		root = spt_stash_child(stash, 0,
				       &(SptFrame){ .kind = SPT_FRAME_EXACT,
						    .object = sample->user_end == SPT_END_CUT ?
								      SPT_STACKS_CUT :
								      SPT_STACKS_INCOMPLETE });
	*ret_end = (SptStackEnd){ sample->user_end, sample->n_user };
	for (unsigned i = 0; i < sample->n_kernel; i++) {
		bool is_exact = i == 0 && sample->record.flags & SYSPROF_SAMPLE_KERNEL_EXACT;

		frames[n++] =
			(SptFrame){ (sample->frames[i] & SYSPROF_FRAME_OFFSET_MASK) - !is_exact,
				    sample->frames[i] >> SYSPROF_FRAME_OBJECT_SHIFT, is_exact };
	}
	for (unsigned i = 0; i < sample->n_user; i++) {
		uint64_t value = sample->frames[sample->n_kernel + i];
		bool is_exact = i == 0 && sample->record.flags & SYSPROF_SAMPLE_USER_EXACT;
		const SptMap *map =
			has_addresses && space ? spt_space_find(space, value - !is_exact) : NULL;

		if (has_addresses && !map) {
			*ret_end = (SptStackEnd){ i == 0 && is_in_exec ? SYSPROF_END_NONE :
									 SYSPROF_END_UNMAPPED,
						  i > 0 };
			if (i == 0 && !is_in_exec)
				frames[n++] = (SptFrame){ .kind = is_exact };
			break;
		}
		frames[n++] = map ? (SptFrame){ value - map->start + map->offset - !is_exact,
						map->object, is_exact } :
				    (SptFrame){ (value & SYSPROF_FRAME_OFFSET_MASK) - !is_exact,
						value >> SYSPROF_FRAME_OBJECT_SHIFT, is_exact };
	}
	if (!sample->n_user && sample->user_end == SYSPROF_END_UNMAPPED) {
		if (is_in_exec)
			ret_end->user_end = SYSPROF_END_NONE;
		else
			frames[n++] = (SptFrame){ .kind = SPT_FRAME_EXACT };
	}
	return spt_stash_add(stash, root, frames, n);
}

static uint64_t kernel_frame(GRand *random)
{
	return (uint64_t)SYSPROF_OBJECT_KERNEL << SYSPROF_FRAME_OBJECT_SHIFT |
	       (uint64_t)g_rand_int_range(random, 1, 4);
}

/* Every second page may be mapped. */
static uint64_t user_frame(GRand *random, bool is_address)
{
	if (is_address)
		return (uint64_t)g_rand_int_range(random, 0, PAGES) * PAGE +
		       (uint64_t)g_rand_int_range(random, 1, 3);
	return (uint64_t)g_rand_int_range(random, SYSPROF_OBJECT_FIRST, SYSPROF_OBJECT_FIRST + 2)
		       << SYSPROF_FRAME_OBJECT_SHIFT |
	       (uint64_t)g_rand_int_range(random, 1, 3);
}

/*
 * The one before, but for some of its innermost frames; sometimes a deep one, sometimes none of it.
 */
static void next_stack(GRand *random, struct sysprof_sample *sample)
{
	unsigned keep = g_rand_int_range(random, 0, sample->n_user + 1u),
		 own = g_rand_int_range(random, 0, 4);
	bool is_address = sample->record.flags & SYSPROF_SAMPLE_ADDRESSES;
	__u64 user[FRAMES];

	if (g_rand_int_range(random, 0, 50) == 0)
		own = g_rand_int_range(random, 0, FRAMES);
	own = MIN(own, FRAMES - keep);
	memcpy(user + own, sample->frames + sample->n_kernel + sample->n_user - keep,
	       keep * sizeof(*user));
	for (unsigned i = 0; i < own; i++)
		user[i] = user_frame(random, is_address);
	sample->n_kernel = g_rand_boolean(random) ? 0 : g_rand_int_range(random, 0, 6);
	for (unsigned i = 0; i < sample->n_kernel; i++)
		sample->frames[i] = kernel_frame(random);
	sample->n_user = keep + own > 20 && g_rand_boolean(random) ? 0 : keep + own;
	memcpy(sample->frames + sample->n_kernel, user, sample->n_user * sizeof(*user));
}

/* A stack comes again, or is kept to do so. */
static void old_or_new(GRand *random, struct sample *old, struct sample *sample)
{
	const struct sysprof_sample *one = &old->sample, *other = &sample->sample;

	if (g_rand_int_range(random, 0, 4) == 0)
		*old = *sample;
	else if (g_rand_boolean(random) && one->record.flags == other->record.flags &&
		 one->user_mode == other->user_mode && one->user_end == other->user_end)
		*sample = *old;
}

static void change_space(GRand *random, SptSpaces *spaces, uint64_t time)
{
	SptMap map = { .start = (uint64_t)g_rand_int_range(random, 0, PAGES / 2) * 2 * PAGE,
		       .offset = g_rand_int_range(random, 0, 3) * PAGE,
		       .object = g_rand_int_range(random, SYSPROF_OBJECT_FIRST,
						  SYSPROF_OBJECT_FIRST + 3) };
	uint64_t mm = g_rand_int_range(random, 1, SPACES + 1);

	map.end = map.start + PAGE;
	switch (g_rand_int_range(random, 0, 8)) {
	case 0:
		spt_spaces_fork(spaces, mm % SPACES + 1, mm, time);
		break;
	case 1:
		spt_spaces_drop(spaces, mm);
		break;
	default:
		spt_spaces_map(spaces, mm, time, &map, g_rand_int_range(random, 0, 10) == 0);
	}
}

/* Outer frames that were sent. */
struct place {
	uint64_t serial;		/* 0: none */
	unsigned n;
	uint64_t frames[FRAMES];
};

static bool place_fits(const struct place *place, const struct sysprof_sample *sample)
{
	return place->serial && place->n <= sample->n_user &&
	       !memcmp(place->frames, sample->frames + sample->n_kernel + sample->n_user - place->n,
		       place->n * sizeof(*place->frames));
}

/*
 * Sends some of @sample's outer frames, or refers to them if they were sent; @to is what remains.
 * False: it has none.
 */
static bool send_outer(GRand *random, struct place *places, const struct sysprof_sample *sample,
		       struct sample *to, SptOuter *ret)
{
	static uint64_t n_serials;
	unsigned at = g_rand_int_range(random, 0, PLACES), n_user = sample->n_user;
	struct place *place = &places[at];
	bool is_known = place_fits(place, sample) && g_rand_int_range(random, 0, 8);

	if (!n_user || g_rand_int_range(random, 0, 8) == 0)
		return false;
	if (!is_known) {
		place->n = g_rand_int_range(random, 1, n_user + 1);
		place->serial = ++n_serials;
		memcpy(place->frames, sample->frames + sample->n_kernel + n_user - place->n,
		       place->n * sizeof(*place->frames));
	}
	*ret = (SptOuter){ .frames = place->frames,
			   .n = place->n,
			   .serial = place->serial,
			   .place = at,
			   .is_there = !is_known && g_rand_boolean(random) };
	memcpy(to, sample, sizeof(*to));
	to->sample.cookie = at + SYSPROF_STACK_PLACES * place->serial;
	if (ret->is_there)
		return true;
	to->sample.n_user -= place->n;
	/* Nothing reads them. */
	memset(to->sample.frames + sample->n_kernel + to->sample.n_user, 0xa5,
	       place->n * sizeof(*place->frames));
	return true;
}

static void test_same(void)
{
	static const uint8_t ends[] = { SYSPROF_END_ROOT, SYSPROF_END_BAD, SPT_END_CUT,
					SPT_END_NO_INFO };
	g_autoptr(GRand) random = g_rand_new_with_seed(5);
	g_autoptr(SptSpaces) spaces = spt_spaces_new();
	g_autoptr(SptJit) jit = spt_jit_new();
	g_autoptr(SptStacks) stacks = spt_stacks_new(spaces, jit, NULL, CPUS);
	g_autoptr(SptStash) stash = spt_stash_new();
	struct sample samples[CPUS] = { 0 }, old[CPUS][OLD] = { 0 }, sent;
	struct place places[CPUS][PLACES] = { 0 };
	unsigned n_cut = 0, n_known = 0, n_referred = 0;

	for (unsigned round = 1; round <= ROUNDS; round++) {
		unsigned cpu = g_rand_int_range(random, 0, CPUS);
		struct sysprof_sample *sample = &samples[cpu].sample;
		SptStackEnd end, plain_end;
		uint32_t node, n_before;
		bool is_in_exec, has_outer;
		SptStackView view;
		SptOuter outer;

		if (g_rand_int_range(random, 0, 60) == 0)
			change_space(random, spaces, round);
		if (g_rand_int_range(random, 0, 30) == 0)
			sample->mm = g_rand_int_range(random, 1, SPACES + 1);
		if (g_rand_int_range(random, 0, 100) == 0) {
			sample->n_user = 0;
			sample->record.flags =
				g_rand_int_range(random, 0, 4) |
				(g_rand_boolean(random) ? SYSPROF_SAMPLE_ADDRESSES : 0);
			sample->user_end = g_rand_boolean(random) ? SYSPROF_END_UNMAPPED : 0;
			sample->user_mode =
				g_rand_boolean(random) ? SYSPROF_USER_RAW : SYSPROF_USER_FP;
			if (sample->user_mode == SYSPROF_USER_RAW && g_rand_boolean(random))
				sample->user_end =
					ends[g_rand_int_range(random, 0, G_N_ELEMENTS(ends))];
			if (g_rand_boolean(random)) {
				sample->user_mode = SYSPROF_USER_TABLE;
				sample->user_end = SYSPROF_END_ROOT;
			}
		}
		if (g_rand_int_range(random, 0, 30000) == 0) {
			g_clear_pointer(&stash, spt_stash_free);
			stash = spt_stash_new();
			spt_stacks_forget(stacks);
		}
		sample->record.cpu = cpu;
		next_stack(random, sample);
		old_or_new(random, &old[cpu][g_rand_int_range(random, 0, OLD)], &samples[cpu]);
		n_before = spt_stash_n_nodes(stash);
		is_in_exec = sample->n_kernel && g_rand_int_range(random, 0, 3) == 0;
		has_outer = send_outer(random, places[cpu], sample, &sent, &outer);
		view = spt_stack_of_sample(&sent.sample);
		if (has_outer && spt_stacks_node_by_outer(stacks, stash, &view, &outer, &node)) {
			g_assert_cmpuint(sample->user_mode, ==, SYSPROF_USER_TABLE);
			g_assert_false(sample->record.flags & SYSPROF_SAMPLE_ADDRESSES);
			end = (SptStackEnd){ SYSPROF_END_ROOT, true };
			n_referred++;
		} else {
			view = spt_stack_of_sample(sample);
			node = spt_stacks_node(stacks, stash, &view, is_in_exec, &end);
		}
		n_known += spt_stash_n_nodes(stash) == n_before;
		n_before = spt_stash_n_nodes(stash);
		g_assert_cmpuint(plain_node(spaces, stash, sample, is_in_exec, &plain_end), ==,
				 node);
		g_assert_cmpuint(spt_stash_n_nodes(stash), ==, n_before);
		g_assert_cmpuint(end.user_end, ==, plain_end.user_end);
		g_assert_true(end.has_user == plain_end.has_user);
		n_cut += end.user_end == SYSPROF_END_UNMAPPED;
	}
	g_assert_cmpuint(n_cut, >, ROUNDS / 100);
	g_assert_cmpuint(n_known, >, ROUNDS / 100);
	g_assert_cmpuint(n_referred, >, ROUNDS / 20);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/stacks/same", test_same);
	return g_test_run();
}

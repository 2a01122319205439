/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of what is computed from a capture: captures made in memory, with chosen or random
 * stacks.
 */
#ifndef SPT_CAPTURES_H
#define SPT_CAPTURES_H

#include "capture/capture.h"
#include "stash/stash.h"

#define FAKE_FUNCTIONS 12

/*
 * Function i is at offset 16 * i of object 1, called "f" and the number.  Threads 1 and 3 are of
 * processes called "even".
 */
struct fake {
	SptCapture capture;
	SptStash *stash;
	SptNode *nodes;			/* those of the capture */
	GArray *samples;		/* SptSampleRow */
	GArray *leaves;			/* SptLeafRow, one for each sample */
	SptObjectRow objects[2];
	SptProcessRow processes[5];
	SptThreadRow threads[5];
	SptNameRow names[FAKE_FUNCTIONS];
	char texts[FAKE_FUNCTIONS][8];
};

static void fake_init(struct fake *fake)
{
	*fake = (struct fake){ .stash = spt_stash_new(),
			       .samples = g_array_new(FALSE, FALSE, sizeof(SptSampleRow)) };
	fake->leaves = g_array_new(FALSE, FALSE, sizeof(SptLeafRow));
	fake->objects[1] = (SptObjectRow){ .id = 1, .kind = SPT_OBJECT_KERNEL };
	fake->processes[1] = (SptProcessRow){ .id = 1, .pid = 10, .name = "even" };
	fake->processes[2] = (SptProcessRow){ .id = 2, .pid = 11, .name = "odd" };
	fake->processes[3] = (SptProcessRow){ .id = 3, .pid = 12, .name = "even" };
	fake->processes[4] = (SptProcessRow){ .id = 4, .pid = 0, .name = "" };
	for (uint32_t i = 1; i < 5; i++)
		fake->threads[i] = (SptThreadRow){ .id = i, .process = i, .tid = 9 + i };
	for (unsigned i = 0; i < FAKE_FUNCTIONS; i++) {
		g_snprintf(fake->texts[i], sizeof(fake->texts[i]), "f%u", i);
		fake->names[i] = (SptNameRow){
			.object = 1, .offset = 16 * i, .symbol = fake->texts[i], .module = ""
		};
	}
}

/* @functions from the outermost to the innermost. */
static void fake_sample(struct fake *fake, uint32_t thread, const unsigned *functions, unsigned n,
			uint64_t time, uint32_t weight)
{
	SptSampleRow sample = { .time = time, .thread = thread, .weight = weight };

	for (unsigned i = 0; i < n; i++) {
		SptFrame frame = { .object = 1, .offset = 16 * functions[i], .kind = i % 2 };

		sample.node = spt_stash_child(fake->stash, sample.node, &frame);
	}
	g_array_append_val(fake->samples, sample);
}

/* Shallow alphabets make recursion and shared prefixes likely. */
G_GNUC_UNUSED static void fake_random(struct fake *fake, unsigned n_samples)
{
	unsigned functions[24];

	for (unsigned i = 0; i < n_samples; i++) {
		unsigned n = g_test_rand_int_range(0, 12);

		for (unsigned frame = 0; frame < n; frame++)
			functions[frame] =
				g_test_rand_int_range(0, g_test_rand_bit() ? 3 : FAKE_FUNCTIONS);
		fake_sample(fake, g_test_rand_int_range(1, 5), functions, n, 1000 + i,
			    g_test_rand_int_range(1, 5));
	}
}

/* The same on few CPUs, one of which has a large number. */
G_GNUC_UNUSED static void fake_random_on_cpus(struct fake *fake, unsigned n_samples)
{
	fake_random(fake, n_samples);
	for (unsigned i = 0; i < fake->samples->len; i++)
		g_array_index(fake->samples, SptSampleRow, i).cpu = i % 5 == 4 ? 4000000000 : i % 3;
}

/* As a capture has them, with the numbers of their frames. */
static SptNode *fake_nodes(struct fake *fake)
{
	uint32_t n = spt_stash_n_nodes(fake->stash);

	g_free(fake->nodes);
	fake->nodes = g_memdup2(spt_stash_node(fake->stash, 0), n * sizeof(*fake->nodes));
	spt_stash_number_frames(fake->stash);
	for (uint32_t i = 0; i < n; i++)
		fake->nodes[i].key = spt_stash_frame_of(fake->stash, i);
	return fake->nodes;
}

static const SptCapture *fake_capture(struct fake *fake)
{
	SptCapture *capture = &fake->capture;

	*capture = (SptCapture){
		.path = "by hand",
		.objects = fake->objects,
		.n_objects = 2,
		.processes = fake->processes,
		.n_processes = 5,
		.threads = fake->threads,
		.n_threads = 5,
		.names = fake->names,
		.n_names = FAKE_FUNCTIONS,
		.nodes = fake_nodes(fake),
		.n_nodes = spt_stash_n_nodes(fake->stash),
		.n_frames = spt_stash_number_frames(fake->stash),
		.samples = (SptSampleRow *)fake->samples->data,
		.n_samples = fake->samples->len,
		.first_time = UINT64_MAX,
	};
	g_array_set_size(fake->leaves, 0);
	for (unsigned i = 0; i < fake->samples->len; i++) {
		const SptSampleRow *row = &g_array_index(fake->samples, SptSampleRow, i);
		SptLeafRow leaf = { fake->threads[row->thread].process, row->node, row->weight, 1 };

		g_array_append_val(fake->leaves, leaf);
		capture->weight += row->weight;
		capture->first_time = MIN(capture->first_time, row->time);
		capture->last_time = MAX(capture->last_time, row->time);
		capture->last_cpu = MAX(capture->last_cpu, row->cpu);
	}
	capture->leaves = (SptLeafRow *)fake->leaves->data;
	capture->n_leaves = fake->leaves->len;
	capture->has_leaves = true;
	return capture;
}

static void fake_clear(struct fake *fake)
{
	g_clear_pointer(&fake->capture.kept, g_hash_table_unref);
	spt_stash_free(fake->stash);
	g_free(fake->nodes);
	g_array_unref(fake->samples);
	g_array_unref(fake->leaves);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-stash: how long the stash takes for a million stacks of 20 frames, and how long a bare loop
 * over a prefix tree does: one number a frame, nodes of 16 bytes, a table of the right size from
 * the start.  "name value unit" lines.  Both see the same stacks in the same order, a piece at a
 * time, in turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stash/stash.h"

#define SAMPLES (1u << 20)
#define FRAMES 20
#define PIECE 512
#define OBJECTS 40

struct bare_node {
	uint64_t frame;
	uint32_t parent, unused;
};

struct bare {
	struct bare_node *nodes;
	uint32_t *slots, mask, n;
};

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
	return x ^ x >> 33;
}

static uint32_t bare_add(struct bare *bare, const uint64_t *frames)
{
	uint32_t parent = 0;

	for (unsigned i = FRAMES; i-- > 0;) {
		uint64_t hash = (frames[i] ^ (uint64_t)parent << 32) * 0x9e3779b97f4a7c15u;
		uint32_t slot = (uint32_t)(hash >> 32) & bare->mask, id;

		while ((id = bare->slots[slot]) != 0 &&
		       (bare->nodes[id].frame != frames[i] || bare->nodes[id].parent != parent))
			slot = (slot + 1) & bare->mask;
		if (!id) {
			id = bare->slots[slot] = bare->n++;
			bare->nodes[id] = (struct bare_node){ frames[i], parent, 0 };
		}
		parent = id;
	}
	return parent;
}

/*
 * Innermost first.  The innermost @own frames belong to this stack alone, above them stacks meet
 * two by two.
 */
static void make_stack(uint32_t stack, unsigned own, SptFrame *frames, uint64_t *bare_frames)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		uint64_t path = i < own ? stack : (uint64_t)stack >> (i - own + 1) * 3 / 2;
		uint64_t place = mix(path << 8 | i);

		frames[i] = (SptFrame){ .object = 1 + place % OBJECTS,
					.offset = place >> 40,
					.kind = i == 0 };
		bare_frames[i] = (uint64_t)frames[i].object << 40 | frames[i].offset;
	}
}

/* @slots_bits: the smallest table that stays half empty. */
static void measure(const char *name, uint32_t n_stacks, unsigned own, unsigned slots_bits)
{
	g_autofree SptFrame *frames = g_new(SptFrame, PIECE * FRAMES);
	g_autofree uint64_t *bare_frames = g_new(uint64_t, PIECE * FRAMES);
	struct bare bare = { .mask = (1u << slots_bits) - 1, .n = 1 };
	g_autoptr(SptStash) stash = spt_stash_new();
	double stash_ms = 0, bare_ms = 0, before;
	uint32_t sum = 0;

	bare.slots = g_new0(uint32_t, (size_t)bare.mask + 1);
	bare.nodes = g_new0(struct bare_node, (size_t)bare.mask / 2 + 1);
	for (uint32_t at = 0; at < SAMPLES; at += PIECE) {
		/* Odd, so that a million numbers are met once each. */
		for (uint32_t i = 0; i < PIECE; i++)
			make_stack((at + i) * 2654435761u % SAMPLES % n_stacks, own,
				   &frames[i * FRAMES], &bare_frames[i * FRAMES]);
		before = now_ms();
		for (uint32_t i = 0; i < PIECE; i++)
			sum += spt_stash_add(stash, 0, &frames[i * FRAMES], FRAMES);
		stash_ms += now_ms() - before;
		before = now_ms();
		for (uint32_t i = 0; i < PIECE; i++)
			sum -= bare_add(&bare, &bare_frames[i * FRAMES]);
		bare_ms += now_ms() - before;
	}
	if (sum != 0 || bare.n != spt_stash_n_nodes(stash))
		printf("stash_%s_wrong 1 -\n", name);
	printf("stash_%s_nodes %u -\n", name, bare.n);
	printf("stash_%s_ours %.1f ms\nstash_%s_bare %.1f ms\nstash_%s_ratio %.2f x\n", name,
	       stash_ms, name, bare_ms, name, stash_ms / bare_ms);
	g_free(bare.slots);
	g_free(bare.nodes);
}

int main(void)
{
	measure("20k", 20000, 10, 19);
	measure("1M", SAMPLES, 5, 24);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agree ONE OTHER: two recordings of the same ticks, held against each other: samples are the same
 * if CPU, process and thread are and their times lie less than half a period apart.  Prints, of
 * those with user frames in both that the second calls whole or walked by a table, how many stacks
 * are identical, and what is different in the others, the first of each kind at length.  Where the
 * second one has functions of scripts, the interpreter's loop is not in its stack, and nothing else
 * is missing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/format.h"
#include "sysprof.h"

#define FRAMES_MAX 4096
#define SHOWN 3

struct sample {
	uint64_t time;
	uint32_t cpu, pid, tid, node;
	uint8_t user_end;
};

static GArray *samples_of(const SptCapture *capture)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct sample));
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	const SptSampleRow *rows;
	uint32_t n;

	while ((rows = spt_samples_next(samples, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			const SptThreadRow *thread = &capture->threads[rows[i].thread];
			struct sample sample = {
				rows[i].time, rows[i].cpu,  capture->processes[thread->process].pid,
				thread->tid,  rows[i].node, rows[i].user_end,
			};

			g_array_append_val(all, sample);
		}
	}
	return all;
}

static int by_cpu_and_time(const void *a, const void *b)
{
	const struct sample *one = a, *other = b;

	if (one->cpu != other->cpu)
		return one->cpu < other->cpu ? -1 : 1;
	return one->time < other->time ? -1 : one->time > other->time;
}

/* User frames, innermost first. */
static unsigned user_frames(const SptCapture *capture, uint32_t node,
			    const SptFrame *ret[FRAMES_MAX])
{
	unsigned n = 0;

	for (; node && n < FRAMES_MAX; node = capture->nodes[node].parent) {
		const SptFrame *frame = &capture->nodes[node].frame;
		uint8_t kind = capture->objects[frame->object].kind;

		if (kind == SPT_OBJECT_FILE || kind == SPT_OBJECT_VDSO || kind == SPT_OBJECT_ANON)
			ret[n++] = frame;
	}
	return n;
}

static bool has_scripts(const SptCapture *capture, uint32_t node)
{
	for (; node; node = capture->nodes[node].parent) {
		const SptObjectRow *row = &capture->objects[capture->nodes[node].frame.object];

		if (row->kind == SPT_OBJECT_SOURCE || g_strcmp0(row->path, "[script]") == 0)
			return true;
	}
	return false;
}

static const char *path_of(const SptCapture *capture, const SptFrame *frame)
{
	return capture->objects[frame->object].path;
}

static bool is_same_place(const SptCapture *one, const SptFrame *a, const SptCapture *other,
			  const SptFrame *b)
{
	return a->offset == b->offset && !strcmp(path_of(one, a), path_of(other, b));
}

/* Whether @b is @a without some frames of an interpreter. */
static bool is_without_loops(const SptCapture *one, const SptFrame **a, unsigned n,
			     const SptCapture *other, const SptFrame **b, unsigned m)
{
	unsigned at = 0;

	for (unsigned i = 0; i < n; i++) {
		if (at < m && is_same_place(one, a[i], other, b[at]))
			at++;
		else if (!strstr(path_of(one, a[i]), "python"))
			return false;
	}
	return at == m;
}

static void show(const char *what, const SptCapture *capture, const SptFrame **frames, unsigned n,
		 unsigned end)
{
	printf("# %s, ends by %u:", what, end);
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *name = g_path_get_basename(path_of(capture, frames[i]));

		printf(" %s+0x%" PRIx64, name, frames[i]->offset);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	enum { SAME, SHORTER, LONGER, DIFFERENT, KINDS };
	static const char *const kinds[KINDS] = { "identical", "shorter", "longer", "different" };
	static const SptFrame *one_frames[FRAMES_MAX], *other_frames[FRAMES_MAX];
	g_autoptr(SptCapture) one = argc == 3 ? spt_capture_open(argv[1], NULL) : NULL,
			      other = one ? spt_capture_open(argv[2], NULL) : NULL;
	unsigned n_kinds[KINDS] = { 0 }, n_pairs = 0, n_no_table = 0, shown[KINDS] = { 0 };
	g_autoptr(GArray) ones = NULL, others = NULL;
	uint64_t half;

	if (!other) {
		fprintf(stderr, "usage: agree ONE OTHER\n");
		return 2;
	}
	half = spt_capture_period_ns(one) / 2;
	ones = samples_of(one);
	others = samples_of(other);
	g_array_sort(ones, by_cpu_and_time);
	g_array_sort(others, by_cpu_and_time);
	for (guint i = 0, j = 0; i < ones->len && j < others->len;) {
		const struct sample *a = &g_array_index(ones, struct sample, i),
				    *b = &g_array_index(others, struct sample, j);
		unsigned n, m, same = 0, kind;

		if (a->cpu != b->cpu || a->time + half < b->time || b->time + half < a->time) {
			if (by_cpu_and_time(a, b) < 0)
				i++;
			else
				j++;
			continue;
		}
		i++;
		j++;
		if (a->pid != b->pid || a->tid != b->tid)
			continue;
		n = user_frames(one, a->node, one_frames);
		m = user_frames(other, b->node, other_frames);
		if (!n || !m || a->user_end != SYSPROF_END_ROOT)
			continue;
		if (b->user_end & SPT_END_FRAME_POINTERS || b->user_end == SPT_END_NO_INFO) {
			n_no_table++;
			continue;
		}
		n_pairs++;
		while (same < n && same < m &&
		       is_same_place(one, one_frames[same], other, other_frames[same]))
			same++;
		if (has_scripts(other, b->node) &&
		    is_without_loops(one, one_frames, n, other, other_frames, m))
			same = n = m;
		kind = same == n && same == m ? SAME :
		       same == m	      ? SHORTER :
		       same == n	      ? LONGER :
						DIFFERENT;
		n_kinds[kind]++;
		if (kind != SAME && shown[kind]++ < SHOWN) {
			show(kinds[kind], other, other_frames, m, b->user_end);
			show("instead of", one, one_frames, n, a->user_end);
		}
	}
	printf("%u pairs of stacks, %u more without tables\n", n_pairs, n_no_table);
	for (unsigned kind = 0; kind < KINDS; kind++)
		printf("%s %u\n", kinds[kind], n_kinds[kind]);
	return 0;
}

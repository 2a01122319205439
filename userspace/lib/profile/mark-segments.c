/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of a thread overlap.  They are cut into segments, one behind the other, each with what was
 * innermost then: a segment lasts until the next one of its thread.
 */
#include "profile/mark-segments.h"

#include "profile/marks.h"

struct marked {
	uint64_t begin, end;
	uint32_t thread, name;
};

struct segment {
	uint64_t begin;
	uint32_t thread, name;
};

struct mark_segments {
	GArray *segments;		/* struct segment, by thread and time */
	GPtrArray *names;		/* by number; 0: none */
	GHashTable *numbers;		/* name -> number */
};

struct cutting {
	struct mark_segments *of;
	GArray *marked;			/* struct marked */
};

static uint32_t segment_number(struct mark_segments *of, const char *name)
{
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(of->numbers, name));
	char *copy;

	if (number)
		return number;
	if (of->names->len > SPT_MARK_NAMES)
		return SPT_MARK_NAMES;
	number = of->names->len;
	copy = g_strdup(number < SPT_MARK_NAMES ? name : "[other marks]");
	g_ptr_array_add(of->names, copy);
	g_hash_table_insert(of->numbers, copy, GUINT_TO_POINTER(number));
	return number;
}

static void take_marked(const char *name, G_GNUC_UNUSED const char *category,
			const SptDeclaredRow *row, void *data)
{
	struct cutting *cutting = data;
	const struct marked marked = {
		.begin = row->time,
		.end = row->time + row->duration_ns,
		.thread = row->thread,
		.name = segment_number(cutting->of, name),
	};

	if (row->thread && row->duration_ns)
		g_array_append_val(cutting->marked, marked);
}

/* The outer one first. */
static int compare_marked(gconstpointer a, gconstpointer b)
{
	const struct marked *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	if (x->begin != y->begin)
		return (x->begin > y->begin) - (x->begin < y->begin);
	return (x->end < y->end) - (x->end > y->end);
}

static void segment_begin(struct mark_segments *of, uint32_t thread, uint64_t begin, uint32_t name)
{
	const struct segment segment = { begin, thread, name };

	g_array_append_val(of->segments, segment);
}

/* Ends those of @open that have ended at @until.  What is below one may have ended before it. */
static void end_marked(struct mark_segments *of, GArray *open, uint64_t until)
{
	while (open->len) {
		struct marked last = g_array_index(open, struct marked, open->len - 1);
		uint32_t name = 0;

		if (last.end > until)
			return;
		g_array_set_size(open, open->len - 1);
		while (open->len && !name) {
			const struct marked *below =
				&g_array_index(open, struct marked, open->len - 1);

			if (below->end > last.end)
				name = below->name;
			else
				g_array_set_size(open, open->len - 1);
		}
		segment_begin(of, last.thread, last.end, name);
	}
}

static void cut_marked(struct cutting *cutting)
{
	g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(struct marked));
	const struct marked *before = NULL;

	g_array_sort(cutting->marked, compare_marked);
	for (unsigned i = 0; i < cutting->marked->len; i++) {
		const struct marked *marked = &g_array_index(cutting->marked, struct marked, i);

		end_marked(cutting->of, open,
			   before && before->thread == marked->thread ? marked->begin : UINT64_MAX);
		segment_begin(cutting->of, marked->thread, marked->begin, marked->name);
		g_array_append_vals(open, marked, 1);
		before = marked;
	}
	end_marked(cutting->of, open, UINT64_MAX);
}

static void mark_segments_free(void *data)
{
	struct mark_segments *of = data;

	g_array_unref(of->segments);
	g_hash_table_unref(of->numbers);
	g_ptr_array_unref(of->names);
	g_free(of);
}

static void *make_mark_segments(const SptCapture *capture, G_GNUC_UNUSED gpointer key)
{
	struct mark_segments *of = g_new0(struct mark_segments, 1);
	struct cutting cutting = { of, g_array_new(FALSE, FALSE, sizeof(struct marked)) };
	const SptMarkQuery all = { 0 };

	of->segments = g_array_new(FALSE, FALSE, sizeof(struct segment));
	of->names = g_ptr_array_new_with_free_func(g_free);
	of->numbers = g_hash_table_new(g_str_hash, g_str_equal);
	g_ptr_array_add(of->names, g_strdup("[no mark]"));
	spt_marks_each(capture, &all, take_marked, &cutting);
	cut_marked(&cutting);
	g_array_unref(cutting.marked);
	return of;
}

static const struct mark_segments *mark_segments_of(const SptCapture *capture)
{
	static const char key;

	return spt_capture_keep(capture, (gpointer)&key, make_mark_segments, mark_segments_free);
}

const char *spt_mark_segments_lack(const SptCapture *capture)
{
	return spt_marks_are_in(capture) ? NULL : "--marks";
}

uint32_t spt_mark_segment(const SptCapture *capture, uint32_t thread, uint64_t time)
{
	const GArray *segments = mark_segments_of(capture)->segments;
	unsigned low = 0, high = segments->len;
	const struct segment *last;

	/* The first one behind the time. */
	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		const struct segment *segment = &g_array_index(segments, struct segment, middle);

		if (segment->thread < thread ||
		    (segment->thread == thread && segment->begin <= time))
			low = middle + 1;
		else
			high = middle;
	}
	last = low ? &g_array_index(segments, struct segment, low - 1) : NULL;
	return last && last->thread == thread ? last->name : 0;
}

const char *spt_mark_segment_name(const SptCapture *capture, uint32_t number)
{
	return mark_segments_of(capture)->names->pdata[number];
}

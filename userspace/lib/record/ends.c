/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counted by cause.  The heaviest cause is noted, with the objects in which most of these stacks
 * stop.
 */
#include "record/ends.h"

#include <string.h>

#include "capture/format.h"
#include "sysprof.h"

#define OBJECTS_NOTED 3
#define RUN_TIME_PATH "[anon]"

enum cause {
	FRAME_POINTERS,			/* no table: there were only frame pointers */
	CUT,
	RUN_TIME,			/* code without a file */
	NO_INFO,
	OTHER,
	CAUSES,
};

static const char *const words[] = { "frame_pointers", "cut", "run_time", "no_info", "other" };

struct SptEnds {
	uint64_t all, whole;
	GHashTable *objects[CAUSES];	/* object -> uint64_t, the weight */
};

struct stop {
	uint32_t object;
	uint64_t weight;
};

SptEnds *spt_ends_new(void)
{
	SptEnds *ends = g_new0(SptEnds, 1);

	for (unsigned i = 0; i < CAUSES; i++)
		ends->objects[i] = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	return ends;
}

void spt_ends_free(SptEnds *ends)
{
	if (!ends)
		return;
	for (unsigned i = 0; i < CAUSES; i++)
		g_hash_table_unref(ends->objects[i]);
	g_free(ends);
}

static enum cause cause_of(uint8_t user_end)
{
	if (user_end & SPT_END_FRAME_POINTERS)
		return FRAME_POINTERS;
	return user_end == SPT_END_CUT ? CUT : user_end == SPT_END_NO_INFO ? NO_INFO : OTHER;
}

void spt_ends_take(SptEnds *ends, uint8_t user_end, uint32_t object, uint64_t weight)
{
	GHashTable *objects;
	uint64_t *sum;

	if (user_end == SYSPROF_END_NONE)
		return;
	ends->all += weight;
	if (user_end == SYSPROF_END_ROOT) {
		ends->whole += weight;
		return;
	}
	objects = ends->objects[cause_of(user_end)];
	sum = g_hash_table_lookup(objects, GUINT_TO_POINTER(object));
	if (!sum) {
		sum = g_new0(uint64_t, 1);
		g_hash_table_insert(objects, GUINT_TO_POINTER(object), sum);
	}
	*sum += weight;
}

static int by_weight(const void *a, const void *b)
{
	const struct stop *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->object > y->object) - (x->object < y->object);
}

/* The part of @cause that is in code made at run time is a cause of its own. */
static bool ends_is_of(const SptOutput *output, enum cause cause, uint32_t object)
{
	const char *path = spt_output_path(output, object);
	bool is_run_time = path && strcmp(path, RUN_TIME_PATH) == 0;

	return cause == RUN_TIME ? is_run_time : !is_run_time;
}

/* Heaviest first, and their sum. */
static GArray *stops_of(const SptEnds *ends, const SptOutput *output, enum cause cause,
			uint64_t *ret_sum)
{
	GArray *stops = g_array_new(FALSE, FALSE, sizeof(struct stop));

	*ret_sum = 0;
	for (unsigned i = 0; i < CAUSES; i++) {
		GHashTableIter iter;
		void *object, *weight;

		if (i != (unsigned)cause && cause != RUN_TIME)
			continue;
		g_hash_table_iter_init(&iter, ends->objects[i]);
		while (g_hash_table_iter_next(&iter, &object, &weight)) {
			struct stop stop = { GPOINTER_TO_UINT(object), *(uint64_t *)weight };

			if (!ends_is_of(output, cause, stop.object))
				continue;
			*ret_sum += stop.weight;
			g_array_append_val(stops, stop);
		}
	}
	g_array_sort(stops, by_weight);
	return stops;
}

static char *ends_names_of(const GArray *stops, const SptOutput *output)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (unsigned i = 0, shown = 0; i < stops->len && shown < OBJECTS_NOTED; i++) {
		const char *path =
			spt_output_path(output, g_array_index(stops, struct stop, i).object);
		g_autofree char *name = path && *path == '/' ? g_path_get_basename(path) : NULL;

		/* An object with less than a tenth of the first says nothing about the cause. */
		if (!name || g_array_index(stops, struct stop, i).weight <
				     g_array_index(stops, struct stop, 0).weight / 10)
			continue;
		g_string_append_printf(names, "%s%s", shown++ ? ", " : "", name);
	}
	return g_string_free(g_steal_pointer(&names), FALSE);
}

static void note_number(SptOutput *output, const char *key, uint64_t value)
{
	g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, value);

	spt_output_host(output, key, text);
}

static void ends_note(void *part, SptOutput *output)
{
	const SptEnds *ends = part;
	uint64_t most = 0;

	if (!ends->all)
		return;
	note_number(output, "stacks_seen", ends->all);
	note_number(output, "stacks_whole", ends->whole);
	for (unsigned i = 0; i < CAUSES; i++) {
		uint64_t sum;
		g_autoptr(GArray) stops = stops_of(ends, output, i, &sum);
		g_autofree char *names = ends_names_of(stops, output), *text = NULL;

		if (sum <= most)
			continue;
		most = sum;
		text = g_strdup_printf("%s %" G_GUINT64_FORMAT " %s", words[i], sum, names);
		spt_output_host(output, "stacks_stop", text);
	}
}

const SptStage spt_ends_stage = {
	.note = ends_note,
	.free = (GDestroyNotify)spt_ends_free,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/arena-counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/proc-stat.h"
#include "profile/arenas.h"

/* Numbers of kinds, beyond those of point-hits.c. */
#define FIRST_KIND     12288u
#define MOST_PROCESSES 128u
/* Where there are many, those with less than this and no second arena have no counters. */
#define MANY	       64u
#define LITTLE_BYTES   (1u << 20)
#define START_BRK_FIELD 47		/* of /proc/PID/stat */

static const struct {
	const char *name;
	SptValueType type;
	size_t at;
} numbers[] = {
	{ "main", SPT_VALUE_BYTES, offsetof(SptMallocArenas, main_bytes) },
	{ "heaps", SPT_VALUE_BYTES, offsetof(SptMallocArenas, heap_bytes) },
	{ "arenas", SPT_VALUE_U64, offsetof(SptMallocArenas, made) },
	{ "threads-in-one", SPT_VALUE_U64, offsetof(SptMallocArenas, threads) },
	{ "reused", SPT_VALUE_U64, offsetof(SptMallocArenas, reused) },
	{ "waits", SPT_VALUE_U64, offsetof(SptMallocArenas, waits) },
	{ "retries", SPT_VALUE_U64, offsetof(SptMallocArenas, retries) },
	{ "mmap-threshold", SPT_VALUE_BYTES, offsetof(SptMallocArenas, mmap_threshold) },
	{ "trim-threshold", SPT_VALUE_BYTES, offsetof(SptMallocArenas, trim_threshold) },
};

/* A process that has counters. */
struct counted_process {
	uint32_t number;		/* of those that have had some, from 0 */
	uint32_t declared;		/* a bit for each number */
	uint64_t last[G_N_ELEMENTS(numbers)];
};

/* Which values of a hit are needed; below 0: none. */
struct arena_point {
	int mark, number, bytes;
};

struct SptArenaCounts {
	SptOutput *output;
	SptArenas *arenas;
	struct arena_point *points;
	GHashTable *counted;		/* process -> struct counted_process */
	GHashTable *left_out;		/* processes */
	unsigned n_counted;
};

static int arena_point_field(const SptPoint *point, const char *name)
{
	for (unsigned i = 0; name && i < point->format.n_fields; i++)
		if (strcmp(point->format.fields[i].field.name, name) == 0)
			return (int)i;
	return -1;
}

SptArenaCounts *spt_arena_counts_new(const GPtrArray *points, SptOutput *output)
{
	g_autofree struct arena_point *of = g_new0(struct arena_point, points->len);
	SptArenaCounts *counts;
	bool has_some = false;

	for (unsigned i = 0; i < points->len; i++) {
		const SptPoint *point = points->pdata[i];

		of[i].mark = spt_arenas_mark(point->name);
		if (of[i].mark < 0)
			continue;
		has_some = true;
		of[i].number = arena_point_field(
			point, spt_arenas_number_field((unsigned)of[i].mark));
		of[i].bytes = arena_point_field(point,
						spt_arenas_bytes_field((unsigned)of[i].mark));
	}
	if (!has_some)
		return NULL;
	counts = g_new0(SptArenaCounts, 1);
	counts->output = output;
	counts->points = g_steal_pointer(&of);
	counts->arenas = spt_arenas_new();
	counts->counted = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	counts->left_out = g_hash_table_new(NULL, NULL);
	return counts;
}

void spt_arena_counts_free(SptArenaCounts *counts)
{
	if (!counts)
		return;
	spt_arenas_free(counts->arenas);
	g_hash_table_unref(counts->counted);
	g_hash_table_unref(counts->left_out);
	g_free(counts->points);
	g_free(counts);
}

/* Where the heap of the process starts (proc(5): start_brk); 0: not known, as it has ended. */
static uint64_t heap_start(uint32_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%" PRIu32 "/stat", pid);
	g_autofree char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ?
		       spt_proc_stat_field(text, START_BRK_FIELD) :
		       0;
}

/* NULL: it has no counters, or none yet. */
static struct counted_process *counted_process_find(SptArenaCounts *counts,
						    const SptMallocArenas *of)
{
	void *process = GUINT_TO_POINTER(of->process);
	struct counted_process *counted = g_hash_table_lookup(counts->counted, process);
	bool has_little = !of->made && of->main_bytes + of->heap_bytes < LITTLE_BYTES;

	if (counted || (has_little && counts->n_counted >= MANY))
		return counted;
	if (counts->n_counted >= MOST_PROCESSES) {
		g_hash_table_add(counts->left_out, process);
		return NULL;
	}
	counted = g_new0(struct counted_process, 1);
	counted->number = counts->n_counted++;
	g_hash_table_insert(counts->counted, process, counted);
	return counted;
}

static void arena_counts_put(SptArenaCounts *counts, struct counted_process *counted,
			     const SptMallocArenas *of, unsigned i, const SptThread *thread,
			     uint64_t time)
{
	uint64_t value = *(const uint64_t *)((const char *)of + numbers[i].at);
	const SptProcess *process = thread->process;
	g_autofree char *name = NULL;
	SptDeclaredRow row = {
		.time = time,
		.kind = FIRST_KIND + counted->number * G_N_ELEMENTS(numbers) + i,
		.thread = thread->id,
		.values = { { .number = value } },
	};

	if (value == counted->last[i])
		return;
	counted->last[i] = value;
	if (!(counted->declared & 1u << i)) {
		name = g_strdup_printf("malloc.%.64s.%" PRIu32 ".%s",
				       process->name ? process->name : "", process->pid,
				       numbers[i].name);
		spt_output_put(counts->output, SPT_ROW_DECLARATION,
			       &(SptDeclarationRow){
				       .id = row.kind,
				       .shape = SPT_DECLARED_COUNTER,
				       .name = name,
				       .n_fields = 1,
				       .fields = { { "value", "", numbers[i].type } },
			       });
		counted->declared |= 1u << i;
	}
	spt_output_put(counts->output, SPT_ROW_DECLARED, &row);
}

void spt_arena_counts_take(SptArenaCounts *counts, unsigned point, const SptThread *thread,
			   const SptDeclaredRow *row)
{
	const struct arena_point *from = &counts->points[point];
	SptArenaEvent event = { .process = thread->process->id, .thread = thread->id };
	struct counted_process *counted;
	const SptMallocArenas *of;

	if (from->mark < 0)
		return;
	event.mark = (unsigned)from->mark;
	event.number = from->number < 0 ? 0 : row->values[from->number].number;
	event.bytes = from->bytes < 0 ? 0 : row->values[from->bytes].number;
	if (!spt_arenas_find(counts->arenas, event.process))
		event.main_start = heap_start(thread->process->pid);
	of = spt_arenas_take(counts->arenas, &event);
	counted = counted_process_find(counts, of);
	for (unsigned i = 0; counted && i < G_N_ELEMENTS(numbers); i++)
		arena_counts_put(counts, counted, of, i, thread, row->time);
}

void spt_arena_counts_process(SptArenaCounts *counts, const SptProcess *process)
{
	if (!process->end_time)
		return;
	spt_arenas_forget(counts->arenas, process->id);
	g_hash_table_remove(counts->counted, GUINT_TO_POINTER(process->id));
}

unsigned spt_arena_counts_left_out(const SptArenaCounts *counts)
{
	return g_hash_table_size(counts->left_out);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that were started, but did not load the library: they are linked statically, are for
 * another processor, run with other rights, or in a place from which they cannot reach the
 * recorder.  The source reports each exec.  A program that is recorded has a ring from before its
 * main().
 */
#include "base/words.h"
#include "record/memory-private.h"

/* The stamps of rings and the source's times are of different clocks. */
#define TOLERANCE_NS 500000ULL

struct expected {
	uint32_t pid;
	uint64_t time, next_time;	/* of the exec, and of the next one of that process */
	char *name;
};

struct spt_expected {
	GArray *programs;		/* struct expected */
	GHashTable *latest;		/* pid -> the number of its latest program, from 1 */
	GHashTable *connections;	/* pid -> GArray of uint64_t: stamps of first rings */
	/* Programs of another PID namespace that had exited before they could be asked for. */
	uint64_t unknown;
};

static void expected_clear(void *data)
{
	g_free(((struct expected *)data)->name);
}

static void memory_expected_unref_array(void *array)
{
	g_array_unref(array);
}

struct spt_expected *spt_memory_expected_new(void)
{
	struct spt_expected *all = g_new0(struct spt_expected, 1);

	all->programs = g_array_new(FALSE, FALSE, sizeof(struct expected));
	g_array_set_clear_func(all->programs, expected_clear);
	all->latest = g_hash_table_new(NULL, NULL);
	all->connections = g_hash_table_new_full(NULL, NULL, NULL, memory_expected_unref_array);
	return all;
}

void spt_memory_expected_free(struct spt_expected *all)
{
	g_array_unref(all->programs);
	g_hash_table_unref(all->latest);
	g_hash_table_unref(all->connections);
	g_free(all);
}

void spt_memory_exec(SptMemory *memory, uint32_t pid, uint64_t time, const char *name)
{
	struct spt_expected *all = memory->expected;
	struct expected row = { pid, time, UINT64_MAX, spt_one_line(name) };
	unsigned before = GPOINTER_TO_UINT(
		g_hash_table_lookup(all->latest, GUINT_TO_POINTER(pid)));

	if (before)
		g_array_index(all->programs, struct expected, before - 1).next_time = time;
	g_array_append_val(all->programs, row);
	g_hash_table_insert(all->latest, GUINT_TO_POINTER(pid),
			    GUINT_TO_POINTER(all->programs->len));
}

void spt_memory_connected(SptMemory *memory, uint32_t pid, uint64_t stamp)
{
	struct spt_expected *all = memory->expected;
	GArray *stamps = g_hash_table_lookup(all->connections, GUINT_TO_POINTER(pid));

	if (!pid) {
		all->unknown++;
		return;
	}
	if (!stamps) {
		stamps = g_array_new(FALSE, FALSE, sizeof(uint64_t));
		g_hash_table_insert(all->connections, GUINT_TO_POINTER(pid), stamps);
	}
	g_array_append_val(stamps, stamp);
}

static bool has_connected(const SptMemory *memory, const struct expected *program)
{
	const GArray *stamps = g_hash_table_lookup(memory->expected->connections,
						   GUINT_TO_POINTER(program->pid));

	for (unsigned i = 0; stamps && i < stamps->len; i++) {
		uint64_t time = spt_memory_time(memory, g_array_index(stamps, uint64_t, i));

		if (time + TOLERANCE_NS >= program->time &&
		    (program->next_time == UINT64_MAX ||
		     time < program->next_time + TOLERANCE_NS))
			return true;
	}
	return false;
}

uint64_t spt_memory_unconnected(const SptMemory *memory, const char **ret_name)
{
	const struct spt_expected *all = memory->expected;
	uint64_t n = 0;

	*ret_name = NULL;
	for (unsigned i = 0; i < all->programs->len; i++) {
		const struct expected *program = &g_array_index(all->programs, struct expected, i);

		if (!has_connected(memory, program) && !n++)
			*ret_name = program->name;
	}
	return n > all->unknown ? n - all->unknown : 0;
}

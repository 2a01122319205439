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
	uint64_t time;		/* of the exec */
	unsigned previous;	/* the number of that process's program before it, from 1; 0: none */
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
	struct expected row = {
		.time = time,
		.previous = GPOINTER_TO_UINT(
			g_hash_table_lookup(all->latest, GUINT_TO_POINTER(pid))),
		.name = spt_one_line(name),
	};

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

static int compare_stamps(gconstpointer a, gconstpointer b)
{
	const uint64_t *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

/*
 * Marks the program whose first ring is of @stamp: the last one that @latest's process had begun
 * then.  One that began within the tolerance after it is it only if the one before has its ring:
 * programs that end at once by an exec, as env(1) does, are closer than the tolerance.
 */
static void mark_connected(const SptMemory *memory, unsigned latest, uint64_t stamp,
			   bool *is_connected)
{
	uint64_t time = spt_memory_time(memory, stamp);
	const struct expected *program;

	for (unsigned number = latest; number; number = program->previous) {
		program = &g_array_index(memory->expected->programs, struct expected, number - 1);
		if (program->time > time + TOLERANCE_NS)
			continue;
		if (program->time > time && program->previous &&
		    !is_connected[program->previous - 1])
			continue;
		is_connected[number - 1] = true;
		return;
	}
}

uint64_t spt_memory_unconnected(const SptMemory *memory, const char **ret_name)
{
	const struct spt_expected *all = memory->expected;
	g_autofree bool *is_connected = g_new0(bool, all->programs->len);
	GHashTableIter iter;
	void *pid, *value;
	uint64_t n = 0;

	g_hash_table_iter_init(&iter, all->connections);
	while (g_hash_table_iter_next(&iter, &pid, &value)) {
		GArray *stamps = value;

		g_array_sort(stamps, compare_stamps);
		for (unsigned i = 0; i < stamps->len; i++)
			mark_connected(memory,
				       GPOINTER_TO_UINT(g_hash_table_lookup(all->latest, pid)),
				       g_array_index(stamps, uint64_t, i), is_connected);
	}
	*ret_name = NULL;
	for (unsigned i = 0; i < all->programs->len; i++) {
		if (!is_connected[i] && !n++)
			*ret_name = g_array_index(all->programs, struct expected, i).name;
	}
	return n > all->unknown ? n - all->unknown : 0;
}

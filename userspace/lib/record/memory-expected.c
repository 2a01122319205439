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
	uint64_t time; /* of the exec */
	unsigned next; /* the number of that process's program after it, from 1; 0: none */
	char *name;
};

struct spt_expected {
	GArray *programs;	    /* struct expected */
	GHashTable *first, *latest; /* pid -> the number of its first or latest program, from 1 */
	GHashTable *connections;    /* pid -> GArray of uint64_t: stamps of first rings */
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
	all->first = g_hash_table_new(NULL, NULL);
	all->latest = g_hash_table_new(NULL, NULL);
	all->connections = g_hash_table_new_full(NULL, NULL, NULL, memory_expected_unref_array);
	return all;
}

void spt_memory_expected_free(struct spt_expected *all)
{
	g_array_unref(all->programs);
	g_hash_table_unref(all->first);
	g_hash_table_unref(all->latest);
	g_hash_table_unref(all->connections);
	g_free(all);
}

void spt_memory_exec(SptMemory *memory, uint32_t pid, uint64_t time, const char *name)
{
	struct spt_expected *all = memory->expected;
	struct expected row = { .time = time, .name = spt_one_line(name) };
	unsigned before = GPOINTER_TO_UINT(g_hash_table_lookup(all->latest, GUINT_TO_POINTER(pid)));
	void *number;

	g_array_append_val(all->programs, row);
	number = GUINT_TO_POINTER(all->programs->len);
	if (before)
		g_array_index(all->programs, struct expected, before - 1).next = all->programs->len;
	else
		g_hash_table_insert(all->first, GUINT_TO_POINTER(pid), number);
	g_hash_table_insert(all->latest, GUINT_TO_POINTER(pid), number);
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
 * Marks the programs of a process, of which @number is the first one, whose first rings are of
 * @stamps: each is the last one's that had begun.  One that began within the tolerance after it is
 * it only if the one before has its ring: programs that end at once by an exec, as env(1) does, are
 * closer than the tolerance.
 */
static void mark_connected(const SptMemory *memory, unsigned number, GArray *stamps,
			   bool *is_connected)
{
	const struct expected *programs = (const void *)memory->expected->programs->data, *next;

	g_array_sort(stamps, compare_stamps);
	for (unsigned i = 0; number && i < stamps->len; i++) {
		uint64_t time = spt_memory_time(memory, g_array_index(stamps, uint64_t, i));

		for (; programs[number - 1].next; number = programs[number - 1].next) {
			next = &programs[programs[number - 1].next - 1];
			if (next->time > time + TOLERANCE_NS ||
			    (next->time > time && !is_connected[number - 1]))
				break;
		}
		if (programs[number - 1].time <= time + TOLERANCE_NS)
			is_connected[number - 1] = true;
	}
}

uint64_t spt_memory_unconnected(const SptMemory *memory, const char **ret_name)
{
	const struct spt_expected *all = memory->expected;
	g_autofree bool *is_connected = g_new0(bool, all->programs->len);
	GHashTableIter iter;
	void *pid, *stamps;
	uint64_t n = 0;

	g_hash_table_iter_init(&iter, all->connections);
	while (g_hash_table_iter_next(&iter, &pid, &stamps))
		mark_connected(memory, GPOINTER_TO_UINT(g_hash_table_lookup(all->first, pid)),
			       stamps, is_connected);
	*ret_name = NULL;
	for (unsigned i = 0; i < all->programs->len; i++) {
		if (!is_connected[i] && !n++)
			*ret_name = g_array_index(all->programs, struct expected, i).name;
	}
	return n > all->unknown ? n - all->unknown : 0;
}

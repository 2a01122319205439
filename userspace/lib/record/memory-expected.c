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
	char *name;
};

struct process {
	GArray *programs; /* struct expected, in order */
	GArray *stamps;	  /* uint64_t, of first rings */
};

struct spt_expected {
	GHashTable *processes; /* pid -> struct process */
	/* Programs of another PID namespace that had exited before they could be asked for. */
	uint64_t unknown;
};

static void expected_clear(void *data)
{
	g_free(((struct expected *)data)->name);
}

static void memory_expected_free_process(void *data)
{
	struct process *process = data;

	g_array_unref(process->programs);
	g_array_unref(process->stamps);
	g_free(process);
}

struct spt_expected *spt_memory_expected_new(void)
{
	struct spt_expected *all = g_new0(struct spt_expected, 1);

	all->processes = g_hash_table_new_full(NULL, NULL, NULL, memory_expected_free_process);
	return all;
}

void spt_memory_expected_free(struct spt_expected *all)
{
	g_hash_table_unref(all->processes);
	g_free(all);
}

static struct process *get_process(struct spt_expected *all, uint32_t pid)
{
	struct process *process = g_hash_table_lookup(all->processes, GUINT_TO_POINTER(pid));

	if (process)
		return process;
	process = g_new0(struct process, 1);
	process->programs = g_array_new(FALSE, FALSE, sizeof(struct expected));
	g_array_set_clear_func(process->programs, expected_clear);
	process->stamps = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_hash_table_insert(all->processes, GUINT_TO_POINTER(pid), process);
	return process;
}

void spt_memory_exec(SptMemory *memory, uint32_t pid, uint64_t time, const char *name)
{
	struct expected row = { time, spt_one_line(name) };

	g_array_append_val(get_process(memory->expected, pid)->programs, row);
}

void spt_memory_connected(SptMemory *memory, uint32_t pid, uint64_t stamp)
{
	if (!pid)
		memory->expected->unknown++;
	else
		g_array_append_val(get_process(memory->expected, pid)->stamps, stamp);
}

static int compare_stamps(gconstpointer a, gconstpointer b)
{
	const uint64_t *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

/* Those without a ring, and the first one of them. */
struct unconnected {
	uint64_t n;
	const struct expected *first;
};

static void add_unconnected(struct unconnected *to, const struct expected *program)
{
	to->n++;
	if (!to->first || program->time < to->first->time)
		to->first = program;
}

/*
 * Each ring is the last program's that had begun.  One that began within the tolerance after it is
 * it only if the one before has its ring: programs that end at once by an exec, as env(1) does, are
 * closer than the tolerance.
 */
static void find_unconnected(const SptMemory *memory, struct process *process,
			     struct unconnected *to)
{
	const struct expected *program = (const void *)process->programs->data,
			      *end = program + process->programs->len;
	bool is_connected = false;

	g_array_sort(process->stamps, compare_stamps);
	for (unsigned i = 0; program < end && i < process->stamps->len; i++) {
		uint64_t time =
			spt_memory_time(memory, g_array_index(process->stamps, uint64_t, i));

		for (; program + 1 < end; program++) {
			if (program[1].time > time + TOLERANCE_NS ||
			    (program[1].time > time && !is_connected))
				break;
			if (!is_connected)
				add_unconnected(to, program);
			is_connected = false;
		}
		is_connected |= program->time <= time + TOLERANCE_NS;
	}
	for (program += is_connected; program < end; program++)
		add_unconnected(to, program);
}

uint64_t spt_memory_unconnected(const SptMemory *memory, const char **ret_name)
{
	const struct spt_expected *all = memory->expected;
	struct unconnected found = { 0 };
	GHashTableIter iter;
	void *process;

	g_hash_table_iter_init(&iter, all->processes);
	while (g_hash_table_iter_next(&iter, NULL, &process))
		find_unconnected(memory, process, &found);
	*ret_name = found.first ? found.first->name : NULL;
	return found.n > all->unknown ? found.n - all->unknown : 0;
}

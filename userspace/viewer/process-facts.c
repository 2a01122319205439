/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images of one process with one name count as one, as among the groups.  Maps are not in a
 * capture: executed objects are.
 */
#include "process-facts.h"

#include <string.h>

#define MOST_OBJECTS 4
#define LEAST_SHARE 0.005

/* A process while it is counted. */
struct count {
	SptProcessFacts facts;
	GHashTable *objects;		/* name -> uint64_t weight */
	uint64_t total;
};

struct share {
	const char *name;
	uint64_t weight;
};

static void free_count(gpointer data)
{
	struct count *count = data;

	g_hash_table_unref(count->objects);
	g_free(count->facts.objects);
	g_free(count);
}

static char *process_facts_key_of(uint32_t pid, const char *name)
{
	return g_strdup_printf("%u %s", pid, name);
}

static struct count *count_of(GHashTable *facts, const SptProcessRow *process)
{
	g_autofree char *key = process_facts_key_of(process->pid, process->name);
	struct count *count = g_hash_table_lookup(facts, key);

	if (count)
		return count;
	count = g_new0(struct count, 1);
	count->objects = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	g_hash_table_insert(facts, g_steal_pointer(&key), count);
	return count;
}

static const char *process_facts_object_name(const SptObjectRow *object)
{
	const char *slash = strrchr(object->path, '/');

	if (object->kind == SPT_OBJECT_KERNEL || object->kind == SPT_OBJECT_MODULES)
		return "[kernel]";
	return slash && slash[1] ? slash + 1 : *object->path ? object->path : "?";
}

static void add_leaf(struct count *count, const char *object, uint64_t weight)
{
	uint64_t *sum = g_hash_table_lookup(count->objects, object);

	if (!sum) {
		sum = g_new0(uint64_t, 1);
		g_hash_table_insert(count->objects, (char *)object, sum);
	}
	*sum += weight;
	count->total += weight;
}

static int compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) : strcmp(x->name, y->name);
}

static char *tell_objects(const struct count *count)
{
	g_autoptr(GArray) shares = g_array_new(FALSE, FALSE, sizeof(struct share));
	GString *text = g_string_new(NULL);
	GHashTableIter iter;
	gpointer name, weight;

	g_hash_table_iter_init(&iter, count->objects);
	while (g_hash_table_iter_next(&iter, &name, &weight))
		g_array_append_val(shares, ((struct share){ name, *(uint64_t *)weight }));
	g_array_sort(shares, compare_shares);
	for (unsigned i = 0; i < MIN(shares->len, MOST_OBJECTS); i++) {
		const struct share *share = &g_array_index(shares, struct share, i);
		double part = (double)share->weight / (double)count->total;

		if (part < LEAST_SHARE)
			break;
		g_string_append_printf(text, "%s%s %.0f\xc2\xa0%%", i ? ", " : "", share->name,
				       100 * part);
	}
	return g_string_free(text, FALSE);
}

GHashTable *spt_process_facts_new(const SptCapture *capture)
{
	GHashTable *facts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_count);
	g_autoptr(GHashTable) lines = spt_capture_command_lines(capture);
	struct count *count = NULL;
	GHashTableIter iter;
	gpointer value;

	for (uint32_t i = 1; i < capture->n_processes; i++) {
		const char *line = g_hash_table_lookup(lines, GUINT_TO_POINTER(i));

		if (line)
			count_of(facts, &capture->processes[i])->facts.command_line = line;
	}
	/* They come sorted by process. */
	for (uint64_t i = 0; i < capture->n_leaves; i++) {
		const SptLeafRow *leaf = &capture->leaves[i];

		if (!i || leaf->process != leaf[-1].process)
			count = count_of(facts, &capture->processes[leaf->process]);
		add_leaf(count,
			 process_facts_object_name(
				 &capture->objects[capture->nodes[leaf->node].frame.object]),
			 leaf->weight);
	}
	g_hash_table_iter_init(&iter, facts);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		if (((struct count *)value)->total)
			((struct count *)value)->facts.objects = tell_objects(value);
	return facts;
}

const SptProcessFacts *spt_process_facts_find(GHashTable *facts, uint32_t pid, const char *name)
{
	g_autofree char *key = process_facts_key_of(pid, name);
	const struct count *count = g_hash_table_lookup(facts, key);

	return count ? &count->facts : NULL;
}

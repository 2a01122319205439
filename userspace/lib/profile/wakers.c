/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A wait has the thread that ended it and the time.  That thread's own latest wait before is the
 * one that led to it.
 */
#include "profile/wakers.h"

#include <stdlib.h>
#include <string.h>

#include "profile/culprit.h"
#include "profile/selection.h"
#include "profile/wait-index.h"
#include "profile/waits.h"

/* Beyond this depth, threads wake each other in a circle. */
#define MOST_LINKS 6

struct wakers {
	const SptCapture *capture;
	SptSymbols *symbols;
	SptWaitIndex *index;
	GArray *nodes;			/* SptWaker */
	GHashTable *children;		/* "parent name function" -> node */
};

static const char *name_of(const struct wakers *wakers, uint32_t thread)
{
	const char *name = wakers->capture->threads[thread].name;

	if (!name || !*name)
		name = spt_process_label(spt_process_of_thread(wakers->capture, thread));
	return spt_symbols_intern(wakers->symbols, name);
}

/*
 * The program's function that woke a thread: the kernel's functions are always the same, and those
 * of the C library say little.  Where there are no others, the innermost one.
 */
static const char *function_of(const struct wakers *wakers, uint32_t node)
{
	const SptCapture *capture = wakers->capture;
	const char *innermost = NULL;

	for (; node; node = capture->nodes[node].parent) {
		const SptFrame *frame = &capture->nodes[node].frame;
		SptObjectKind kind = capture->objects[frame->object].kind;
		SptName name;

		if (kind == SPT_OBJECT_KERNEL || kind == SPT_OBJECT_MODULES)
			continue;
		name = spt_symbols_name(wakers->symbols, frame);
		if (!spt_culprit_is_machinery(name.function, name.object, false))
			return name.function;
		innermost = innermost ? innermost : name.function;
	}
	return innermost ? innermost : spt_symbols_intern(wakers->symbols, "");
}

static uint32_t child_of(struct wakers *wakers, uint32_t parent, const char *name,
			 const char *function)
{
	g_autofree char *key =
		g_strdup_printf("%u %p %p", parent, (const void *)name, (const void *)function);
	gpointer known = g_hash_table_lookup(wakers->children, key);
	SptWaker node = { .parent = parent, .name = name, .function = function };

	if (known)
		return GPOINTER_TO_UINT(known);
	g_array_append_val(wakers->nodes, node);
	g_hash_table_insert(wakers->children, g_steal_pointer(&key),
			    GUINT_TO_POINTER(wakers->nodes->len - 1));
	return wakers->nodes->len - 1;
}

static uint32_t unknown_of(struct wakers *wakers, uint32_t parent, const SptWaitRow *wait)
{
	const char *name = spt_wait_waker_name(spt_wait_detail(wait));

	if (wait->flags & SPT_WAIT_CUT_END)
		name = "[nobody yet]";
	return child_of(wakers, parent, spt_symbols_intern(wakers->symbols, name),
			spt_symbols_intern(wakers->symbols, ""));
}

static void add(struct wakers *wakers, uint32_t node, uint64_t ns)
{
	SptWaker *waker = &g_array_index(wakers->nodes, SptWaker, node);

	waker->ns += ns;
	waker->waits++;
}

static void follow(struct wakers *wakers, const SptWaitRow *wait, uint64_t ns)
{
	uint32_t seen[MOST_LINKS], n = 0;
	uint32_t node = child_of(wakers, 0, name_of(wakers, wait->thread),
				 spt_symbols_intern(wakers->symbols, ""));

	add(wakers, 0, ns);
	add(wakers, node, ns);
	while (wait && n < MOST_LINKS) {
		uint32_t waker = wait->waker;

		for (uint32_t i = 0; i < n; i++)
			if (seen[i] == waker)
				return;
		seen[n++] = wait->thread;
		if (!waker) {
			add(wakers, unknown_of(wakers, node, wait), ns);
			return;
		}
		node = child_of(wakers, node, name_of(wakers, waker),
				function_of(wakers, wait->waker_node));
		add(wakers, node, ns);
		wait = spt_wait_index_last(wakers->index, waker, spt_wait_woken(wait));
		/* A thread that was preempted did not wait for anybody. */
		if (wait && wait->runnable_ns >= wait->duration_ns)
			return;
	}
}

static int heavier(const void *a, const void *b, void *data)
{
	const SptWaker *nodes = data, *x = &nodes[*(const uint32_t *)a],
		       *y = &nodes[*(const uint32_t *)b];

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Lists of children, the heaviest first: the lightest is inserted at the front first. */
static void link_children(GArray *array)
{
	SptWaker *nodes = (SptWaker *)array->data;
	g_autofree uint32_t *order = g_new(uint32_t, array->len);

	for (uint32_t i = 0; i < array->len; i++)
		order[i] = i;
	qsort_r(order, array->len, sizeof(*order), heavier, nodes);
	for (uint32_t i = array->len; i-- > 0;) {
		SptWaker *node = &nodes[order[i]];

		if (order[i] == 0)
			continue;
		node->next = nodes[node->parent].first_child;
		nodes[node->parent].first_child = order[i];
	}
}

GArray *spt_wakers_new(const SptCapture *capture, SptSymbols *symbols, const SptFilter *filter)
{
	g_autoptr(GHashTable) children =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct wakers wakers = { .capture = capture, .symbols = symbols, .children = children };
	struct spt_selection selection;
	SptWaker root = { .name = "", .function = "" };

	wakers.nodes = g_array_new(FALSE, FALSE, sizeof(SptWaker));
	g_array_append_val(wakers.nodes, root);
	wakers.index = spt_wait_index_new(capture);
	spt_selection_init(&selection, capture, filter);
	for (uint64_t i = 0; i < wakers.index->n_waits; i++) {
		const SptWaitRow *wait = &wakers.index->waits[i];
		uint64_t runnable_ns = MIN(wait->runnable_ns, wait->duration_ns),
			 blocked_ns = wait->duration_ns - runnable_ns,
			 ns = spt_wait_blocked_weight(wait);

		if (!blocked_ns ||
		    !spt_selection_has_row(&selection, wait->thread, wait->cpu, NULL,
					   spt_wait_woken(wait),
					   MIN(blocked_ns, spt_wait_woken(wait)), &ns))
			continue;
		follow(&wakers, wait, ns);
	}
	spt_selection_clear(&selection);
	link_children(wakers.nodes);
	spt_wait_index_free(wakers.index);
	return wakers.nodes;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits are grouped by the functions of their two stacks. */
#include "profile/lock-waits.h"

#include "base/words.h"
#include "capture/stream-rows.h"
#include "events/facts.h"
#include "profile/selection.h"

static void side_clear(SptLockSide *side)
{
	g_array_unref(side->frames);
}

static void wait_free(gpointer data)
{
	SptLockWait *wait = data;

	side_clear(&wait->waiter);
	side_clear(&wait->holder);
	g_free(wait);
}

static SptLockSide side_of(const SptCapture *capture, SptSymbols *symbols, uint32_t thread,
			   uint32_t node)
{
	SptLockSide side = { NULL, g_array_new(FALSE, FALSE, sizeof(SptName)) };
	const char *name = thread ? capture->threads[thread].name : NULL;

	if (thread && (!name || !*name))
		name = spt_process_label(spt_process_of_thread(capture, thread));
	if (name)
		side.thread = spt_symbols_intern(symbols, name);
	for (; node; node = capture->nodes[node].parent) {
		SptName found = spt_symbols_name(symbols, &capture->nodes[node].frame),
			frame = { 0 };

		frame.function = found.function;
		frame.object = found.object;
		g_array_append_val(side.frames, frame);
	}
	return side;
}

/* Names are interned, so their addresses are the key. */
static void add_key(GArray *key, const SptLockSide *side)
{
	const uint64_t head[] = { (uintptr_t)side->thread, side->frames->len };

	g_array_append_vals(key, head, G_N_ELEMENTS(head));
	for (unsigned i = 0; i < side->frames->len; i++) {
		uint64_t name = (uintptr_t)g_array_index(side->frames, SptName, i).function;

		g_array_append_val(key, name);
	}
}

static SptLockWait *group_of(const SptCapture *capture, SptSymbols *symbols,
			     const SptEventRow *event, GHashTable *groups)
{
	SptLockSide waiter = side_of(capture, symbols, event->thread, event->node),
		    holder = side_of(capture, symbols, event->holder, event->holder_node);
	g_autoptr(GArray) key = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_autoptr(GBytes) bytes = NULL;
	SptLockWait *group;

	add_key(key, &waiter);
	add_key(key, &holder);
	bytes = g_bytes_new(key->data, key->len * sizeof(uint64_t));
	group = g_hash_table_lookup(groups, bytes);
	if (group) {
		side_clear(&waiter);
		side_clear(&holder);
		return group;
	}
	group = g_new0(SptLockWait, 1);
	group->waiter = waiter;
	group->holder = holder;
	g_hash_table_insert(groups, g_steal_pointer(&bytes), group);
	return group;
}

static gint heavier_first(gconstpointer a, gconstpointer b)
{
	const SptLockWait *left = *(const SptLockWait *const *)a,
			  *right = *(const SptLockWait *const *)b;

	return left->ns > right->ns ? -1 : left->ns < right->ns;
}

GPtrArray *spt_lock_waits(const SptCapture *capture, SptSymbols *symbols, const SptFilter *filter)
{
	static const SptEventKind *const kinds[] = { &spt_event_locks, NULL };
	g_autoptr(SptStreamReader) reader = spt_event_reader_new(capture, kinds);
	g_autoptr(GHashTable) groups = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
							     (GDestroyNotify)g_bytes_unref, NULL);
	GPtrArray *found = g_ptr_array_new_with_free_func(wait_free);
	struct spt_selection selection;
	const SptEventRow *rows;
	GHashTableIter iter;
	gpointer group;
	uint32_t n;

	spt_selection_init(&selection, capture, filter);
	while ((rows = spt_stream_reader_next(reader, &n))) {
		for (const SptEventRow *event = rows; event < rows + n; event++) {
			uint64_t ns = event->weight;
			SptLockWait *wait;

			if (!spt_selection_has_row(&selection, event->thread, event->cpu, NULL,
						   event->time,
						   MIN(event->duration_ns, event->time), &ns))
				continue;
			wait = group_of(capture, symbols, event, groups);
			wait->ns += ns;
			wait->waits++;
		}
	}
	spt_selection_clear(&selection);
	g_hash_table_iter_init(&iter, groups);
	while (g_hash_table_iter_next(&iter, NULL, &group))
		g_ptr_array_add(found, group);
	g_ptr_array_sort(found, heavier_first);
	return found;
}

uint64_t spt_lock_waits_sum(const GPtrArray *waits)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < waits->len; i++)
		sum += ((const SptLockWait *)waits->pdata[i])->ns;
	return sum;
}

const SptName *spt_lock_wait_lock(const SptLockWait *wait)
{
	static const SptName none = { .function = "a lock", .object = "" };

	return wait->waiter.frames->len ? &g_array_index(wait->waiter.frames, SptName, 0) : &none;
}

unsigned spt_lock_wait_lines(const SptLockWait *wait)
{
	return MAX(MAX(wait->waiter.frames->len, wait->holder.frames->len), 2);
}

char *spt_lock_side_line(const SptLockSide *side, unsigned line, bool is_holder)
{
	if (line == 0 && !side->thread)
		return g_strdup(is_holder ? spt_words("holder not known") : "");
	if (line == 0)
		return is_holder ? g_strdup_printf(spt_words("held by %s"), side->thread) :
				   g_strdup(side->thread);
	if (side->frames->len <= 1)
		return g_strdup(line == 1 && side->thread ? spt_words("  (stack not taken)") : "");
	if (line >= side->frames->len)
		return g_strdup("");
	return g_strdup_printf("  %s", g_array_index(side->frames, SptName, line).function);
}

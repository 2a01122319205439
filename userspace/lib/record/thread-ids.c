/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/thread-ids.h"

/* Perf events are held back for 30 ms, until those of all CPUs are there. */
#define RIPE_NS	    50000000ULL
#define PATIENCE_NS 30000000000ULL

struct known_thread {
	uint32_t id, pid;
	uint64_t start_ns;
};

struct SptThreadIds {
	GHashTable *by_tid;		/* tid -> GArray of struct known_thread, the latest last */
	uint64_t passed_ns;
};

static void unref_threads(void *array)
{
	g_array_unref(array);
}

SptThreadIds *spt_thread_ids_new(void)
{
	SptThreadIds *ids = g_new0(SptThreadIds, 1);

	ids->by_tid = g_hash_table_new_full(NULL, NULL, NULL, unref_threads);
	return ids;
}

void spt_thread_ids_free(SptThreadIds *ids)
{
	if (!ids)
		return;
	g_hash_table_unref(ids->by_tid);
	g_free(ids);
}

/* Again for the same one changes nothing. */
static void thread_ids_thread(void *part, const SptThread *thread)
{
	SptThreadIds *ids = part;
	GArray *known = g_hash_table_lookup(ids->by_tid, GUINT_TO_POINTER(thread->tid));
	struct known_thread row = { thread->id, thread->process->pid, thread->start_time };

	if (!known) {
		known = g_array_new(FALSE, FALSE, sizeof(row));
		g_hash_table_insert(ids->by_tid, GUINT_TO_POINTER(thread->tid), known);
	}
	if (!known->len || g_array_index(known, struct known_thread, known->len - 1).id != row.id)
		g_array_append_val(known, row);
}

void spt_thread_ids_pass(SptThreadIds *ids, uint64_t time_ns)
{
	ids->passed_ns = MAX(ids->passed_ns, time_ns);
}

uint64_t spt_thread_ids_passed(const SptThreadIds *ids)
{
	return ids->passed_ns;
}

bool spt_thread_ids_are_ripe(const SptThreadIds *ids, uint64_t time_ns, uint64_t now_ns)
{
	return now_ns >= time_ns + RIPE_NS &&
	       (ids->passed_ns > time_ns || now_ns >= time_ns + PATIENCE_NS);
}

static const struct known_thread *thread_ids_look_up(const SptThreadIds *ids, uint32_t tid,
						     uint64_t time_ns)
{
	const GArray *known = g_hash_table_lookup(ids->by_tid, GUINT_TO_POINTER(tid));

	for (unsigned i = known ? known->len : 0; i-- > 0;) {
		const struct known_thread *thread = &g_array_index(known, struct known_thread, i);

		if (thread->start_ns <= time_ns)
			return thread;
	}
	return NULL;
}

uint32_t spt_thread_ids_find(const SptThreadIds *ids, uint32_t tid, uint64_t time_ns)
{
	const struct known_thread *thread = thread_ids_look_up(ids, tid, time_ns);

	return thread ? thread->id : 0;
}

uint32_t spt_thread_ids_find_in(const SptThreadIds *ids, uint32_t pid, uint64_t seen_ns,
				uint32_t tid, uint64_t time_ns)
{
	const struct known_thread *first = thread_ids_look_up(ids, pid, seen_ns);
	const struct known_thread *thread = thread_ids_look_up(ids, tid, time_ns);

	return first && thread && first->pid == pid && thread->pid == pid &&
			       thread->start_ns >= first->start_ns ?
		       thread->id :
		       0;
}

const SptStage spt_thread_ids_stage = {
	.thread = thread_ids_thread,
	.free = (GDestroyNotify)spt_thread_ids_free,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* If ends were lost, those that waited for them give way to later ones of the same name and id. */
#include "record/flow-ends.h"

#define STALE_NS 1000000000ULL

struct waiting {
	uint32_t number;
	bool is_end;
	uint64_t time;
};

struct SptFlowEnds {
	GHashTable *waiting;		/* "id name" -> GQueue of struct waiting, by time */
	unsigned n_waiting, most_waiting;
	uint32_t n_flows;
	uint32_t *last;			/* the last number: n_flows, or that of others */
};

static void queue_free(gpointer data)
{
	g_queue_free_full(data, g_free);
}

SptFlowEnds *spt_flow_ends_new(void)
{
	SptFlowEnds *ends = g_new0(SptFlowEnds, 1);

	ends->waiting = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, queue_free);
	ends->most_waiting = SPT_FLOW_ENDS_MOST;
	ends->last = &ends->n_flows;
	return ends;
}

SptFlowEnds *spt_flow_ends_new_beside(SptFlowEnds *others, unsigned most)
{
	SptFlowEnds *ends = spt_flow_ends_new();

	ends->most_waiting = most;
	ends->last = others->last;
	return ends;
}

void spt_flow_ends_free(SptFlowEnds *ends)
{
	if (!ends)
		return;
	g_hash_table_unref(ends->waiting);
	g_free(ends);
}

static uint32_t drop_first(SptFlowEnds *ends, GQueue *queue)
{
	g_autofree struct waiting *first = g_queue_pop_head(queue);

	ends->n_waiting--;
	return first->number;
}

static uint32_t wait_for_other(SptFlowEnds *ends, GQueue *queue, bool is_end, uint64_t time)
{
	struct waiting *waiting;

	if (ends->n_waiting >= ends->most_waiting)
		return 0;
	waiting = g_new(struct waiting, 1);
	*waiting = (struct waiting){ ++*ends->last, is_end, time };
	g_queue_push_tail(queue, waiting);
	ends->n_waiting++;
	return waiting->number;
}

uint32_t spt_flow_ends_pair(SptFlowEnds *ends, const char *name, uint64_t id, bool is_end,
			    uint64_t time)
{
	g_autofree char *key = g_strdup_printf("%" G_GUINT64_FORMAT " %s", id, name);
	GQueue *queue = g_hash_table_lookup(ends->waiting, key);
	const struct waiting *first;
	uint32_t number;

	if (!queue) {
		queue = g_queue_new();
		g_hash_table_insert(ends->waiting, g_strdup(key), queue);
	}
	while ((first = g_queue_peek_head(queue)) && queue->length > 1 &&
	       time > first->time + STALE_NS)
		drop_first(ends, queue);
	number = first && first->is_end != is_end ? drop_first(ends, queue) :
						    wait_for_other(ends, queue, is_end, time);
	if (queue->length == 0)
		g_hash_table_remove(ends->waiting, key);
	return number;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrows between the rows of a picture of lanes: flows that programs marked, and wakings.  A thread
 * without a row of its own has that of its process.
 */
#include "profile/lane-arrows.h"

#include <string.h>

#include "capture/declared.h"
#include "events/facts.h"

/* All flows of a capture with both ends. */
struct flows {
	GArray *arrows; /* SptLaneArrow by begin, without rows */
	GStringChunk *names;
	uint64_t longest_ns;
};

struct flow_fields {
	unsigned name, side, id;
};

struct flow_end {
	uint64_t time;
	uint32_t thread;
	bool is_end;
};

static const SptDeclared *find_flow_kind(const SptCapture *capture, struct flow_fields *ret)
{
	const SptDeclared *kind = spt_declared_find(capture, "flow");

	if (!kind || !spt_declared_find_field(kind, "name", &ret->name) ||
	    !spt_declared_find_field(kind, "side", &ret->side) ||
	    !spt_declared_find_field(kind, "id", &ret->id) ||
	    kind->fields[ret->name].type != SPT_VALUE_TEXT ||
	    kind->fields[ret->side].type != SPT_VALUE_TEXT ||
	    kind->fields[ret->id].type != SPT_VALUE_ID)
		return NULL;
	return kind;
}

/* Either end may come first in the file. */
static void take_flow(struct flows *flows, GHashTable *open, const struct flow_fields *fields,
		      const SptDeclaredRow *row)
{
	uint64_t id = row->values[fields->id].number;
	bool is_end = strcmp(row->values[fields->side].text, "end") == 0;
	struct flow_end *other = g_hash_table_lookup(open, &id), *end;
	SptLaneArrow arrow;
	uint64_t *key;

	if (other && other->is_end != is_end) {
		arrow = (SptLaneArrow){
			.begin = is_end ? other->time : row->time,
			.end = is_end ? row->time : other->time,
			.from = is_end ? other->thread : row->thread,
			.to = is_end ? row->thread : other->thread,
			.name = g_string_chunk_insert_const(flows->names,
							    row->values[fields->name].text),
		};
		arrow.end = MAX(arrow.end, arrow.begin);
		flows->longest_ns = MAX(flows->longest_ns, arrow.end - arrow.begin);
		g_array_append_val(flows->arrows, arrow);
		g_hash_table_remove(open, &id);
		return;
	}
	key = g_new(uint64_t, 1);
	end = g_new(struct flow_end, 1);
	*key = id;
	*end = (struct flow_end){ row->time, row->thread, is_end };
	g_hash_table_replace(open, key, end);
}

static gint compare_arrows(gconstpointer a, gconstpointer b)
{
	const SptLaneArrow *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static gpointer make_flows(const SptCapture *capture, G_GNUC_UNUSED gpointer key)
{
	g_autoptr(GHashTable) open =
		g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	struct flows *flows = g_new0(struct flows, 1);
	struct flow_fields fields;
	const SptDeclared *kind = find_flow_kind(capture, &fields);
	g_autoptr(SptDeclaredReader) reader = kind ? spt_declared_reader_new(capture, kind) : NULL;
	const SptDeclaredRow *rows;
	uint32_t n;

	flows->arrows = g_array_new(FALSE, FALSE, sizeof(SptLaneArrow));
	flows->names = g_string_chunk_new(1024);
	while (reader && (rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++)
			take_flow(flows, open, &fields, &rows[i]);
	g_array_sort(flows->arrows, compare_arrows);
	return flows;
}

static void flows_free(gpointer data)
{
	struct flows *flows = data;

	g_array_unref(flows->arrows);
	g_string_chunk_free(flows->names);
	g_free(flows);
}

/* By thread of the capture: its row, from 1; 0: none. */
static uint32_t *find_arrow_rows(const SptLanes *lanes, const SptLanesPicture *made)
{
	uint32_t *rows = g_new0(uint32_t, lanes->capture->n_threads + 1);

	for (uint32_t i = 0; i < made->n_rows; i++) {
		const SptLaneProcess *process = &lanes->processes[made->rows[i].number];

		if (made->rows[i].of == SPT_LANE_OF_THREAD)
			rows[lanes->threads[made->rows[i].number].thread] = i + 1;
		else if (made->rows[i].of == SPT_LANE_OF_PROCESS)
			for (uint32_t k = 0; k < process->n; k++) {
				uint32_t thread = lanes->threads[process->first + k].thread;

				rows[thread] = rows[thread] ? rows[thread] : i + 1;
			}
	}
	return rows;
}

static void add_arrow(SptLanesPicture *made, const uint32_t *rows, SptLaneArrow arrow)
{
	if (!rows[arrow.from] || !rows[arrow.to] || rows[arrow.from] == rows[arrow.to] ||
	    arrow.begin >= made->end_ns || arrow.end < made->begin_ns)
		return;
	arrow.from_row = rows[arrow.from] - 1;
	arrow.to_row = rows[arrow.to] - 1;
	if (made->n_arrows++ < SPT_LANE_ARROWS_MOST)
		g_array_append_val(made->arrows, arrow);
}

static void add_flows(const SptLanes *lanes, SptLanesPicture *made, const uint32_t *rows)
{
	static const char key;
	const struct flows *flows =
		spt_capture_keep(lanes->capture, (gpointer)&key, make_flows, flows_free);
	uint64_t first = made->begin_ns - MIN(made->begin_ns, flows->longest_ns);
	uint32_t low = 0, high = flows->arrows->len;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g_array_index(flows->arrows, SptLaneArrow, middle).begin < first)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < flows->arrows->len; low++) {
		const SptLaneArrow *arrow = &g_array_index(flows->arrows, SptLaneArrow, low);

		if (arrow->begin >= made->end_ns)
			break;
		add_arrow(made, rows, *arrow);
	}
}

static void add_wakings(const SptLanes *lanes, SptLanesPicture *made, const uint32_t *rows,
			uint32_t thread)
{
	const SptWaitIndex *index = lanes->waits;
	uint64_t last = index->first[thread + 1];

	for (uint64_t i = spt_wait_index_after(index, thread, made->begin_ns); i < last; i++) {
		const SptWaitRow *wait = &index->waits[i];

		if (spt_wait_begin(wait) >= made->end_ns)
			break;
		if (wait->waker && wait->waker_context == SPT_IN_TASK &&
		    !(wait->flags & SPT_WAIT_CUT_END))
			add_arrow(made, rows,
				  (SptLaneArrow){ .begin = spt_wait_woken(wait),
						  .end = wait->time,
						  .from = wait->waker,
						  .to = thread });
	}
}

void spt_lane_arrows_find(const SptLanes *lanes, SptLanesPicture *made)
{
	g_autofree uint32_t *rows = find_arrow_rows(lanes, made);

	made->arrows = g_array_new(FALSE, FALSE, sizeof(SptLaneArrow));
	add_flows(lanes, made, rows);
	for (uint32_t i = 1; lanes->waits && i < lanes->capture->n_threads; i++)
		if (rows[i])
			add_wakings(lanes, made, rows, i);
	if (made->n_arrows > SPT_LANE_ARROWS_MOST)
		g_array_set_size(made->arrows, 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The heaviest nodes are kept, until they and their names take the room that there is.  What ends
 * at others counts as a rest of the nearest ancestor that is kept.  The time is in as many equal
 * parts as there is room for.
 */
#include "export/page-data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/pairs.h"
#include "base/words.h"
#include "export/json-text.h"
#include "picture/heat.h"
#include "profile/rows.h"
#include "profile/summary.h"

/* Limits of the size, in bytes of text, and of what a browser draws quickly. */
#define TREE_BYTES	    (2500u << 10)
#define TIMES_BYTES	    (4u << 20)
#define NODE_BYTES	    16
#define SPT_PAGE_NAME_BYTES 400
#define MOST_NODES	    30000
#define TOP_SHOWN	    500
#define MOST_PARTS 240
/* Of the text of a sum: two numbers and their commas. */
#define LEAST_SUM_BYTES 4

#define NS_PER_US 1000

/* Which nodes. */

static int page_data_heaviest_first(const void *a, const void *b, void *data)
{
	const SptTreeNode *nodes = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (nodes[x].total != nodes[y].total)
		return nodes[x].total > nodes[y].total ? -1 : 1;
	/* A parent is never lighter than its children, and is before them. */
	return x < y ? -1 : x > y;
}

static uint32_t *page_data_order_nodes(const SptPageData *data, uint32_t *ret_n)
{
	uint32_t *order = g_new(uint32_t, MAX(data->n_nodes, 1)), n = 0;

	for (uint32_t i = 0; i < data->n_nodes; i++)
		if (i == 0 || data->nodes[i].total > 0)
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), page_data_heaviest_first, (void *)data->nodes);
	*ret_n = n;
	return order;
}

static void page_data_list_function(SptPageData *data, uint32_t function)
{
	if (data->number[function] != UINT32_MAX)
		return;
	data->number[function] = data->listed->len;
	g_array_append_val(data->listed, function);
}

/* At most what its JSON takes: escapes, and what replaces bytes that are no text, are longer. */
static size_t page_data_text_bytes(const char *text)
{
	size_t bytes = 4;

	for (unsigned i = 0; text[i] && i < SPT_PAGE_NAME_BYTES; i++)
		bytes += text[i] == '<'			? strlen("\\u003c") :
			 (unsigned char)text[i] >= 0x7f ? 3 :
							  2;
	return bytes;
}

/* 0: it is listed already. */
static size_t page_data_function_bytes(const SptPageData *data, uint32_t function)
{
	return data->number[function] != UINT32_MAX ?
		       0 :
		       page_data_text_bytes(data->functions[function].name) +
			       page_data_text_bytes(data->functions[function].object) + NODE_BYTES;
}

static int page_data_ascending(gconstpointer a, gconstpointer b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void page_data_keep_nodes(SptPageData *data)
{
	uint32_t n;
	g_autofree uint32_t *order = page_data_order_nodes(data, &n);
	size_t bytes = 0;

	for (uint32_t i = 0; i < n && data->kept->len < MOST_NODES; i++) {
		uint32_t function = data->nodes[order[i]].function;

		bytes += NODE_BYTES;
		if (function != UINT32_MAX) {
			bytes += page_data_function_bytes(data, function);
			if (bytes > TREE_BYTES)
				break;
			page_data_list_function(data, function);
		}
		g_array_append_val(data->kept, order[i]);
	}
	g_array_sort(data->kept, page_data_ascending);
	data->n_left_nodes = n - data->kept->len;
}

static void page_data_find_slots(SptPageData *data)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < data->n_nodes; i++) {
		bool is_kept = at < data->kept->len && g_array_index(data->kept, uint32_t, at) == i;

		data->slot[i] = is_kept ? at++ : data->slot[data->nodes[i].parent];
		if (!is_kept)
			data->left_weight += data->nodes[i].self;
	}
}

/* A function that is in many light stacks is in none of the nodes. */
static void page_data_list_heaviest(SptPageData *data)
{
	for (unsigned by_self = 0; by_self < 2; by_self++) {
		g_autofree uint32_t *order = spt_profile_order(data->input->profile, by_self);

		for (uint32_t i = 0; i < MIN(data->n_functions, TOP_SHOWN); i++)
			if (data->functions[order[i]].total > 0)
				page_data_list_function(data, order[i]);
	}
}

void spt_page_data_init(SptPageData *data, const SptExportInput *input)
{
	*data = (SptPageData){ .input = input };
	data->functions = spt_profile_functions(input->profile, &data->n_functions);
	data->nodes = spt_profile_tree(input->profile, &data->n_nodes);
	data->kept = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	data->listed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	data->slot = g_new0(uint32_t, MAX(data->n_nodes, 1));
	data->number = g_new(uint32_t, MAX(data->n_functions, 1));
	memset(data->number, 0xff, MAX(data->n_functions, 1) * sizeof(*data->number));
	page_data_keep_nodes(data);
	page_data_find_slots(data);
	page_data_list_heaviest(data);
}

void spt_page_data_clear(SptPageData *data)
{
	g_array_unref(data->kept);
	g_array_unref(data->listed);
	g_free(data->slot);
	g_free(data->number);
}

/* What they have when. */

/* What a node of the page, or its rest, has in a part of the time. */
struct page_sum {
	uint32_t part, index;		/* index: twice its slot, and 1 more for the rest */
	uint64_t weight;
};

struct times {
	const SptPageData *data;
	GString *text;
	struct spt_pairs places;	/* (part, index) -> place in sums */
	GArray *sums;			/* struct page_sum: of parts that are not written */
	uint64_t divisor, carried; /* of ns, microseconds are written; the rest is carried */
	uint32_t n_parts, n_written;
};

static void page_data_add(struct times *times, uint32_t part, uint32_t node, uint64_t weight)
{
	const SptPageData *data = times->data;
	uint32_t slot = data->slot[node];
	bool is_kept = g_array_index(data->kept, uint32_t, slot) == node;
	const struct page_sum none = { part, 2 * slot + !is_kept, 0 };
	uint32_t *place = spt_pairs_at(&times->places, part, none.index);

	if (*place == UINT32_MAX) {
		*place = times->sums->len;
		g_array_append_val(times->sums, none);
	}
	g_array_index(times->sums, struct page_sum, *place).weight += weight;
}

static uint64_t page_data_part_end(const struct times *times, uint32_t part)
{
	const SptExportInput *input = times->data->input;
	uint64_t length_ns = input->end_ns - MIN(input->begin_ns, input->end_ns);

	return part + 1 < times->n_parts ?
		       input->begin_ns + (uint64_t)((unsigned __int128)length_ns * (part + 1) /
						    times->n_parts) :
		       UINT64_MAX;
}

/* The first part has what was before, and the last one what came after: nothing is lost. */
static uint32_t page_data_part_of(const struct times *times, uint64_t time)
{
	const SptExportInput *input = times->data->input;
	uint64_t since_ns = time - MIN(input->begin_ns, time),
		 length_ns = MAX(input->end_ns - MIN(input->begin_ns, input->end_ns), 1),
		 part = (uint64_t)((unsigned __int128)since_ns * times->n_parts / length_ns);
	uint32_t n = (uint32_t)MIN(part, times->n_parts - 1);

	/* Ends are rounded down. */
	while (n > 0 && time < page_data_part_end(times, n - 1))
		n--;
	while (time >= page_data_part_end(times, n) && n + 1 < times->n_parts)
		n++;
	return n;
}

/* A row that has a length is in each part by as much of its time as that has. */
static void page_data_add_row(struct times *times, const SptProfileRow *row)
{
	const SptFilter *filter = times->data->input->filter;
	uint64_t from = row->time - MIN(row->duration_ns, row->time), to = row->time, done = 0;

	if (row->duration_ns && filter) {
		from = MAX(from, filter->begin_ns);
		to = filter->end_ns ? MIN(to, filter->end_ns) : to;
	}
	if (!row->duration_ns || from >= to) {
		page_data_add(times, page_data_part_of(times, row->time), row->leaf, row->weight);
		return;
	}
	for (uint32_t part = page_data_part_of(times, from);; part++) {
		uint64_t end = MIN(page_data_part_end(times, part), to),
			 until = (uint64_t)((unsigned __int128)row->weight * (end - from) /
					    (to - from));

		if (until > done)
			page_data_add(times, part, row->leaf, until - done);
		done = until;
		if (end == to)
			break;
	}
}

static gint page_data_by_part(gconstpointer a, gconstpointer b)
{
	const struct page_sum *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* All sums are in order; those of @part begin at @at.  Returns where those of the next one do. */
static guint page_data_append_part(struct times *times, uint32_t part, guint at)
{
	const char *comma = "";
	uint32_t last = 0;

	g_string_append(times->text, part ? ",\n[" : "[");
	for (; at < times->sums->len; at++) {
		const struct page_sum *sum = &g_array_index(times->sums, struct page_sum, at);

		if (sum->part != part)
			break;
		times->carried += sum->weight;
		g_string_append_printf(times->text, "%s%" PRIu32 ",%" PRIu64, comma,
				       sum->index - last, times->carried / times->divisor);
		times->carried %= times->divisor;
		last = sum->index;
		comma = ",";
	}
	g_string_append_c(times->text, ']');
	return at;
}

/* The parts before @end. */
static void page_data_write_parts(struct times *times, uint32_t end)
{
	guint at = 0;

	g_array_sort(times->sums, page_data_by_part);
	for (; times->n_written < end; times->n_written++)
		at = page_data_append_part(times, times->n_written, at);
	g_array_set_size(times->sums, 0);
	spt_pairs_clear(&times->places);
}

/*
 * False: there is no room for that number of parts.  Rows come by the ends of their times: of those
 * that have no length, the sums of one part are kept at a time, else those of all.
 */
static bool page_data_make_times(struct times *times, uint32_t n_parts)
{
	const SptExportInput *input = times->data->input;
	g_autoptr(SptProfileRows) rows = spt_profile_rows_new(input->base, input->filter);
	bool is_cpu = spt_profile_metric(input->profile)->is_cpu;
	SptProfileRow row;

	g_string_truncate(times->text, 0);
	g_array_set_size(times->sums, 0);
	spt_pairs_clear(&times->places);
	times->carried = times->n_written = 0;
	times->n_parts = n_parts;
	while (spt_profile_rows_next(rows, &row)) {
		uint32_t part = is_cpu ? page_data_part_of(times, row.time) : 0;

		if (part > times->n_written)
			page_data_write_parts(times, part);
		page_data_add_row(times, &row);
		if (n_parts > 1 && times->text->len + times->sums->len * LEAST_SUM_BYTES >
					   TIMES_BYTES)
			return false;
	}
	page_data_write_parts(times, n_parts);
	return n_parts == 1 || times->text->len <= TIMES_BYTES;
}

static void page_data_write_times(const SptPageData *data, SptOut *out)
{
	const SptExportInput *input = data->input;
	const SptMetric *metric = spt_profile_metric(input->profile);
	struct times times = {
		.data = data,
		.text = g_string_new(NULL),
		.sums = g_array_new(FALSE, FALSE, sizeof(struct page_sum)),
		.divisor = metric->unit == SPT_UNIT_NS && !metric->is_cpu ? NS_PER_US : 1,
	};
	/* Shorter ones are no parts. */
	uint32_t n = input->end_ns <= input->begin_ns + MOST_PARTS ? 1 : MOST_PARTS;

	while (!page_data_make_times(&times, n))
		n /= 2;
	g_string_append_printf(spt_out_text(out), ",\n\"parts\":[");
	g_string_append_len(spt_out_text(out), times.text->str, (gssize)times.text->len);
	g_string_append(spt_out_text(out), "]");
	g_string_free(times.text, TRUE);
	g_array_unref(times.sums);
	spt_pairs_clear(&times.places);
}

/* The rest. */

static char page_data_kind_of(const SptFunction *function)
{
	if (function->is_process)
		return 'p';
	if (!function->has_symbol)
		return 'x';
	return function->is_kernel ? 'k' : 'u';
}

static void page_data_write_objects(const SptPageData *data, SptOut *out)
{
	g_autoptr(GHashTable) numbers = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GString) of = g_string_new(NULL);

	g_string_append(spt_out_text(out), ",\n\"objects\":[");
	for (unsigned i = 0; i < data->listed->len; i++) {
		const char *object =
			data->functions[g_array_index(data->listed, uint32_t, i)].object;
		unsigned number = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, object));

		if (!number) {
			number = g_hash_table_size(numbers) + 1;
			g_hash_table_insert(numbers, (gpointer)object, GUINT_TO_POINTER(number));
			g_string_append(spt_out_text(out), number > 1 ? "," : "");
			spt_json_append_for_page(spt_out_text(out), object, SPT_PAGE_NAME_BYTES);
		}
		g_string_append_printf(of, "%s%u", i ? "," : "", number - 1);
	}
	g_string_append_printf(spt_out_text(out), "],\n\"objectOf\":[%s]", of->str);
}

/* Sums of the whole selection, which are exact for each function that is listed. */
static void page_data_write_sums(const SptPageData *data, SptOut *out, bool of_self)
{
	const SptMetric *metric = spt_profile_metric(data->input->profile);
	uint64_t divisor = metric->unit == SPT_UNIT_NS && !metric->is_cpu ? NS_PER_US : 1;

	g_string_append(spt_out_text(out), of_self ? ",\n\"selfs\":[" : ",\n\"totals\":[");
	for (unsigned i = 0; i < data->listed->len; i++) {
		const SptFunction *function =
			&data->functions[g_array_index(data->listed, uint32_t, i)];

		g_string_append_printf(spt_out_text(out), "%s%" PRIu64, i ? "," : "",
				       (of_self ? function->self : function->total) / divisor);
	}
	g_string_append(spt_out_text(out), "]");
}

static void page_data_write_functions(const SptPageData *data, SptOut *out)
{
	g_string_append(spt_out_text(out), ",\n\"functions\":[");
	for (unsigned i = 0; i < data->listed->len; i++) {
		uint32_t function = g_array_index(data->listed, uint32_t, i);

		g_string_append(spt_out_text(out), i ? ",\n" : "\n");
		spt_json_append_for_page(spt_out_text(out), data->functions[function].name,
					 SPT_PAGE_NAME_BYTES);
	}
	g_string_append(spt_out_text(out), "],\n\"kinds\":\"");
	for (unsigned i = 0; i < data->listed->len; i++)
		g_string_append_c(
			spt_out_text(out),
			page_data_kind_of(
				&data->functions[g_array_index(data->listed, uint32_t, i)]));
	g_string_append(spt_out_text(out), "\"");
	page_data_write_objects(data, out);
	page_data_write_sums(data, out, true);
	page_data_write_sums(data, out, false);
}

/* Each node's function, and how far before it its parent is; the root is first. */
static void page_data_write_tree(const SptPageData *data, SptOut *out)
{
	g_string_append(spt_out_text(out), ",\n\"up\":[0");
	for (unsigned i = 1; i < data->kept->len; i++) {
		uint32_t node = g_array_index(data->kept, uint32_t, i);

		g_string_append_printf(spt_out_text(out), ",%" PRIu32,
				       i - data->slot[data->nodes[node].parent]);
	}
	g_string_append(spt_out_text(out), "],\n\"functionOf\":[-1");
	for (unsigned i = 1; i < data->kept->len; i++) {
		uint32_t node = g_array_index(data->kept, uint32_t, i);

		g_string_append_printf(spt_out_text(out), ",%" PRIu32,
				       data->number[data->nodes[node].function]);
	}
	g_string_append(spt_out_text(out), "]");
}

static void page_data_write_facts(const SptPageData *data, SptOut *out)
{
	static const char *const units[] = {
		[SPT_UNIT_NS] = "us",
		[SPT_UNIT_BYTES] = "bytes",
		[SPT_UNIT_EVENTS] = "events",
		[SPT_UNIT_NUMBER] = "events",
	};
	const SptExportInput *input = data->input;
	const SptMetric *metric = spt_profile_metric(input->profile);
	SptSummary summary;

	spt_summary_init(&summary, input->capture);
	g_string_append_printf(spt_out_text(out),
			       "{\"unit\":\"%s\",\"periodNs\":%" PRIu64 ",\"cpus\":%u,\"beginMs\":",
			       metric->is_cpu ? "periods" : units[metric->unit],
			       metric->is_cpu ? summary.period_ns : 0, summary.n_cpus);
	spt_json_append_ms(spt_out_text(out), input->begin_ns, input->start_ns);
	g_string_append(spt_out_text(out), ",\"endMs\":");
	spt_json_append_ms(spt_out_text(out), input->end_ns, input->start_ns);
	spt_summary_clear(&summary);
}

/* Cell by cell of a column, then of the next. */
static void page_data_write_heat(const SptPageData *data, SptOut *out)
{
	const SptExportInput *input = data->input;
	g_autoptr(SptHeat) heat = spt_heat_new_filtered(input->base, input->filter,
							input->begin_ns, input->end_ns);
	uint32_t n = heat->n_columns * heat->n_rows;

	g_string_append_printf(spt_out_text(out),
			       ",\n\"heat\":{\"seconds\":%" PRIu64 ",\"columns\":%" PRIu32
			       ",\"rows\":%" PRIu32 ",\"most\":%" PRIu64 ",\"cells\":[",
			       heat->n_seconds, heat->n_columns, heat->n_rows, heat->most);
	for (uint32_t i = 0; i < n; i++)
		g_string_append_printf(spt_out_text(out), "%s%" PRIu64, i ? "," : "",
				       heat->weights[i]);
	g_string_append(spt_out_text(out), "]}");
}

void spt_page_data_write(const SptPageData *data, SptOut *out)
{
	page_data_write_facts(data, out);
	page_data_write_functions(data, out);
	page_data_write_tree(data, out);
	page_data_write_times(data, out);
	page_data_write_heat(data, out);
	g_string_append(spt_out_text(out), "}");
}

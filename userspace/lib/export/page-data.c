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
/* Parts of the time; fewer if it takes too many steps to sum each of them up. */
#define MOST_PARTS  240
#define LEAST_PARTS 20
#define MOST_STEPS  400000000u

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

struct times {
	const SptPageData *data;
	GString *text;
	uint64_t *sums;		   /* by slot: of itself, and of its rest */
	uint64_t divisor, carried; /* of ns, microseconds are written; the rest is carried */
	uint32_t n_parts;
};

static void page_data_append_part(struct times *times, const SptProfile *profile, bool is_first)
{
	const SptPageData *data = times->data;
	uint32_t n, last = 0, n_sums = 2 * data->kept->len;
	const SptTreeNode *nodes = spt_profile_tree(profile, &n);
	const char *comma = "";

	memset(times->sums, 0, n_sums * sizeof(*times->sums));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot = data->slot[i];
		bool is_kept = g_array_index(data->kept, uint32_t, slot) == i;

		times->sums[2 * slot + !is_kept] += nodes[i].self;
	}
	g_string_append(times->text, is_first ? "[" : ",\n[");
	for (uint32_t i = 0; i < n_sums; i++) {
		if (!times->sums[i])
			continue;
		times->carried += times->sums[i];
		g_string_append_printf(times->text, "%s%" PRIu32 ",%" PRIu64, comma, i - last,
				       times->carried / times->divisor);
		times->carried %= times->divisor;
		last = i;
		comma = ",";
	}
	g_string_append_c(times->text, ']');
}

/* The first part has what was before, and the last one what came after: nothing is lost. */
static SptFilter page_data_filter_of_part(const struct times *times, uint32_t part)
{
	const SptExportInput *input = times->data->input;
	SptFilter filter = input->filter ? *input->filter : (SptFilter){ 0 };
	uint64_t length_ns = input->end_ns - MIN(input->begin_ns, input->end_ns);

	if (part > 0)
		filter.begin_ns = input->begin_ns +
				  (uint64_t)((unsigned __int128)length_ns * part / times->n_parts);
	if (part + 1 < times->n_parts)
		filter.end_ns = input->begin_ns + (uint64_t)((unsigned __int128)length_ns *
							     (part + 1) / times->n_parts);
	return filter;
}

/* False: there is no room for that number of parts. */
static bool page_data_make_times(struct times *times, uint32_t n_parts)
{
	const SptExportInput *input = times->data->input;
	g_autoptr(SptProfileRows) rows = NULL;
	SptProfile *profile = NULL;

	g_string_truncate(times->text, 0);
	times->carried = 0;
	times->n_parts = n_parts;
	if (spt_profile_metric(input->profile)->is_cpu)
		rows = spt_profile_rows_new(input->base, input->filter);
	for (uint32_t i = 0; i < n_parts; i++) {
		const SptFilter filter = page_data_filter_of_part(times, i);

		/* Rows without a length are in one part each, in their order. */
		profile = rows ? spt_profile_of_rows(
					 rows, i + 1 < n_parts ? filter.end_ns : UINT64_MAX,
					 profile) :
				 spt_profile_refilter(input->base, &filter, profile);
		page_data_append_part(times, profile, i == 0);
		if (n_parts > 1 && times->text->len > TIMES_BYTES)
			break;
	}
	spt_profile_free(profile);
	return n_parts == 1 || times->text->len <= TIMES_BYTES;
}

/* Each part takes a step for each node and function, and for rows that are long in time. */
static uint32_t page_data_most_parts(const SptPageData *data)
{
	const SptExportInput *input = data->input;
	uint64_t steps = (uint64_t)data->n_nodes + data->n_functions + 1;

	if (!spt_profile_metric(input->profile)->is_cpu)
		steps += spt_profile_n_samples(input->base);
	/* Shorter ones are no parts. */
	if (input->end_ns <= input->begin_ns + MOST_PARTS)
		return 1;
	return (uint32_t)CLAMP(MOST_STEPS / steps, LEAST_PARTS, MOST_PARTS);
}

static void page_data_write_times(const SptPageData *data, SptOut *out)
{
	const SptMetric *metric = spt_profile_metric(data->input->profile);
	struct times times = {
		.data = data,
		.text = g_string_new(NULL),
		.sums = g_new(uint64_t, 2 * (size_t)data->kept->len),
		.divisor = metric->unit == SPT_UNIT_NS && !metric->is_cpu ? NS_PER_US : 1,
	};
	uint32_t n = page_data_most_parts(data);

	while (!page_data_make_times(&times, n))
		n /= 2;
	g_string_append_printf(spt_out_text(out), ",\n\"parts\":[");
	g_string_append_len(spt_out_text(out), times.text->str, (gssize)times.text->len);
	g_string_append(spt_out_text(out), "]");
	g_string_free(times.text, TRUE);
	g_free(times.sums);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/bus-calls.h"

#include "base/words.h"
#include "capture/declared.h"
#include "profile/selection.h"

#define KIND	  "dbus"
#define MOST_ROWS 65536u

struct bus_call_fields {
	unsigned bus, name, server, error, bytes, reply_bytes, client, server_pid;
	bool has_client, has_server_pid;
};

struct bus_call_sums {
	SptBusCalls calls;
	GArray *durations;		/* uint64_t */
};

static bool find_bus_fields(const SptDeclared *kind, struct bus_call_fields *ret)
{
	const struct {
		const char *name;
		unsigned *number;
		SptValueType type;
	} fields[] = {
		{ "category", &ret->bus, SPT_VALUE_TEXT },
		{ "name", &ret->name, SPT_VALUE_TEXT },
		{ "server", &ret->server, SPT_VALUE_TEXT },
		{ "error", &ret->error, SPT_VALUE_TEXT },
		{ "bytes", &ret->bytes, SPT_VALUE_BYTES },
		{ "reply_bytes", &ret->reply_bytes, SPT_VALUE_BYTES },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++)
		if (!spt_declared_find_field(kind, fields[i].name, fields[i].number) ||
		    kind->fields[*fields[i].number].type != fields[i].type)
			return false;
	ret->has_client = spt_declared_find_field(kind, "client", &ret->client) &&
			  kind->fields[ret->client].type == SPT_VALUE_TEXT;
	ret->has_server_pid = spt_declared_find_field(kind, "server_pid", &ret->server_pid) &&
			      kind->fields[ret->server_pid].type == SPT_VALUE_ID;
	return kind->shape == SPT_DECLARED_INTERVAL;
}

static const SptDeclared *find_bus_kind(const SptCapture *capture, struct bus_call_fields *ret)
{
	const SptDeclared *kind = spt_declared_find(capture, KIND);

	return kind && find_bus_fields(kind, ret) ? kind : NULL;
}

bool spt_bus_calls_are_in(const SptCapture *capture)
{
	struct bus_call_fields fields;

	return find_bus_kind(capture, &fields);
}

static void bus_call_sums_free(void *data)
{
	struct bus_call_sums *sums = data;

	g_array_unref(sums->durations);
	g_free(sums);
}

static struct bus_call_sums *find_bus_sums(GHashTable *all, const char *bus, const char *name,
					   const char *server)
{
	g_autofree char *key = g_strjoin("\n", bus, name, server, NULL);
	struct bus_call_sums *sums = g_hash_table_lookup(all, key);

	if (sums)
		return sums;
	if (g_hash_table_size(all) >= MOST_ROWS && *bus)
		return find_bus_sums(all, "", SPT_WORDS("[other calls]"), "");
	sums = g_new0(struct bus_call_sums, 1);
	sums->calls.bus = g_intern_string(bus);
	sums->calls.name = g_intern_string(name);
	sums->calls.server = g_intern_string(server);
	sums->durations = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_hash_table_insert(all, g_steal_pointer(&key), sums);
	return sums;
}

static void add_bus_call(const struct bus_call_fields *fields, const SptDeclaredRow *row,
			 void *all)
{
	const SptValue *values = row->values;
	struct bus_call_sums *sums =
		find_bus_sums(all, values[fields->bus].text, values[fields->name].text,
			      values[fields->server].text);

	sums->calls.n++;
	sums->calls.n_errors += *values[fields->error].text != '\0';
	sums->calls.sum_ns += row->duration_ns;
	sums->calls.bytes += values[fields->bytes].number + values[fields->reply_bytes].number;
	g_array_append_val(sums->durations, row->duration_ns);
}

static int compare_bus_durations(gconstpointer a, gconstpointer b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The one that @percent of all do not exceed. */
static uint64_t duration_at(const GArray *sorted, unsigned percent)
{
	uint64_t at = ((uint64_t)sorted->len * percent + 99) / 100;

	return g_array_index(sorted, uint64_t, at ? at - 1 : 0);
}

static int compare_bus_calls(gconstpointer a, gconstpointer b)
{
	const SptBusCalls *x = a, *y = b;

	return x->sum_ns != y->sum_ns ? (x->sum_ns < y->sum_ns) - (x->sum_ns > y->sum_ns) :
	       x->n != y->n	      ? (x->n < y->n) - (x->n > y->n) :
					strcmp(x->name, y->name);
}

typedef void (*BusCallFunc)(const struct bus_call_fields *fields, const SptDeclaredRow *row,
			    void *data);

static void each_bus_call(const SptCapture *capture, const SptFilter *filter, BusCallFunc func,
			  void *data)
{
	struct bus_call_fields fields;
	const SptDeclared *kind = find_bus_kind(capture, &fields);
	g_autoptr(SptDeclaredReader) reader = kind ? spt_declared_reader_new(capture, kind) : NULL;
	struct spt_selection selection;
	const SptDeclaredRow *rows;
	uint32_t n;

	spt_selection_init(&selection, capture, filter);
	while (reader && (rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++)
			if (spt_selection_has_time(&selection, rows[i].thread, rows[i].time) &&
			    spt_selection_has_place(&selection, rows[i].thread, rows[i].cpu))
				func(&fields, &rows[i], data);
	spt_selection_clear(&selection);
}

/* The first @most calls by time, of those that come in any order. */
struct bus_call_listing {
	GArray *found;			/* SptBusCall */
	unsigned most;
	uint64_t n;
};

static void bus_call_clear(gpointer data)
{
	SptBusCall *call = data;

	g_free(call->bus);
	g_free(call->name);
	g_free(call->client);
	g_free(call->server);
	g_free(call->error);
}

static int compare_bus_call_times(gconstpointer a, gconstpointer b)
{
	const SptBusCall *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Twice as many are kept before the later ones are dropped, so that there are few sorts. */
static void list_bus_call(const struct bus_call_fields *fields, const SptDeclaredRow *row,
			  void *data)
{
	struct bus_call_listing *listing = data;
	const SptValue *values = row->values;
	const SptBusCall call = {
		.time = row->time,
		.duration_ns = row->duration_ns,
		.bytes = values[fields->bytes].number,
		.reply_bytes = values[fields->reply_bytes].number,
		.thread = row->thread,
		.server_pid = fields->has_server_pid ?
				      (uint32_t)values[fields->server_pid].number :
				      0,
		.bus = g_strdup(values[fields->bus].text),
		.name = g_strdup(values[fields->name].text),
		.client = g_strdup(fields->has_client ? values[fields->client].text : ""),
		.server = g_strdup(values[fields->server].text),
		.error = g_strdup(values[fields->error].text),
	};

	listing->n++;
	g_array_append_val(listing->found, call);
	if (listing->found->len < 2 * listing->most)
		return;
	g_array_sort(listing->found, compare_bus_call_times);
	g_array_set_size(listing->found, listing->most);
}

GArray *spt_bus_call_list(const SptCapture *capture, const SptFilter *filter, unsigned most,
			  uint64_t *ret_n_more)
{
	struct bus_call_listing listing = { g_array_new(FALSE, FALSE, sizeof(SptBusCall)), most,
					    0 };

	g_array_set_clear_func(listing.found, bus_call_clear);
	each_bus_call(capture, filter, list_bus_call, &listing);
	g_array_sort(listing.found, compare_bus_call_times);
	if (listing.found->len > most)
		g_array_set_size(listing.found, most);
	*ret_n_more = listing.n - listing.found->len;
	return listing.found;
}

GArray *spt_bus_calls(const SptCapture *capture, const SptFilter *filter)
{
	g_autoptr(GHashTable) all =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, bus_call_sums_free);
	GArray *found = g_array_new(FALSE, FALSE, sizeof(SptBusCalls));
	struct bus_call_sums *sums;
	GHashTableIter each;

	each_bus_call(capture, filter, add_bus_call, all);
	g_hash_table_iter_init(&each, all);
	while (g_hash_table_iter_next(&each, NULL, (void **)&sums)) {
		g_array_sort(sums->durations, compare_bus_durations);
		sums->calls.median_ns = duration_at(sums->durations, 50);
		sums->calls.p99_ns = duration_at(sums->durations, 99);
		sums->calls.most_ns = duration_at(sums->durations, 100);
		g_array_append_val(found, sums->calls);
	}
	g_array_sort(found, compare_bus_calls);
	return found;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A request with profiles of OpenTelemetry: for each set of labels one.  Dictionary and profiles
 * grow piece by piece, as packed messages, and are put together at the end.
 */
#include "base/words.h"
#include "export/export.h"

#ifdef SPT_HAS_PPROF

#include <string.h>

#include "base/pairs.h"
#include "export/labels.h"
#include "export/places.h"
#include "export/span-keys.h"
#include "formats/otlp.pb-c.h"
#include "profile/declared.h"
#include "profile/selection.h"
#include "profile/stack-sums.h"
#include "profile/waits.h"
#include "stash/frames.h"

#define ATTRIBUTES_MAX (8 + SPT_LINK_ATTRIBUTES_MAX + SPT_DECLARED_FIELDS)
#define ID_BYTES       16
#define SPAN_BYTES     8

struct otlp_writer {
	const SptExportInput *input;
	const SptMetric *metric;
	const SptMetric *labelled;	/* the metric by labels of its events; NULL: it has none */
	const SptLabels *labels;
	const SptLinks *links;	    /* NULL: there are none */
	int32_t *link_numbers;	    /* by link: that of its ids */
	uint64_t worth;		    /* of a weight of 1; 0: periods of no known length */
	GByteArray *dictionary;	    /* SptOtlpDictionary */
	GByteArray **profiles;	    /* by set: the samples of an SptOtlpProfile, or NULL */
	GHashTable *texts;	    /* text -> its number */
	struct spt_pairs functions; /* (numbers of name and file) -> number */
	struct spt_pairs mappings;  /* (object, number of its label) -> number */
	struct spt_pairs entries;   /* (number of key, value, whether it is a text) -> number */
	struct spt_pairs stacks;    /* (node, depth) -> number */
	uint32_t *locations;	    /* by frame, and behind them, for stacks that are not there */
	uint16_t *depths;	    /* by node */
	GArray *path;		    /* int32_t: the locations of a stack */
};

static void append_packed(GByteArray *to, const ProtobufCMessage *message)
{
	size_t at = to->len;

	g_byte_array_set_size(to, (guint)(at + protobuf_c_message_get_packed_size(message)));
	protobuf_c_message_pack(message, to->data + at);
}

static void put_otlp(struct otlp_writer *writer, const SptOtlpDictionary *part)
{
	append_packed(writer->dictionary, &part->base);
}

/* The number of a text; a new one is written. */
static int32_t otlp_text(struct otlp_writer *writer, const char *text)
{
	SptOtlpDictionary part = SPT_OTLP_DICTIONARY__INIT;
	g_autofree char *valid = NULL;
	gpointer number;

	if (g_hash_table_lookup_extended(writer->texts, text, NULL, &number))
		return GPOINTER_TO_INT(number);
	number = GUINT_TO_POINTER(g_hash_table_size(writer->texts));
	g_hash_table_insert(writer->texts, g_strdup(text), number);
	valid = g_utf8_make_valid(text, -1);
	part.n_strings = 1;
	part.strings = &valid;
	put_otlp(writer, &part);
	return GPOINTER_TO_INT(number);
}

/* Whether (a, b) is new, and its number. */
static bool otlp_is_new(struct spt_pairs *pairs, uint64_t a, uint64_t b, int32_t *ret)
{
	uint32_t *known = spt_pairs_at(pairs, a, b);
	bool is_new = *known == UINT32_MAX;

	/* The number of pairs counts this one: the entry 0 is before all of them. */
	if (is_new)
		*known = (uint32_t)pairs->n;
	*ret = (int32_t)*known;
	return is_new;
}

/* @text NULL: a number. */
static int32_t otlp_entry(struct otlp_writer *writer, const char *key, const char *text,
			  int64_t number)
{
	SptOtlpDictionary part = SPT_OTLP_DICTIONARY__INIT;
	SptOtlpEntry entry = SPT_OTLP_ENTRY__INIT, *only = &entry;
	SptOtlpValue value = SPT_OTLP_VALUE__INIT;
	g_autofree char *valid = NULL;
	int32_t at;

	entry.key = otlp_text(writer, key);
	if (!otlp_is_new(&writer->entries, (uint64_t)entry.key << 1 | !!text,
			 text ? (uint64_t)otlp_text(writer, text) : (uint64_t)number, &at))
		return at;
	value.value_case = text ? SPT_OTLP_VALUE__VALUE_TEXT : SPT_OTLP_VALUE__VALUE_NUMBER;
	if (text)
		value.text = valid = g_utf8_make_valid(text, -1);
	else
		value.number = number;
	entry.value = &value;
	part.n_attributes = 1;
	part.attributes = &only;
	put_otlp(writer, &part);
	return at;
}

/* The mapping of an object, by the name of the part that a frame is in; 0: nothing is known. */
static int32_t otlp_mapping(struct otlp_writer *writer, uint32_t id, const char *label)
{
	const SptCapture *capture = writer->input->capture;
	const SptObjectRow *object = id < capture->n_objects ? &capture->objects[id] : NULL;
	SptOtlpDictionary part = SPT_OTLP_DICTIONARY__INIT;
	SptOtlpMapping mapping = SPT_OTLP_MAPPING__INIT, *only = &mapping;
	char build_id[SPT_BUILD_ID_TEXT_BYTES];
	int32_t at, attribute;
	bool is_file;

	if (!object || !object->id)
		return 0;
	is_file = object->kind == SPT_OBJECT_FILE && object->path && *object->path;
	mapping.filename = otlp_text(writer, is_file ? object->path : label);
	if (!otlp_is_new(&writer->mappings, id, (uint64_t)mapping.filename, &at))
		return at;
	if (spt_object_room(object)) {
		mapping.memory_start = (uint64_t)id << SPT_ADDRESS_BITS;
		mapping.memory_limit = mapping.memory_start + spt_object_room(object);
	}
	spt_object_build_id_text(object, build_id);
	if (*build_id) {
		attribute = otlp_entry(writer, "process.executable.build_id.gnu", build_id, 0);
		mapping.n_attributes = 1;
		mapping.attributes = &attribute;
	}
	part.n_mappings = 1;
	part.mappings = &only;
	put_otlp(writer, &part);
	return at;
}

/* @linker: its name for it, or NULL; @file: "" if it is not known. */
static int32_t otlp_function(struct otlp_writer *writer, const char *name, const char *linker,
			     const char *file)
{
	SptOtlpDictionary part = SPT_OTLP_DICTIONARY__INIT;
	SptOtlpFunction function = SPT_OTLP_FUNCTION__INIT, *only = &function;
	int32_t at;

	function.name = otlp_text(writer, name);
	function.filename = otlp_text(writer, file);
	if (!otlp_is_new(&writer->functions, (uint64_t)function.name, (uint64_t)function.filename,
			 &at))
		return at;
	function.system_name = linker ? otlp_text(writer, linker) : function.name;
	part.n_functions = 1;
	part.functions = &only;
	put_otlp(writer, &part);
	return at;
}

/* What made the code, for files and the kernel; else NULL. */
static const char *frame_type(const SptCapture *capture, const SptFrame *frame)
{
	SptObjectKind kind = frame->object < capture->n_objects ?
				     capture->objects[frame->object].kind :
				     SPT_OBJECT_UNKNOWN;

	if (kind == SPT_OBJECT_KERNEL || kind == SPT_OBJECT_MODULES)
		return "kernel";
	return kind == SPT_OBJECT_FILE || kind == SPT_OBJECT_VDSO ? "native" : NULL;
}

static void put_otlp_location(struct otlp_writer *writer, SptOtlpLocation *location,
			      SptOtlpLine *lines, size_t n)
{
	SptOtlpDictionary part = SPT_OTLP_DICTIONARY__INIT;
	SptOtlpLine *list[SPT_INLINES_MAX];

	for (size_t i = 0; i < n; i++)
		list[i] = &lines[i];
	location->n_lines = n;
	location->lines = list;
	part.n_locations = 1;
	part.locations = &location;
	put_otlp(writer, &part);
}

static void put_otlp_frame(struct otlp_writer *writer, const SptFrame *frame)
{
	const SptCapture *capture = writer->input->capture;
	SptOtlpLocation location = SPT_OTLP_LOCATION__INIT;
	SptOtlpLine lines[SPT_INLINES_MAX];
	SptNamedPlace places[SPT_INLINES_MAX];
	SptPlace raw[SPT_INLINES_MAX];
	SptSymbol symbol;
	const char *type = frame_type(capture, frame);
	unsigned n = spt_symbols_places(writer->input->symbols, frame, places),
		 n_raw = spt_symbols_raw(writer->input->symbols, frame, raw, &symbol);
	int32_t attribute;

	for (unsigned i = 0; i < n; i++) {
		const char *linker = i + 1 == n ? symbol.name : n_raw == n ? raw[i].function : NULL;
		g_autofree char *file = spt_place_file(&places[i]);

		spt_otlp_line__init(&lines[i]);
		lines[i].function =
			otlp_function(writer, places[i].name.function, linker, file);
		lines[i].line = places[i].line;
	}
	location.mapping = otlp_mapping(writer, frame->object, places[0].name.object);
	if (location.mapping && frame->offset < spt_object_room(&capture->objects[frame->object]))
		location.address =
			((uint64_t)frame->object << SPT_ADDRESS_BITS) + frame->offset;
	if (type) {
		attribute = otlp_entry(writer, "profile.frame.type", type, 0);
		location.n_attributes = 1;
		location.attributes = &attribute;
	}
	put_otlp_location(writer, &location, lines, n);
}

/* What are no digits, as a file of another program may have, gives some id. */
static void find_id(const char *digits, uint8_t *to, size_t bytes)
{
	for (size_t i = 0; i < bytes && digits[2 * i] && digits[2 * i + 1]; i++)
		to[i] = (uint8_t)((g_ascii_xdigit_value(digits[2 * i]) & 15) << 4 |
				  (g_ascii_xdigit_value(digits[2 * i + 1]) & 15));
}

/* Those with other ids, behind the first one, which is none. */
static void put_otlp_links(struct otlp_writer *writer)
{
	uint32_t n = spt_links_count(writer->links);
	int32_t number = 0;

	writer->link_numbers = g_new0(int32_t, (size_t)n + 1);
	for (uint32_t i = 1; i <= n; i++) {
		const SptLink *of = spt_links_get(writer->links, i);
		SptOtlpDictionary part = SPT_OTLP_DICTIONARY__INIT;
		SptOtlpLink link = SPT_OTLP_LINK__INIT, *only = &link;
		uint8_t trace[ID_BYTES] = { 0 }, span[SPAN_BYTES] = { 0 };

		if (of->first != i) {
			writer->link_numbers[i] = writer->link_numbers[of->first];
			continue;
		}
		writer->link_numbers[i] = ++number;
		find_id(of->trace, trace, sizeof(trace));
		find_id(of->span, span, sizeof(span));
		link.trace = (ProtobufCBinaryData){ sizeof(trace), trace };
		link.span = (ProtobufCBinaryData){ sizeof(span), span };
		part.n_links = 1;
		part.links = &only;
		put_otlp(writer, &part);
	}
}

static void put_otlp_missing(struct otlp_writer *writer, const char *name)
{
	SptOtlpLocation location = SPT_OTLP_LOCATION__INIT;
	SptOtlpLine line = SPT_OTLP_LINE__INIT;

	line.function = otlp_function(writer, name, NULL, "");
	put_otlp_location(writer, &location, &line, 1);
}

/* The entry that is none, of each table. */
static void put_otlp_first(struct otlp_writer *writer)
{
	SptOtlpDictionary part = SPT_OTLP_DICTIONARY__INIT;
	SptOtlpMapping mapping = SPT_OTLP_MAPPING__INIT, *mappings = &mapping;
	SptOtlpLocation location = SPT_OTLP_LOCATION__INIT, *locations = &location;
	SptOtlpFunction function = SPT_OTLP_FUNCTION__INIT, *functions = &function;
	SptOtlpLink link = SPT_OTLP_LINK__INIT, *links = &link;
	SptOtlpEntry entry = SPT_OTLP_ENTRY__INIT, *entries = &entry;
	SptOtlpStack stack = SPT_OTLP_STACK__INIT, *stacks = &stack;

	part.n_mappings = part.n_locations = part.n_functions = part.n_links = 1;
	part.n_attributes = part.n_stacks = 1;
	part.mappings = &mappings;
	part.locations = &locations;
	part.functions = &functions;
	part.links = &links;
	part.attributes = &entries;
	part.stacks = &stacks;
	put_otlp(writer, &part);
	otlp_text(writer, "");
}

/* One after the other by object, as files are read. */
static void put_otlp_locations(struct otlp_writer *writer, const GArray *sums)
{
	const SptCapture *capture = writer->input->capture;
	g_autofree bool *used = spt_places_used(capture, writer->depths, sums);
	uint32_t n, n_frames = MAX(capture->n_frames, 1), number = 1;
	g_autofree struct spt_item *items =
		spt_sort_frames(capture->nodes, capture->n_nodes, capture->n_frames, used, &n);

	writer->locations = g_new0(uint32_t, n_frames + 2);
	for (uint32_t i = 0; i < n; i++) {
		const SptNode *node = &capture->nodes[items[i].index];

		writer->locations[node->key] = number++;
		put_otlp_frame(writer, &node->frame);
	}
	writer->locations[n_frames] = number++;
	put_otlp_missing(writer, SPT_NO_STACK);
	writer->locations[n_frames + 1] = number;
	put_otlp_missing(writer, "[stack too deep]");
}

static int32_t otlp_stack(struct otlp_writer *writer, uint32_t node)
{
	const SptCapture *capture = writer->input->capture;
	bool is_deep = writer->depths[node] > SPT_PLACES_DEEPEST;
	SptOtlpDictionary part = SPT_OTLP_DICTIONARY__INIT;
	SptOtlpStack stack = SPT_OTLP_STACK__INIT, *only = &stack;
	int32_t at;

	if (is_deep)
		node = UINT32_MAX;
	if (!otlp_is_new(&writer->stacks, node, 0, &at))
		return at;
	g_array_set_size(writer->path, 0);
	if (node == 0 || is_deep)
		g_array_append_val(writer->path,
				   writer->locations[MAX(capture->n_frames, 1) + is_deep]);
	for (; node != 0 && !is_deep; node = capture->nodes[node].parent)
		g_array_append_val(writer->path,
				   writer->locations[capture->nodes[node].key]);
	stack.n_locations = writer->path->len;
	stack.locations = (int32_t *)writer->path->data;
	part.n_stacks = 1;
	part.stacks = &only;
	put_otlp(writer, &part);
	return at;
}

/* Those of a span are as its program says. */
static size_t find_span_attributes(struct otlp_writer *writer, const SptStackSum *sum,
				   const SptProcessRow *process, int32_t *ret)
{
	static const char *const taken[] = { "process.executable.name", "process.pid", "thread.id",
					     "thread.name", "cpu.logical_number", "thread.state",
					     NULL };
	SptSpanPairs pairs;

	spt_span_pairs(writer->labels, process, spt_links_get(writer->links, sum->link), taken,
		       &pairs);
	for (unsigned i = 0; i < pairs.n; i++)
		ret[i] = otlp_entry(writer, pairs.pairs[i].key, pairs.pairs[i].value, 0);
	return pairs.n;
}

static size_t find_attributes(struct otlp_writer *writer, const SptStackSum *sum,
			      const SptProcessRow *process, int32_t *ret)
{
	const SptThreadRow *thread = spt_thread_of_id(writer->input->capture, sum->thread);
	g_auto(GStrv) labels = NULL;
	size_t n = 0;

	ret[n++] = otlp_entry(writer, "process.executable.name", spt_process_label(process), 0);
	if (process)
		ret[n++] = otlp_entry(writer, "process.pid", NULL, process->pid);
	if (thread) {
		ret[n++] = otlp_entry(writer, "thread.id", NULL, thread->tid);
		if (thread->name && *thread->name)
			ret[n++] = otlp_entry(writer, "thread.name", thread->name, 0);
	}
	if (writer->metric->parts & SPT_METRIC_HAS_CPU)
		ret[n++] = otlp_entry(writer, "cpu.logical_number", NULL, sum->cpu);
	if (writer->metric->parts & SPT_METRIC_HAS_STATE)
		ret[n++] = otlp_entry(writer, "thread.state",
				      spt_wait_state_name((uint8_t)sum->state), 0);
	if (sum->link)
		n += find_span_attributes(writer, sum, process, ret + n);
	if (!sum->labels)
		return n;
	labels = spt_declared_labels(writer->input->capture, writer->labelled, sum->labels);
	for (char **label = labels; *label; label += 2)
		ret[n++] = otlp_entry(writer, label[0], label[1], 0);
	return n;
}

/* CPU time is counted in samples, of which the period says how much each is. */
static void put_otlp_sample(struct otlp_writer *writer, const SptStackSum *sum)
{
	const SptProcessRow *process = spt_process_of_thread(writer->input->capture, sum->thread);
	unsigned set = spt_labels_of(writer->labels, process ? process->id : 0);
	SptOtlpProfile part = SPT_OTLP_PROFILE__INIT;
	SptOtlpSample sample = SPT_OTLP_SAMPLE__INIT, *only = &sample;
	int64_t value = (int64_t)MIN(sum->weight, INT64_MAX);
	int32_t attributes[ATTRIBUTES_MAX];

	if (set >= spt_labels_n_sets(writer->labels))
		return;
	sample.stack = otlp_stack(writer, sum->node);
	sample.link = writer->link_numbers[sum->link];
	sample.n_attributes = find_attributes(writer, sum, process, attributes);
	sample.attributes = attributes;
	sample.n_values = 1;
	sample.values = &value;
	part.n_samples = 1;
	part.samples = &only;
	if (!writer->profiles[set])
		writer->profiles[set] = g_byte_array_new();
	append_packed(writer->profiles[set], &part.base);
}

static SptOtlpType otlp_type(struct otlp_writer *writer, const char *name, SptUnit unit)
{
	static const char *const units[] = {
		[SPT_UNIT_NS] = "nanoseconds",
		[SPT_UNIT_BYTES] = "bytes",
		[SPT_UNIT_EVENTS] = "count",
		[SPT_UNIT_NUMBER] = "count",
	};
	SptOtlpType type = SPT_OTLP_TYPE__INIT;

	type.type = otlp_text(writer, name);
	type.unit = otlp_text(writer, units[unit]);
	return type;
}

/* The same window gives the same id, so that a receiver knows what comes again. */
static void find_profile_id(const struct otlp_writer *writer, const SptLabelSet *set,
			    uint64_t time_ns, uint8_t ret[ID_BYTES])
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	uint8_t digest[32];
	gsize bytes = sizeof(digest);

	g_checksum_update(sum, (const guchar *)&time_ns, sizeof(time_ns));
	g_checksum_update(sum, (const guchar *)writer->metric->name, -1);
	for (unsigned i = 0; i < set->n; i++) {
		g_checksum_update(sum, (const guchar *)set->labels[i].key, -1);
		g_checksum_update(sum, (const guchar *)set->labels[i].value, -1);
	}
	g_checksum_get_digest(sum, digest, &bytes);
	memcpy(ret, digest, ID_BYTES);
}

/* What is not of its samples, behind them. */
static void complete_profile(struct otlp_writer *writer, unsigned set)
{
	const SptMetric *metric = writer->metric;
	bool counts = metric->is_cpu, is_off = strcmp(metric->name, "off-cpu") == 0;
	SptOtlpType value = counts ? otlp_type(writer, "samples", SPT_UNIT_EVENTS) :
				     otlp_type(writer, is_off ? "off_cpu" : metric->name,
					       metric->unit),
		    period = counts ? otlp_type(writer, metric->name, metric->unit) : value;
	SptOtlpProfile part = SPT_OTLP_PROFILE__INIT;
	uint8_t id[ID_BYTES];
	uint64_t begin_ns, duration_ns;

	spt_places_time(writer->input, &begin_ns, &duration_ns);
	find_profile_id(writer, spt_labels_set(writer->labels, set), begin_ns, id);
	part.sample_type = &value;
	part.time_ns = begin_ns;
	part.duration_ns = duration_ns;
	part.period_type = is_off ? NULL : &period;
	part.period = is_off ? 0 : (int64_t)MAX(writer->worth, 1);
	part.id = (ProtobufCBinaryData){ ID_BYTES, id };
	append_packed(writer->profiles[set], &part.base);
}

static void put_resource(struct otlp_writer *writer, unsigned number, GByteArray *request)
{
	const SptLabelSet *set = spt_labels_set(writer->labels, number);
	SptOtlpRequest part = SPT_OTLP_REQUEST__INIT;
	SptOtlpResourceProfiles profiles = SPT_OTLP_RESOURCE_PROFILES__INIT, *only = &profiles;
	SptOtlpResource resource = SPT_OTLP_RESOURCE__INIT;
	SptOtlpScopeProfiles of_scope = SPT_OTLP_SCOPE_PROFILES__INIT, *scopes = &of_scope;
	SptOtlpScope scope = SPT_OTLP_SCOPE__INIT;
	SptOtlpAttribute attributes[SPT_LABELS_MAX], *list[SPT_LABELS_MAX];
	SptOtlpValue values[SPT_LABELS_MAX];
	GByteArray *bytes = writer->profiles[number];
	ProtobufCBinaryData profile = { bytes->len, bytes->data };

	for (unsigned i = 0; i < set->n; i++) {
		spt_otlp_attribute__init(&attributes[i]);
		spt_otlp_value__init(&values[i]);
		values[i].value_case = SPT_OTLP_VALUE__VALUE_TEXT;
		values[i].text = (char *)set->labels[i].value;
		attributes[i].key = (char *)set->labels[i].key;
		attributes[i].value = &values[i];
		list[i] = &attributes[i];
	}
	resource.n_attributes = set->n;
	resource.attributes = list;
	scope.name = (char *)"sysprof";
	scope.version = (char *)SPT_VERSION;
	of_scope.scope = &scope;
	of_scope.n_profiles = 1;
	of_scope.profiles = &profile;
	profiles.resource = &resource;
	profiles.n_scopes = 1;
	profiles.scopes = &scopes;
	part.n_resources = 1;
	part.resources = &only;
	append_packed(request, &part.base);
}

static void put_otlp_request(struct otlp_writer *writer, SptOut *out)
{
	g_autoptr(GByteArray) request = g_byte_array_new();
	SptOtlpRequest part = SPT_OTLP_REQUEST__INIT;

	for (unsigned set = 0; set < spt_labels_n_sets(writer->labels); set++) {
		if (!writer->profiles[set])
			continue;
		complete_profile(writer, set);
		put_resource(writer, set, request);
	}
	part.dictionary =
		(ProtobufCBinaryData){ writer->dictionary->len, writer->dictionary->data };
	append_packed(request, &part.base);
	g_string_append_len(spt_out_text(out), (const char *)request->data, request->len);
}

static bool write_otlp(const SptExportInput *input, SptOut *out, G_GNUC_UNUSED GError **error)
{
	const SptMetric *metric = spt_profile_metric(input->profile);
	g_autoptr(SptLabels) own =
		input->labels ? NULL : spt_labels_new(input->capture, NULL, NULL);
	g_autoptr(SptLinks) links = spt_links_new(input->capture, metric);
	const SptMetric *labelled = spt_declared_labelled(input->capture, metric);
	g_autoptr(GArray) sums = spt_stack_sums_of_links(input->capture, input->symbols,
							 labelled ? labelled : metric,
							 input->filter, links);
	struct otlp_writer writer = { .input = input,
				      .metric = metric,
				      .labels = own ? own : input->labels,
				      .labelled = labelled,
				      .links = links,
				      .worth = spt_metric_worth(metric, input->capture) };

	writer.dictionary = g_byte_array_new();
	writer.profiles = g_new0(GByteArray *, MAX(spt_labels_n_sets(writer.labels), 1));
	writer.texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	writer.path = g_array_new(FALSE, FALSE, sizeof(int32_t));
	writer.depths = spt_places_depths(input->capture);
	put_otlp_first(&writer);
	put_otlp_links(&writer);
	put_otlp_locations(&writer, sums);
	for (guint i = 0; i < sums->len; i++)
		put_otlp_sample(&writer, &g_array_index(sums, SptStackSum, i));
	put_otlp_request(&writer, out);
	for (unsigned set = 0; set < spt_labels_n_sets(writer.labels); set++)
		if (writer.profiles[set])
			g_byte_array_unref(writer.profiles[set]);
	g_free(writer.profiles);
	g_byte_array_unref(writer.dictionary);
	g_hash_table_unref(writer.texts);
	g_array_unref(writer.path);
	g_free(writer.link_numbers);
	g_free(writer.locations);
	g_free(writer.depths);
	spt_pairs_clear(&writer.functions);
	spt_pairs_clear(&writer.mappings);
	spt_pairs_clear(&writer.entries);
	spt_pairs_clear(&writer.stacks);
	return true;
}

#else

static bool write_otlp(G_GNUC_UNUSED const SptExportInput *input, G_GNUC_UNUSED SptOut *out,
		       GError **error)
{
	spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSYS,
		      "This program was built without protobuf-c, which writes profiles of OpenTelemetry");
	return false;
}

#endif

const SptExport spt_export_otlp = {
	.name = "otlp",
	.ending = ".otlp",
	.help = "a request with profiles of OpenTelemetry, as a Collector takes it",
	.menu = SPT_WORDS("Export _OpenTelemetry (OTLP)…"),
	.needs = SPT_EXPORT_NEEDS_STACKS,
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_OBJECTS |
		   SPT_EXPORT_CARRIES_ADDRESSES | SPT_EXPORT_CARRIES_LINES |
		   SPT_EXPORT_CARRIES_THREADS | SPT_EXPORT_CARRIES_CPUS,
	.write = write_otlp,
};

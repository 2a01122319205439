/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile of pprof: each message is packed, compressed and written by itself.  What is kept is a
 * number for each text, function and object, and the sums that become samples.
 *
 * A profile has one address space, in which each file is mapped whole, at a place of its own.  A
 * location is a frame of the capture and has its number; behind these are two for stacks that are
 * not there.
 */
#include "base/words.h"
#include "export/export.h"
#include "export/places.h"
#include "export/span-keys.h"

#ifdef SPT_HAS_PPROF

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/pairs.h"
#include "formats/pprof.pb-c.h"
#include "profile/command.h"
#include "profile/declared.h"
#include "profile/selection.h"
#include "profile/stack-sums.h"
#include "profile/summary.h"
#include "profile/waits.h"
#include "stash/frames.h"

#define CHUNK_BYTES	 (1u << 14)
#define GZIP_WINDOW	 (15 + 16)
#define LABELS_MAX   (8 + SPT_LINK_ATTRIBUTES_MAX + SPT_DECLARED_FIELDS)
/* Behind the capture's frames. */
enum { NO_STACK_AT, TOO_DEEP_AT };

struct pprof_writer {
	const SptExportInput *input;
	const SptMetric *metric;
	const SptMetric *labelled; /* the metric by labels of its events; NULL: it has none */
	const SptLinks *links; /* NULL: there are none */
	uint64_t worth;	     /* of a weight of 1; 0: periods of no known length */
	bool counts_samples; /* besides the metric's value */
	SptOut *out;
	z_stream stream;
	GByteArray *packed;	    /* the message that is written */
	GHashTable *texts;	    /* text -> its number */
	struct spt_pairs functions; /* (numbers of name and file) -> id, less 1 */
	struct spt_pairs mappings;  /* (object, its label) -> id, less 1 */
	GArray *path;		    /* uint64_t: the locations of a sample */
	uint16_t *depth;	    /* by node, saturating */
};

static void deflate_bytes(struct pprof_writer *writer, const uint8_t *bytes, size_t n, int flush)
{
	uint8_t chunk[CHUNK_BYTES];

	writer->stream.next_in = (Bytef *)bytes;
	writer->stream.avail_in = (uInt)n;
	do {
		writer->stream.next_out = chunk;
		writer->stream.avail_out = sizeof(chunk);
		deflate(&writer->stream, flush);
		g_string_append_len(spt_out_text(writer->out), (const char *)chunk,
				    (gssize)(sizeof(chunk) - writer->stream.avail_out));
	} while (writer->stream.avail_out == 0);
}

/* A profile is the concatenation of its parts. */
static void put_pprof(struct pprof_writer *writer, const SptPprofProfile *part)
{
	g_byte_array_set_size(writer->packed, (guint)spt_pprof_profile__get_packed_size(part));
	spt_pprof_profile__pack(part, writer->packed->data);
	deflate_bytes(writer, writer->packed->data, writer->packed->len, Z_NO_FLUSH);
}

/* The number of a text; a new one is written. */
static int64_t pprof_text(struct pprof_writer *writer, const char *text)
{
	SptPprofProfile part = SPT_PPROF_PROFILE__INIT;
	gpointer number;
	g_autofree char *valid = NULL;

	if (g_hash_table_lookup_extended(writer->texts, text, NULL, &number))
		return GPOINTER_TO_UINT(number);
	number = GUINT_TO_POINTER(g_hash_table_size(writer->texts));
	g_hash_table_insert(writer->texts, g_strdup(text), number);
	valid = g_utf8_make_valid(text, -1);
	part.n_string_table = 1;
	part.string_table = &valid;
	put_pprof(writer, &part);
	return GPOINTER_TO_UINT(number);
}

static SptPprofType pprof_type(struct pprof_writer *writer, const char *name, SptUnit unit)
{
	static const char *const units[] = {
		[SPT_UNIT_NS] = "nanoseconds",
		[SPT_UNIT_BYTES] = "bytes",
		[SPT_UNIT_EVENTS] = "count",
		[SPT_UNIT_NUMBER] = "count",
	};
	SptPprofType type = SPT_PPROF_TYPE__INIT;

	type.type = pprof_text(writer, name);
	type.unit = pprof_text(writer, units[unit]);
	return type;
}

/* Readers show the last type. */
static void put_pprof_types(struct pprof_writer *writer)
{
	SptPprofType count = pprof_type(writer, "samples", SPT_UNIT_EVENTS);
	SptPprofType value =
		writer->worth ? pprof_type(writer, writer->metric->name, writer->metric->unit) :
				count;
	SptPprofType *types[] = { &count, &value };
	SptPprofProfile part = SPT_PPROF_PROFILE__INIT;

	part.n_sample_type = writer->counts_samples ? 2 : 1;
	part.sample_type = writer->counts_samples ? types : types + 1;
	part.default_sample_type = value.type;
	part.period_type = &value;
	part.period = (int64_t)MAX(writer->worth, 1);
	put_pprof(writer, &part);
}

static void put_pprof_times(struct pprof_writer *writer)
{
	const char *remark = writer->input->remark;
	int64_t comments[2] = { pprof_text(writer, "Sysprof " SPT_VERSION),
				remark ? pprof_text(writer, remark) : 0 };
	SptPprofProfile part = SPT_PPROF_PROFILE__INIT;
	uint64_t begin_ns, duration_ns;

	spt_places_time(writer->input, &begin_ns, &duration_ns);
	part.time_nanos = (int64_t)begin_ns;
	part.duration_nanos = (int64_t)duration_ns;
	part.n_comment = remark ? 2 : 1;
	part.comment = comments;
	put_pprof(writer, &part);
}

/*
 * The id of an object's mapping, which is written first if it is new; 0: nothing is known of the
 * object.  The kernel's modules are one object with several labels.
 */
static uint64_t pprof_mapping(struct pprof_writer *writer, uint32_t id, const char *label)
{
	const SptCapture *capture = writer->input->capture;
	const SptObjectRow *object = id < capture->n_objects ? &capture->objects[id] : NULL;
	SptPprofMapping mapping = SPT_PPROF_MAPPING__INIT, *only = &mapping;
	SptPprofProfile part = SPT_PPROF_PROFILE__INIT;
	char build_id[SPT_BUILD_ID_TEXT_BYTES];
	bool is_file;
	uint32_t *known;

	if (!object || !object->id)
		return 0;
	known = spt_pairs_at(&writer->mappings, id, (uintptr_t)label);
	if (*known != UINT32_MAX)
		return *known + 1ull;
	*known = (uint32_t)writer->mappings.n - 1;
	is_file = object->kind == SPT_OBJECT_FILE && object->path && *object->path;
	mapping.id = writer->mappings.n;
	mapping.filename = pprof_text(writer, is_file ? object->path : label);
	spt_object_build_id_text(object, build_id);
	mapping.build_id = pprof_text(writer, build_id);
	if (spt_object_room(object)) {
		mapping.memory_start = (uint64_t)id << SPT_ADDRESS_BITS;
		mapping.memory_limit = mapping.memory_start + spt_object_room(object);
	}
	mapping.has_functions = mapping.has_filenames = true;
	mapping.has_line_numbers = mapping.has_inline_frames = true;
	part.n_mapping = 1;
	part.mapping = &only;
	put_pprof(writer, &part);
	return mapping.id;
}

/* @linker: its name for it, or NULL; @file: "" if it is not known. */
static uint64_t pprof_function(struct pprof_writer *writer, const char *name, const char *linker,
			       const char *file)
{
	SptPprofFunction function = SPT_PPROF_FUNCTION__INIT, *only = &function;
	SptPprofProfile part = SPT_PPROF_PROFILE__INIT;
	uint32_t *known;

	function.name = pprof_text(writer, name);
	function.filename = pprof_text(writer, file);
	known = spt_pairs_at(&writer->functions, (uint64_t)function.name,
			     (uint64_t)function.filename);
	if (*known != UINT32_MAX)
		return *known + 1ull;
	*known = (uint32_t)writer->functions.n - 1;
	function.id = writer->functions.n;
	function.system_name = linker ? pprof_text(writer, linker) : function.name;
	part.n_function = 1;
	part.function = &only;
	put_pprof(writer, &part);
	return function.id;
}

static void put_pprof_lines(struct pprof_writer *writer, SptPprofLocation *location,
			    SptPprofLine *lines, size_t n)
{
	SptPprofLine *list[SPT_INLINES_MAX];
	SptPprofProfile part = SPT_PPROF_PROFILE__INIT;

	for (size_t i = 0; i < n; i++)
		list[i] = &lines[i];
	location->n_line = n;
	location->line = list;
	part.n_location = 1;
	part.location = &location;
	put_pprof(writer, &part);
}

/* The place of a frame, with the number of the frame. */
static void put_pprof_location(struct pprof_writer *writer, const SptNode *node)
{
	const SptCapture *capture = writer->input->capture;
	const SptFrame *frame = &node->frame;
	SptNamedPlace places[SPT_INLINES_MAX];
	SptPlace raw[SPT_INLINES_MAX];
	SptPprofLine lines[SPT_INLINES_MAX];
	SptPprofLocation location = SPT_PPROF_LOCATION__INIT;
	SptSymbol symbol;
	unsigned n = spt_symbols_places(writer->input->symbols, frame, places),
		 n_raw = spt_symbols_raw(writer->input->symbols, frame, raw, &symbol);

	for (unsigned i = 0; i < n; i++) {
		const char *linker = i + 1 == n ? symbol.name : n_raw == n ? raw[i].function : NULL;
		g_autofree char *file = spt_place_file(&places[i]);

		spt_pprof_line__init(&lines[i]);
		lines[i].function_id =
			pprof_function(writer, places[i].name.function, linker, file);
		lines[i].line = places[i].line;
	}
	location.id = node->key;
	location.mapping_id = pprof_mapping(writer, frame->object, places[0].name.object);
	if (location.mapping_id &&
	    frame->offset < spt_object_room(&capture->objects[frame->object]))
		location.address = ((uint64_t)frame->object << SPT_ADDRESS_BITS) + frame->offset;
	put_pprof_lines(writer, &location, lines, n);
}

/* The place of stacks that are not there. */
static void put_pprof_missing(struct pprof_writer *writer, unsigned at, const char *name)
{
	SptPprofLine line = SPT_PPROF_LINE__INIT;
	SptPprofLocation location = SPT_PPROF_LOCATION__INIT;

	line.function_id = pprof_function(writer, name, NULL, "");
	location.id = (uint64_t)MAX(writer->input->capture->n_frames, 1) + at;
	put_pprof_lines(writer, &location, &line, 1);
}

/* The file in which most time is spent, with @through what it calls, and which is no library. */
static uint32_t find_heaviest(const SptCapture *capture, const GArray *sums, bool through)
{
	g_autofree uint64_t *weights = g_new0(uint64_t, MAX(capture->n_objects, 1));
	uint32_t program = 0;

	for (guint i = 0; i < sums->len; i++) {
		const SptStackSum *sum = &g_array_index(sums, SptStackSum, i);

		for (uint32_t node = sum->node; node;) {
			const SptNode *row = &capture->nodes[node];

			if (row->frame.object < capture->n_objects)
				weights[row->frame.object] += sum->weight;
			node = through ? row->parent : 0;
		}
	}
	for (uint32_t id = 1; id < capture->n_objects; id++) {
		const SptObjectRow *object = &capture->objects[id];

		if (object->kind == SPT_OBJECT_FILE && object->path &&
		    !strstr(object->path, ".so") && weights[id] > weights[program])
			program = id;
	}
	return program;
}

/*
 * Readers take the first mapping for the program's.  Waits end in the kernel, and none may be in a
 * file of its own.  0: there is none.
 */
static uint32_t find_pprof_program(const SptCapture *capture, const GArray *sums)
{
	uint32_t program = find_heaviest(capture, sums, false);

	return program ? program : find_heaviest(capture, sums, true);
}

static void put_pprof_locations(struct pprof_writer *writer, const GArray *sums)
{
	const SptCapture *capture = writer->input->capture;
	g_autofree bool *used = spt_places_used(capture, writer->depth, sums);
	uint32_t n, program = find_pprof_program(capture, sums);
	g_autofree struct spt_item *items =
		spt_sort_frames(capture->nodes, capture->n_nodes, capture->n_frames, used, &n);

	for (uint32_t i = 0; program && i < n; i++) {
		const SptFrame *frame = &capture->nodes[items[i].index].frame;

		if (frame->object != program)
			continue;
		pprof_mapping(writer, program,
			      spt_symbols_name(writer->input->symbols, frame).object);
		break;
	}
	for (uint32_t i = 0; i < n; i++)
		put_pprof_location(writer, &capture->nodes[items[i].index]);
	put_pprof_missing(writer, NO_STACK_AT, SPT_NO_STACK);
	put_pprof_missing(writer, TOO_DEEP_AT, "[stack too deep]");
}

static void find_pprof_path(struct pprof_writer *writer, uint32_t node)
{
	const SptCapture *capture = writer->input->capture;
	bool is_deep = writer->depth[node] > SPT_PLACES_DEEPEST;
	uint64_t id = (uint64_t)MAX(capture->n_frames, 1) + (is_deep ? TOO_DEEP_AT : NO_STACK_AT);

	g_array_set_size(writer->path, 0);
	if (node == 0 || is_deep) {
		g_array_append_val(writer->path, id);
		return;
	}
	for (; node != 0; node = capture->nodes[node].parent) {
		id = capture->nodes[node].key;
		g_array_append_val(writer->path, id);
	}
}

struct pprof_labels {
	SptPprofLabel labels[LABELS_MAX], *list[LABELS_MAX];
	size_t n;
};

/*
 * @text NULL: a number.  Its unit is that of numbers without one: readers would take 0 without a
 * unit for no label.
 */
static void add_pprof_label(struct pprof_writer *writer, struct pprof_labels *to, const char *key,
			    const char *text, uint32_t number)
{
	SptPprofLabel *label = &to->labels[to->n];

	if (text && !*text)
		return;
	spt_pprof_label__init(label);
	label->key = pprof_text(writer, key);
	if (text) {
		label->str = pprof_text(writer, text);
	} else {
		label->num = number;
		label->num_unit = label->key;
	}
	to->list[to->n++] = label;
}

static void find_pprof_link(struct pprof_writer *writer, const SptLink *link,
			    const SptProcessRow *process, struct pprof_labels *to)
{
	static const char *const taken[] = { "process", "pid", "thread", "tid", "cpu", "state",
					     SPT_LINKS_TRACE, SPT_LINKS_SPAN, NULL };
	SptSpanPairs pairs;

	add_pprof_label(writer, to, SPT_LINKS_TRACE, link->trace, 0);
	add_pprof_label(writer, to, SPT_LINKS_SPAN, link->span, 0);
	spt_span_pairs(writer->input->labels, process, link, taken, &pairs);
	for (unsigned i = 0; i < pairs.n; i++)
		add_pprof_label(writer, to, pairs.pairs[i].key, pairs.pairs[i].value, 0);
}

static void find_pprof_labels(struct pprof_writer *writer, const SptStackSum *sum,
			      struct pprof_labels *to)
{
	const SptCapture *capture = writer->input->capture;
	const SptProcessRow *process = spt_process_of_thread(capture, sum->thread);
	const SptThreadRow *thread = spt_thread_of_id(capture, sum->thread);

	g_auto(GStrv) labels = NULL;

	to->n = 0;
	add_pprof_label(writer, to, "process", spt_process_label(process), 0);
	if (process)
		add_pprof_label(writer, to, "pid", NULL, process->pid);
	if (thread) {
		add_pprof_label(writer, to, "thread", thread->name ? thread->name : "", 0);
		add_pprof_label(writer, to, "tid", NULL, thread->tid);
	}
	if (writer->metric->parts & SPT_METRIC_HAS_CPU)
		add_pprof_label(writer, to, "cpu", NULL, sum->cpu);
	if (writer->metric->parts & SPT_METRIC_HAS_STATE)
		add_pprof_label(writer, to, "state", spt_wait_state_name((uint8_t)sum->state), 0);
	if (sum->link)
		find_pprof_link(writer, spt_links_get(writer->links, sum->link), process, to);
	if (!sum->labels)
		return;
	labels = spt_declared_labels(capture, writer->labelled, sum->labels);
	for (char **label = labels; *label; label += 2)
		add_pprof_label(writer, to, label[0], label[1], 0);
}

static void put_pprof_sample(struct pprof_writer *writer, const SptStackSum *sum)
{
	SptPprofSample sample = SPT_PPROF_SAMPLE__INIT, *only = &sample;
	SptPprofProfile part = SPT_PPROF_PROFILE__INIT;
	struct pprof_labels labels;
	uint64_t worth = MAX(writer->worth, 1);
	int64_t values[] = { (int64_t)MIN(sum->samples, INT64_MAX),
			     (int64_t)(MIN(sum->weight, INT64_MAX / worth) * worth) };

	find_pprof_path(writer, sum->node);
	find_pprof_labels(writer, sum, &labels);
	sample.n_location_id = writer->path->len;
	sample.location_id = (uint64_t *)writer->path->data;
	sample.n_value = writer->counts_samples ? 2 : 1;
	sample.value = writer->counts_samples ? values : values + 1;
	sample.n_label = labels.n;
	sample.label = labels.list;
	part.n_sample = 1;
	part.sample = &only;
	put_pprof(writer, &part);
}

static void put_pprof_all(struct pprof_writer *writer)
{
	const SptExportInput *input = writer->input;
	g_autoptr(SptLinks) links = spt_links_new(input->capture, writer->metric);
	const SptMetric *labelled = spt_declared_labelled(input->capture, writer->metric);
	g_autoptr(GArray) sums = spt_stack_sums_of_links(input->capture, input->symbols,
							 labelled ? labelled : writer->metric,
							 input->filter, links);

	writer->labelled = labelled;
	writer->links = links;
	writer->depth = spt_places_depths(input->capture);
	pprof_text(writer, "");
	put_pprof_types(writer);
	put_pprof_times(writer);
	put_pprof_locations(writer, sums);
	for (guint i = 0; i < sums->len; i++)
		put_pprof_sample(writer, &g_array_index(sums, SptStackSum, i));
	deflate_bytes(writer, NULL, 0, Z_FINISH);
}

static bool write_pprof(const SptExportInput *input, SptOut *out, GError **error)
{
	const SptMetric *metric = spt_profile_metric(input->profile);
	struct pprof_writer writer = { .input = input,
				       .metric = metric,
				       .worth = spt_metric_worth(metric, input->capture),
				       .out = out };

	writer.counts_samples = metric->is_cpu && writer.worth > 0;
	if (deflateInit2(&writer.stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
			 MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
		spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOMEM,
			      "There is not enough memory to compress the profile");
		return false;
	}
	writer.packed = g_byte_array_new();
	writer.path = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	writer.texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	put_pprof_all(&writer);
	deflateEnd(&writer.stream);
	g_byte_array_unref(writer.packed);
	g_array_unref(writer.path);
	g_hash_table_unref(writer.texts);
	spt_pairs_clear(&writer.functions);
	spt_pairs_clear(&writer.mappings);
	g_free(writer.depth);
	return true;
}

#else

static bool write_pprof(G_GNUC_UNUSED const SptExportInput *input, G_GNUC_UNUSED SptOut *out,
			GError **error)
{
	spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSYS,
		      "This program was built without protobuf-c, which writes profiles of pprof");
	return false;
}

#endif

const SptExport spt_export_pprof = {
	.name = "pprof",
	.ending = ".pb.gz",
	.help = "a profile for pprof and programs that read its files",
	.menu = SPT_WORDS("Export pprof (PB.G_Z)…"),
	.needs = SPT_EXPORT_NEEDS_STACKS,
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_OBJECTS |
		   SPT_EXPORT_CARRIES_ADDRESSES | SPT_EXPORT_CARRIES_LINES |
		   SPT_EXPORT_CARRIES_THREADS | SPT_EXPORT_CARRIES_CPUS,
	.write = write_pprof,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of pprof.  Of several types of values the one is taken that readers show first.  Times
 * become CPU time, bytes become memory that was allocated and not freed, anything else a number of
 * periods of no length.  When samples were is not in a profile: they are spread over its time,
 * or follow each other by a microsecond.
 */
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/pprof-probe.h"
#include "import/unpack.h"

#ifdef SPT_HAS_PPROF

#include <inttypes.h>

#include "capture/format.h"
#include "formats/pprof.pb-c.h"
#include "import/pprof-tables.h"
#include "import/values.h"

/* Most bytes of a profile, unpacked. */
#define PROFILE_MAX_BYTES (512u << 20)
#define STACKS_MAX	  (1u << 24)
#define THREADS_MAX	  (1u << 20)
/* At this number of samples they are written. */
#define FLUSH_SAMPLES (1u << 18)
/* Places without an address have made-up offsets, in files behind all others. */
#define PLACE_BYTES 16
#define MADE_UP_AT  (1ull << 39)
#define ONLY_ONE    "[modules]"
#define NO_STACK    "[no stack]"
#define NOT_KNOWN   UINT32_MAX
#define NS_PER_US   1000
/* Most of a sample, in periods, and of all together, in the unit of values, time in ns. */
#define WEIGHT_MAX (UINT32_MAX * 1000ull)
#define SUM_MAX	   (1ull << 62)

/* What the values count. */
enum pprof_what { TIME, MEMORY, NUMBER };

struct pprof_reader {
	struct pprof_tables tables;
	SptCaptureWriter *writer;
	SptStash *stash;
	GHashTable *objects;		 /* file and build-id -> id */
	GHashTable *processes, *threads; /* all of their labels -> id */
	SptFrame *frames;		 /* by location; object NOT_KNOWN: not needed yet */
	struct spt_pairs taken;		 /* (object, offset): places that have a location */
	const char *program;		 /* the name of processes without one */
	enum pprof_what what;
	uint64_t scale;		     /* of values, in ns; else 1 */
	uint64_t period_ns, carried; /* carried: the rest of a period, for the next sample */
	uint64_t sum;		     /* of all values so far, scaled */
	uint64_t n_samples, n_written;
	uint64_t step_ns; /* from one sample to the next */
};

/* The number of @text in a table of numbers from 1. */
static uint32_t pprof_number(GHashTable *table, const char *text, bool *ret_is_new)
{
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(table, text));

	*ret_is_new = number == 0;
	if (number == 0) {
		number = g_hash_table_size(table) + 1;
		g_hash_table_insert(table, g_strdup(text), GUINT_TO_POINTER(number));
	}
	return number;
}

/* What the file of a mapping is; others in brackets are modules of the kernel. */
static SptObjectKind pprof_object_kind(const char *file)
{
	static const char *const others[] = { "[event]",	 "[heap]", "[stack]",
					      SPT_STACK_CUT_OFF, "[jit]",  "[stack incomplete]",
					      "[unknown]",	 "[vvar]", "[vsyscall]" };

	if (g_str_has_prefix(file, "[kernel"))
		return SPT_OBJECT_KERNEL;
	if (strcmp(file, "[vdso]") == 0)
		return SPT_OBJECT_VDSO;
	if (!*file || g_str_has_prefix(file, "[anon") || g_str_has_prefix(file, "//anon"))
		return SPT_OBJECT_ANON;
	if (*file != '[')
		return SPT_OBJECT_FILE;
	for (unsigned i = 0; i < G_N_ELEMENTS(others); i++)
		if (strcmp(file, others[i]) == 0)
			return SPT_OBJECT_UNKNOWN;
	return SPT_OBJECT_MODULES;
}

static void put_pprof_build_id(SptObjectRow *row, const char *hex)
{
	size_t n = strlen(hex) / 2;

	if (n > sizeof(row->build_id) || strspn(hex, "0123456789abcdefABCDEF") != 2 * n)
		return;
	for (size_t i = 0; i < n; i++)
		row->build_id[i] = (uint8_t)(g_ascii_xdigit_value(hex[2 * i]) << 4 |
					     g_ascii_xdigit_value(hex[2 * i + 1]));
	row->build_id_bytes = (uint8_t)n;
}

/* @mapping NULL: nothing is known of the object. */
static uint32_t pprof_object(struct pprof_reader *reader, const struct pprof_mapping *mapping)
{
	const char *file = mapping ? mapping->file : "[unknown]";
	SptObjectRow row = { .kind = pprof_object_kind(file) };
	g_autofree char *key = NULL;
	bool is_new;

	if (row.kind == SPT_OBJECT_FILE)
		key = g_strdup_printf("%s\n%s", file, mapping->build_id);
	else
		key = row.kind == SPT_OBJECT_UNKNOWN ? g_strdup(file) :
						       g_strdup_printf("%u", row.kind);
	row.id = pprof_number(reader->objects, key, &is_new);
	if (!is_new)
		return row.id;
	if (row.kind == SPT_OBJECT_FILE || row.kind == SPT_OBJECT_UNKNOWN)
		row.path = file;
	if (row.kind == SPT_OBJECT_FILE)
		put_pprof_build_id(&row, mapping->build_id);
	spt_capture_writer_object(reader->writer, &row);
	return row.id;
}

static const char *pprof_line_name(const struct pprof_reader *reader, const struct pprof_line *line,
				   const char **ret_file)
{
	const struct pprof_function *function = spt_pprof_function(&reader->tables, line->function);

	*ret_file = function ? function->file : "";
	return function && *function->name ? function->name : "[unknown]";
}

/* The functions of a place, innermost first; of too many, the last one stays. */
static void put_pprof_names(struct pprof_reader *reader, const struct pprof_location *location,
			    const SptFrame *frame, const char *module)
{
	const struct pprof_line *lines =
		&g_array_index(reader->tables.lines, struct pprof_line, location->first_line);
	const struct pprof_line *last = &lines[location->n_lines - 1];
	unsigned n = MIN(location->n_lines, SPT_MOST_LEVELS);
	const char *file;

	spt_capture_writer_name(reader->writer,
				&(SptNameRow){ .object = frame->object,
					       .offset = frame->offset,
					       .symbol = pprof_line_name(reader, last, &file),
					       .symbol_bytes = 1,
					       .module = module });
	for (unsigned i = 0; i < n; i++) {
		const struct pprof_line *line = i + 1 == n ? last : &lines[i];
		const char *name = pprof_line_name(reader, line, &file);

		spt_capture_writer_bundled(reader->writer,
					   &(SptBundledRow){ .object = frame->object,
							     .offset = frame->offset,
							     .level = n - 1 - i,
							     .function = name,
							     .directory = "",
							     .file = file,
							     .line = line->line });
	}
}

/* The offset of a location in its file, if it is there and no other location has it. */
static uint64_t pprof_offset(struct pprof_reader *reader, const struct pprof_location *location,
			     const struct pprof_mapping *mapping, uint32_t object, uint32_t at)
{
	uint64_t offset = MADE_UP_AT + (uint64_t)at * PLACE_BYTES;
	SptObjectKind kind = pprof_object_kind(mapping ? mapping->file : "[unknown]");
	uint32_t *taken;

	if (kind == SPT_OBJECT_KERNEL || kind == SPT_OBJECT_MODULES)
		return (uint64_t)at * PLACE_BYTES;
	if (mapping && (kind == SPT_OBJECT_FILE || kind == SPT_OBJECT_VDSO) &&
	    location->address >= mapping->start && location->address < mapping->limit)
		offset = location->address - mapping->start + mapping->offset;
	taken = spt_pairs_at(&reader->taken, object, offset);
	if (offset >= MADE_UP_AT || *taken != NOT_KNOWN)
		return location->n_lines || kind != SPT_OBJECT_FILE ?
			       MADE_UP_AT + (uint64_t)at * PLACE_BYTES :
			       SPT_OFFSET_UNKNOWN;
	*taken = at;
	return offset;
}

/* The frame of location @at, with its names when it is used first. */
static const SptFrame *pprof_frame(struct pprof_reader *reader, uint32_t at)
{
	const struct pprof_location *location =
		&g_array_index(reader->tables.locations, struct pprof_location, at);
	const struct pprof_mapping *mapping = spt_pprof_mapping(&reader->tables, location->mapping);
	SptFrame *frame = &reader->frames[at];
	g_autofree char *module = NULL;

	if (frame->object != NOT_KNOWN)
		return frame;
	frame->object = pprof_object(reader, mapping);
	frame->offset = pprof_offset(reader, location, mapping, frame->object, at);
	if (mapping && pprof_object_kind(mapping->file) == SPT_OBJECT_MODULES &&
	    strcmp(mapping->file, ONLY_ONE) != 0)
		module = g_strndup(mapping->file + 1, strcspn(mapping->file + 1, "]"));
	if (location->n_lines > 0)
		put_pprof_names(reader, location, frame, module);
	return frame;
}

/* What Sysprof exports in place of a stack that is not there. */
static bool is_pprof_no_stack(const struct pprof_reader *reader, uint32_t at)
{
	const struct pprof_location *location =
		&g_array_index(reader->tables.locations, struct pprof_location, at);
	const char *file;

	return location->mapping == 0 && location->n_lines == 1 &&
	       strcmp(pprof_line_name(reader,
				      &g_array_index(reader->tables.lines, struct pprof_line,
						     location->first_line),
				      &file),
		      NO_STACK) == 0;
}

/* NULL, or what is wrong. */
static const char *pprof_node(struct pprof_reader *reader, const SptPprofSample *sample,
			      uint32_t *ret)
{
	*ret = 0;
	for (size_t i = sample->n_location_id; i-- > 0;) {
		uint32_t at = spt_pprof_location(&reader->tables, sample->location_id[i]);
		SptFrame frame;

		if (at == UINT32_MAX)
			return SPT_WORDS("has a location that is not there");
		if (sample->n_location_id == 1 && is_pprof_no_stack(reader, at))
			return NULL;
		frame = *pprof_frame(reader, at);
		frame.kind = i == 0 ? SPT_FRAME_EXACT : SPT_FRAME_CALL;
		*ret = spt_stash_child(reader->stash, *ret, &frame);
	}
	return spt_stash_n_nodes(reader->stash) > STACKS_MAX ?
		       SPT_WORDS("is one more stack than can be imported") :
		       NULL;
}

/* What labels say of who it was. */
struct pprof_who {
	const char *process, *thread; /* "": not known */
	uint32_t pid, tid, cpu;
};

static uint32_t pprof_label_number(const struct pprof_reader *reader, const SptPprofLabel *label)
{
	uint64_t number = 0;

	if (!label->str)
		return (uint32_t)CLAMP(label->num, 0, UINT32_MAX);
	g_ascii_string_to_unsigned(spt_pprof_text(&reader->tables, label->str), 10, 0, UINT32_MAX,
				   &number, NULL);
	return (uint32_t)number;
}

static struct pprof_who pprof_who(const struct pprof_reader *reader, const SptPprofSample *sample)
{
	struct pprof_who who = { .process = "", .thread = "" };

	for (size_t i = 0; i < sample->n_label; i++) {
		const SptPprofLabel *label = sample->label[i];
		const char *key = spt_pprof_text(&reader->tables, label->key),
			   *text = spt_pprof_text(&reader->tables, label->str);

		if (strcmp(key, "process") == 0 || strcmp(key, "process_name") == 0)
			who.process = text;
		else if (strcmp(key, "thread") == 0 || strcmp(key, "thread_name") == 0 ||
			 strcmp(key, "comm") == 0)
			who.thread = text;
		else if (strcmp(key, "pid") == 0)
			who.pid = pprof_label_number(reader, label);
		else if (strcmp(key, "tid") == 0)
			who.tid = pprof_label_number(reader, label);
		else if (strcmp(key, "cpu") == 0)
			who.cpu = pprof_label_number(reader, label);
	}
	return who;
}

static uint32_t pprof_thread(struct pprof_reader *reader, const struct pprof_who *who)
{
	const char *name = *who->process ? who->process : reader->program;
	g_autofree char *process_key = g_strdup_printf("%u %s", who->pid, name);
	g_autofree char *thread_key =
		g_strdup_printf("%s\n%u %s", process_key, who->tid, who->thread);
	bool is_new_thread, is_new_process;
	uint32_t thread = pprof_number(reader->threads, thread_key, &is_new_thread), process;

	if (!is_new_thread)
		return thread;
	process = pprof_number(reader->processes, process_key, &is_new_process);
	if (is_new_process)
		spt_capture_writer_process(reader->writer,
					   &(SptProcessRow){ .id = process,
							     .pid = who->pid ? who->pid : process,
							     .name = name });
	spt_capture_writer_thread(reader->writer,
				  &(SptThreadRow){ .id = thread,
						   .process = process,
						   .tid = who->tid ? who->tid : who->pid,
						   .name = who->thread });
	return thread;
}

/* The weight of a value in periods; what is no whole period comes with the next one. */
static uint64_t pprof_weight(struct pprof_reader *reader, uint64_t value)
{
	uint64_t all;

	if (reader->what != TIME)
		return value;
	all = value * reader->scale + reader->carried;
	reader->carried = all % reader->period_ns;
	return all / reader->period_ns;
}

/* A sample has 32 bits of weight. */
static void put_pprof_periods(struct pprof_reader *reader, uint32_t thread, uint32_t cpu,
			      uint32_t node, uint64_t weight)
{
	while (weight > 0) {
		uint32_t part = (uint32_t)MIN(weight, UINT32_MAX);

		spt_capture_writer_sample(reader->writer,
					  &(SptSampleRow){ .time = ++reader->n_samples *
								   reader->step_ns,
							   .cpu = cpu,
							   .thread = thread,
							   .node = node,
							   .weight = part });
		weight -= part;
	}
}

static void put_pprof_memory(struct pprof_reader *reader, uint32_t thread, uint32_t node,
			     uint64_t bytes)
{
	const SptAllocationRow row = {
		.time = ++reader->n_samples * reader->step_ns,
		.bytes = bytes,
		.weight = bytes,
		.handle = reader->n_samples,
		.thread = thread,
		.node = node,
		.flags = SPT_ALLOCATION_OPEN,
	};

	if (bytes > 0)
		spt_capture_writer_put(reader->writer, SPT_ROW_ALLOCATION, &row);
}

/* A SptPprofTake. */
static const char *take_pprof_sample(const SptPprofSample *sample, void *data)
{
	struct pprof_reader *reader = data;
	uint64_t value = (uint64_t)sample->value[reader->tables.shown], weight;
	struct pprof_who who = pprof_who(reader, sample);
	uint32_t thread = pprof_thread(reader, &who), node;
	const char *wrong = pprof_node(reader, sample, &node);

	if (wrong)
		return wrong;
	if (value > SUM_MAX / reader->scale || reader->sum + value * reader->scale > SUM_MAX)
		return SPT_WORDS("has a value that is too large");
	reader->sum += value * reader->scale;
	weight = pprof_weight(reader, value);
	if (reader->what != MEMORY && weight > WEIGHT_MAX)
		return SPT_WORDS("has a value that is too large");
	if (g_hash_table_size(reader->threads) > THREADS_MAX)
		return SPT_WORDS("is of one more thread than can be imported");
	if (reader->what == MEMORY)
		put_pprof_memory(reader, thread, node, weight);
	else
		put_pprof_periods(reader, thread, who.cpu, node, weight);
	if (reader->n_samples - reader->n_written < FLUSH_SAMPLES)
		return NULL;
	reader->n_written = reader->n_samples;
	return spt_capture_writer_flush(reader->writer, reader->stash, NULL) ?
		       NULL :
		       SPT_WORDS("could not be written");
}

/* The longest period of which all values are multiples: the declared one, if it is one. */
static uint64_t find_pprof_period(const struct pprof_reader *reader)
{
	const struct pprof_tables *tables = &reader->tables;
	uint64_t unit = spt_import_time_unit(tables->period_type.unit),
		 divisor = tables->divisors[tables->shown] * reader->scale;
	uint64_t declared = unit && tables->period < UINT64_MAX / unit ? tables->period * unit : 0;

	if (declared >= NS_PER_US && divisor % declared == 0)
		return declared;
	return MAX(divisor, NS_PER_US);
}

static void put_pprof_fact(struct pprof_reader *reader, const char *key, uint64_t number)
{
	g_autofree char *text = g_strdup_printf("%" PRIu64, number);

	if (number)
		spt_capture_writer_host(reader->writer, key, text);
}

static void begin_pprof(struct pprof_reader *reader)
{
	const struct pprof_tables *tables = &reader->tables;
	const struct pprof_type *type = &tables->types[tables->shown];
	const char *file = tables->mappings->len ?
				   g_array_index(tables->mappings, struct pprof_mapping, 0).file :
				   "";
	const char *slash = strrchr(file, '/');

	reader->program = !*file ? "[unknown]" : slash ? slash + 1 : file;
	reader->scale = spt_import_time_unit(type->unit);
	reader->what = reader->scale ? TIME : strcmp(type->unit, "bytes") == 0 ? MEMORY : NUMBER;
	reader->scale = MAX(reader->scale, 1);
	if (reader->what == TIME) {
		reader->period_ns = find_pprof_period(reader);
		put_pprof_fact(reader, "period_ns", reader->period_ns);
	}
	put_pprof_fact(reader, "start_realtime_ns", tables->time_ns);
	reader->step_ns =
		MAX(tables->duration_ns / MAX(tables->n_samples, 1), SPT_CAPTURE_TIME_UNIT_NS);
	reader->frames = g_new(SptFrame, MAX(tables->locations->len, 1));
	for (guint i = 0; i < tables->locations->len; i++)
		reader->frames[i].object = NOT_KNOWN;
}

static bool import_pprof_profile(const GByteArray *profile, SptCaptureWriter *writer,
				 GError **error)
{
	struct pprof_reader reader = { .writer = writer };
	bool ok;

	if (!spt_pprof_tables_init(&reader.tables, profile->data, profile->len, error))
		return false;
	reader.stash = spt_stash_new();
	reader.objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	reader.processes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	reader.threads = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	begin_pprof(&reader);
	ok = spt_pprof_each_sample(&reader.tables, take_pprof_sample, &reader, error);
	ok = ok && spt_capture_writer_finish(writer, reader.stash,
					     reader.n_samples * reader.step_ns, error);
	spt_stash_free(reader.stash);
	g_hash_table_unref(reader.objects);
	g_hash_table_unref(reader.processes);
	g_hash_table_unref(reader.threads);
	spt_pairs_clear(&reader.taken);
	g_free(reader.frames);
	spt_pprof_tables_clear(&reader.tables);
	return ok;
}

static bool read_pprof(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	g_autoptr(GByteArray) profile = spt_import_unpack(input->fd, PROFILE_MAX_BYTES, error);

	return profile && import_pprof_profile(profile, writer, error);
}

#else

static bool read_pprof(G_GNUC_UNUSED const SptImportInput *input,
		       G_GNUC_UNUSED SptCaptureWriter *writer, GError **error)
{
	spt_set_error(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED,
		      "this program was built without protobuf-c, which reads profiles of pprof");
	return false;
}

#endif

const SptImporter spt_import_pprof = {
	.name = "pprof",
	.probe = spt_import_pprof_is,
	.read = read_pprof,
	.unpacks = true,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names the frames of a capture: by bundled and recorded names, else by the object's file, if the
 * file at its path is still the same.
 */
#include "symbols/symbols.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intervals.h"
#include "base/pairs.h"
#include "base/words.h"
#include "capture/format.h"
#include "symbols/bundled.h"
#include "symbols/demangle.h"
#include "symbols/files.h"
#include "symbols/kernel.h"
#include "symbols/plain-names.h"

#define DELETED " (deleted)"
/* No view shows more, and a hostile name could have megabytes. */
#define NAME_MAX_BYTES 4096
#define HEX_DIGITS 16

/* A name that the capture carries. */
struct recorded {
	const SptNameRow *row;
	SptRange range;			/* the range in which it is valid */
	/* interned; NULL until it is requested, and if there is none */
	const char *function, *module;
	bool is_ready;
};

struct object {
	const char *label;		/* interned base name */
	bool shares_label;		/* with another object */
	struct recorded *recorded;	/* of this object, by place */
	uint32_t n_recorded;
	SptIntervals *intervals; /* from recorded names; NULL until the first request */
};

struct SptSymbols {
	const SptCapture *capture;
	SptFiles *files;
	SptBundled *bundled;		/* NULL: none is */
	char **debug_dirs, *vmlinux;	/* as they were given */
	SptKernel *kernel;		/* once a detail of it is requested */
	unsigned detail;
	GHashTable *strings;		/* text -> itself */
	/* A file's name of a function, by its address -> demangled */
	GHashTable *plain;
	GStringChunk *texts;		/* holds them */
	/* (label, offset) -> text for an address without a symbol, in place_names */
	struct spt_pairs places;
	GPtrArray *place_names;
	struct recorded *recorded;
	struct object *objects;		/* by id */
	uint32_t n_objects;
};

const char *spt_source_name(SptSource source)
{
	static const char *const names[] = {
		[SPT_SOURCE_NONE] = "none",
		[SPT_SOURCE_BUNDLE] = "symbols bundled in the capture",
		[SPT_SOURCE_CAPTURE] = "recording",
		[SPT_SOURCE_SYMTAB] = "symbol table",
		[SPT_SOURCE_DEBUG_FILE] = "debug file",
		[SPT_SOURCE_MINI] = "MiniDebugInfo",
		[SPT_SOURCE_DEBUG_INFO] = "debug information",
		[SPT_SOURCE_DYNAMIC] = "exported symbols",
		[SPT_SOURCE_PLT] = "stubs",
	};

	return names[source];
}

static SptRange range_of(const SptNameRow *row)
{
	if (row->distance < row->symbol_bytes && row->distance <= row->offset)
		return (SptRange){ row->offset - row->distance, row->symbol_bytes };
	return (SptRange){ row->offset, 1 };
}

/* As intervals.h needs ranges; of two rows for the same address the later one counts. */
static int compare_recorded(const void *a, const void *b)
{
	const struct recorded *x = a, *y = b;

	if (x->row->object != y->row->object)
		return x->row->object < y->row->object ? -1 : 1;
	if (x->range.start != y->range.start)
		return x->range.start < y->range.start ? -1 : 1;
	if (x->range.bytes != y->range.bytes)
		return x->range.bytes > y->range.bytes ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static void symbols_sort_names(SptSymbols *symbols)
{
	const SptCapture *capture = symbols->capture;
	struct recorded *recorded = symbols->recorded =
		g_new0(struct recorded, MAX(capture->n_names, 1));

	for (uint64_t i = 0; i < capture->n_names; i++) {
		recorded[i].row = &capture->names[i];
		recorded[i].range = range_of(&capture->names[i]);
	}
	qsort(recorded, capture->n_names, sizeof(*recorded), compare_recorded);
	for (uint64_t i = 0; i < capture->n_names; i++) {
		struct object *object = &symbols->objects[recorded[i].row->object];

		if (object->n_recorded++ == 0)
			object->recorded = &recorded[i];
	}
}

void spt_symbols_free(SptSymbols *symbols)
{
	if (!symbols)
		return;
	for (uint32_t i = 0; i < symbols->n_objects; i++)
		g_clear_pointer(&symbols->objects[i].intervals, spt_intervals_free);
	g_free(symbols->objects);
	g_free(symbols->recorded);
	g_hash_table_unref(symbols->strings);
	g_hash_table_unref(symbols->plain);
	g_string_chunk_free(symbols->texts);
	spt_pairs_clear(&symbols->places);
	g_ptr_array_unref(symbols->place_names);
	spt_kernel_free(symbols->kernel);
	g_free(symbols->vmlinux);
	spt_files_free(symbols->files);
	spt_bundled_free(symbols->bundled);
	g_strfreev(symbols->debug_dirs);
	g_free(symbols);
}

const char *spt_symbols_intern(SptSymbols *symbols, const char *text)
{
	const char *known = g_hash_table_lookup(symbols->strings, text);
	size_t bytes;
	char *copy;

	if (known)
		return known;
	bytes = strnlen(text, NAME_MAX_BYTES);
	copy = g_string_chunk_insert_len(symbols->texts, text, (gssize)bytes);
	/* A name that was cut may be equal to another one. */
	known = bytes == NAME_MAX_BYTES ? g_hash_table_lookup(symbols->strings, copy) : NULL;
	if (!known) {
		g_hash_table_add(symbols->strings, copy);
		known = copy;
	}
	return known;
}

static const char *intern_demangled(SptSymbols *symbols, const char *name)
{
	g_autofree char *full = spt_demangle(name);
	g_autofree char *plain = symbols->detail & SPT_DETAIL_FULL_NAMES ? g_strdup(full) :
									   spt_plain_name(full);
	g_autofree char *brief =
		symbols->detail & SPT_DETAIL_SHORT_TEMPLATES ? spt_shorten_templates(plain) : NULL;

	return spt_symbols_intern(symbols, brief ? brief : plain);
}

static const SptObjectRow *symbols_row_of(const SptSymbols *symbols, uint32_t id)
{
	return id != 0 && id < symbols->capture->n_objects &&
			       symbols->capture->objects[id].id == id ?
		       &symbols->capture->objects[id] :
		       NULL;
}

/* The object's name in views. */
static const char *make_label(SptSymbols *symbols, const SptObjectRow *row)
{
	const char *path = row->path ? row->path : "";
	const char *slash = strrchr(path, '/');
	g_autofree char *base = NULL;

	switch (row->kind) {
	case SPT_OBJECT_KERNEL:
		return spt_symbols_intern(symbols, "[kernel]");
	case SPT_OBJECT_MODULES:
		return spt_symbols_intern(symbols, "[modules]");
	case SPT_OBJECT_ANON:
		return spt_symbols_intern(symbols, "[anon]");
	case SPT_OBJECT_VDSO:
		return spt_symbols_intern(symbols, "[vdso]");
	default:
		break;
	}
	base = g_strdup(slash ? slash + 1 : path);
	if (g_str_has_suffix(base, DELETED))
		base[strlen(base) - strlen(DELETED)] = '\0';
	return spt_symbols_intern(symbols, *base ? base : "[unknown]");
}

static void label_objects(SptSymbols *symbols)
{
	g_autoptr(GHashTable) first = g_hash_table_new(NULL, NULL);

	for (uint32_t i = 1; i < symbols->capture->n_objects; i++) {
		struct object *object = &symbols->objects[i], *other;
		const SptObjectRow *row = symbols_row_of(symbols, i);

		if (!row)
			continue;
		object->label = make_label(symbols, row);
		other = g_hash_table_lookup(first, object->label);
		if (other)
			other->shares_label = object->shares_label = true;
		else
			g_hash_table_insert(first, (gpointer)object->label, object);
	}
}

SptSymbols *spt_symbols_new(const SptCapture *capture, const char *const *debug_dirs)
{
	SptSymbols *symbols = g_new0(SptSymbols, 1);

	symbols->capture = capture;
	symbols->files = spt_files_new(capture, debug_dirs);
	symbols->bundled = spt_bundled_new(capture);
	symbols->debug_dirs = g_strdupv((char **)debug_dirs);
	symbols->detail = SPT_DETAIL_INLINES;
	symbols->strings = g_hash_table_new(g_str_hash, g_str_equal);
	symbols->plain = g_hash_table_new(NULL, NULL);
	symbols->texts = g_string_chunk_new(1 << 16);
	symbols->place_names = g_ptr_array_new();
	spt_symbols_follow(symbols);
	return symbols;
}

void spt_symbols_follow(SptSymbols *symbols)
{
	/* Names may be of object 0, which means none. */
	uint32_t n = MAX(symbols->capture->n_objects, 1);

	symbols->objects = g_renew(struct object, symbols->objects, n);
	memset(symbols->objects + symbols->n_objects, 0,
	       (n - symbols->n_objects) * sizeof(*symbols->objects));
	symbols->n_objects = n;
	for (uint32_t i = 0; i < n; i++) {
		symbols->objects[i].n_recorded = 0;
		g_clear_pointer(&symbols->objects[i].intervals, spt_intervals_free);
	}
	g_free(symbols->recorded);
	symbols_sort_names(symbols);
	label_objects(symbols);
}

/* The strings of files stay at their addresses, and many places share them. */
static const char *plain_name(SptSymbols *symbols, const char *name)
{
	const char *plain = g_hash_table_lookup(symbols->plain, name);

	if (!plain) {
		plain = intern_demangled(symbols, name);
		g_hash_table_insert(symbols->plain, (gpointer)name, (gpointer)plain);
	}
	return plain;
}

/* The symbol, or function without a name, that its file has for an address. */
static bool find_in_file(SptSymbols *symbols, const SptObjectRow *row, uint64_t offset,
			 SptReadDepth depth, SptSymbol *ret)
{
	const SptPlaceTable *table;
	uint32_t at;

	if (row->kind != SPT_OBJECT_FILE || symbols->detail & SPT_DETAIL_NO_FILES)
		return false;
	table = spt_files_find(symbols->files, row->id, offset, depth, &at);
	return table && spt_place_table_symbol(table, at, ret);
}

static bool find_bundled(const SptSymbols *symbols, const SptObjectRow *row, uint64_t offset,
			 SptSymbol *ret)
{
	const SptBundledRow *rows = spt_bundled_find(symbols->bundled, row->id, offset);
	const SptBundledRow *function = rows ? spt_bundled_function(rows) : NULL;

	if (!function || (!function->is_symbol && (function->distance >= function->symbol_bytes ||
						   function->distance > offset)))
		return false;
	*ret = (SptSymbol){ .name = function->is_symbol ? function->function : NULL,
			    .distance = function->distance,
			    .bytes = function->symbol_bytes,
			    .source = function->is_symbol ? SPT_SOURCE_BUNDLE : SPT_SOURCE_NONE };
	return true;
}

/* The capture's facts about an address; NULL: there are none. */
static const struct recorded *find_recorded(SptSymbols *symbols, struct object *object,
					    uint64_t offset)
{
	struct recorded *recorded;
	uint32_t index;

	if (object->n_recorded == 0)
		return NULL;
	if (!object->intervals) {
		g_autofree SptRange *ranges = g_new(SptRange, object->n_recorded);

		for (uint32_t i = 0; i < object->n_recorded; i++)
			ranges[i] = object->recorded[i].range;
		object->intervals = spt_intervals_new(ranges, object->n_recorded);
	}
	index = spt_intervals_find(object->intervals, offset);
	if (index == UINT32_MAX)
		return NULL;
	recorded = &object->recorded[index];
	if (!recorded->is_ready) {
		const SptNameRow *row = recorded->row;
		g_autofree char *label =
			row->module && *row->module ? g_strdup_printf("[%s]", row->module) : NULL;

		recorded->module = label ? spt_symbols_intern(symbols, label) : NULL;
		recorded->function =
			row->symbol && *row->symbol ? intern_demangled(symbols, row->symbol) : NULL;
		recorded->is_ready = true;
	}
	return recorded;
}

/* "label+0xoffset".  There can be a hundred thousand, and most of them are never shown. */
static const char *make_place_name(SptSymbols *symbols, const char *label, uint64_t offset)
{
	char text[NAME_MAX_BYTES + 3 + HEX_DIGITS], *to = text;
	unsigned n = HEX_DIGITS;

	to = mempcpy(mempcpy(to, label, strlen(label)), "+0x", 3);
	while (n > 1 && offset >> 4 * (n - 1) == 0)
		n--;
	while (n-- > 0)
		*to++ = "0123456789abcdef"[offset >> 4 * n & 0xf];
	return g_string_chunk_insert_len(symbols->texts, text, to - text);
}

static const char *name_shared_place(SptSymbols *symbols, const char *label, uint64_t offset)
{
	uint32_t *place = spt_pairs_at(&symbols->places, (uintptr_t)label, offset);

	if (*place == UINT32_MAX) {
		*place = symbols->place_names->len;
		g_ptr_array_add(symbols->place_names,
				(gpointer)make_place_name(symbols, label, offset));
	}
	return symbols->place_names->pdata[*place];
}

/* @symbol: the function around it; its bytes are 0 if that is not known either. */
static void name_without_symbol(SptSymbols *symbols, const SptObjectRow *row, uint64_t offset,
				const SptSymbol *symbol, SptName *name)
{
	switch (row->kind) {
	case SPT_OBJECT_KERNEL:
	case SPT_OBJECT_MODULES:
		name->function = spt_symbols_intern(symbols, "[unknown kernel]");
		break;
	case SPT_OBJECT_ANON:
		name->function = spt_symbols_intern(symbols, "[anon]");
		break;
	case SPT_OBJECT_UNKNOWN:
		name->function = spt_symbols_intern(symbols, "[unresolved]");
		break;
	default:
		name->is_unique = !symbols->objects[row->id].shares_label && !symbol->bytes;
		name->function =
			name->is_unique ?
				make_place_name(symbols, name->object, offset) :
				name_shared_place(symbols, name->object, offset - symbol->distance);
	}
}

/* The facts about an address's symbol, the best first; false: there are none. */
static bool find_symbol(SptSymbols *symbols, const SptObjectRow *row,
			const struct recorded *recorded, uint64_t offset, SptReadDepth depth,
			SptSymbol *ret)
{
	if (find_bundled(symbols, row, offset, ret))
		return true;
	if ((!recorded || !recorded->function) && find_in_file(symbols, row, offset, depth, ret))
		return true;
	if (!recorded || (!recorded->function && recorded->range.bytes == 1))
		return false;
	*ret = (SptSymbol){ .name = recorded->function,
			    .distance = offset - recorded->range.start,
			    .bytes = recorded->range.bytes,
			    .source = recorded->function ? SPT_SOURCE_CAPTURE : SPT_SOURCE_NONE };
	return true;
}

SptName spt_symbols_name(SptSymbols *symbols, const SptFrame *frame)
{
	const SptObjectRow *row = symbols_row_of(symbols, frame->object);
	const struct recorded *recorded;
	struct object *object;
	SptName name = { 0 };
	SptSymbol symbol = { 0 };

	if (!row) {
		name.function = spt_symbols_intern(symbols, "[unresolved]");
		name.object = spt_symbols_intern(symbols, "[unknown]");
		return name;
	}
	object = &symbols->objects[row->id];
	/* Of the kernel it is the place right before the symbol from which offsets count. */
	if (frame->offset == SPT_OFFSET_UNKNOWN && row->kind != SPT_OBJECT_KERNEL &&
	    row->kind != SPT_OBJECT_MODULES) {
		name.function = name.object = object->label;
		return name;
	}
	recorded = find_recorded(symbols, object, frame->offset);
	name.object = recorded && recorded->module ? recorded->module : object->label;
	if (!find_symbol(symbols, row, recorded, frame->offset, SPT_READ_SYMBOLS, &symbol))
		symbol = (SptSymbol){ 0 };
	name.source = symbol.source;
	name.has_symbol = symbol.name != NULL;
	if (!symbol.name)
		name_without_symbol(symbols, row, frame->offset, &symbol, &name);
	else if (symbol.source == SPT_SOURCE_CAPTURE)
		name.function = symbol.name;
	else
		name.function = plain_name(symbols, symbol.name);
	return name;
}

const char *spt_symbols_place(SptSymbols *symbols, const SptFrame *frame)
{
	const SptObjectRow *row = symbols_row_of(symbols, frame->object);

	return name_shared_place(symbols, row ? symbols->objects[row->id].label : "[unknown]",
				 frame->offset);
}

void spt_symbols_set_servers(SptSymbols *symbols, const char *servers)
{
	spt_files_set_servers(symbols->files, servers);
}

void spt_symbols_set_download(SptSymbols *symbols, SptDownloadProgress progress, void *data)
{
	spt_files_set_download(symbols->files, progress, data);
}

void spt_symbols_set_opener(SptSymbols *symbols, SptObjectOpener opener, void *data)
{
	spt_files_set_opener(symbols->files, opener, data);
}

void spt_symbols_set_detail(SptSymbols *symbols, unsigned detail)
{
	symbols->detail = detail;
}

static void add_line_to_name(SptSymbols *symbols, SptNamedPlace *place)
{
	g_autofree char *base = place->file ? g_path_get_basename(place->file) : NULL;
	g_autofree char *text = base ? g_strdup_printf("%s (%s:%" PRIu32 ")", place->name.function,
						       base, place->line) :
				       NULL;

	if (!text)
		return;
	place->name.function = spt_symbols_intern(symbols, text);
	place->name.is_unique = false;
}

static bool symbols_is_kernel(const SptObjectRow *row)
{
	return row->kind == SPT_OBJECT_KERNEL || row->kind == SPT_OBJECT_MODULES;
}

static int symbols_compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A SptKernelLister. */
static GArray *list_kernel_places(const char *module, void *data)
{
	SptSymbols *symbols = data;
	GArray *offsets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	unsigned n = 0;

	for (uint32_t i = 1; i < symbols->capture->n_nodes; i++) {
		const SptFrame *frame = &symbols->capture->nodes[i].frame;
		const SptObjectRow *row = symbols_row_of(symbols, frame->object);
		const struct recorded *recorded =
			row && symbols_is_kernel(row) ?
				find_recorded(symbols, &symbols->objects[row->id], frame->offset) :
				NULL;

		if (recorded &&
		    strcmp(recorded->row->module ? recorded->row->module : "", module) == 0)
			g_array_append_val(offsets, frame->offset);
	}
	if (offsets->len > 0)
		qsort(offsets->data, offsets->len, sizeof(uint64_t), symbols_compare_offsets);
	for (unsigned i = 0; i < offsets->len; i++)
		if (n == 0 ||
		    g_array_index(offsets, uint64_t, i) != g_array_index(offsets, uint64_t, n - 1))
			g_array_index(offsets, uint64_t, n++) = g_array_index(offsets, uint64_t, i);
	g_array_set_size(offsets, n);
	return offsets;
}

static SptKernel *get_kernel(SptSymbols *symbols)
{
	if (!symbols->kernel)
		symbols->kernel =
			spt_kernel_new(symbols->capture, (const char *const *)symbols->debug_dirs,
				       symbols->vmlinux, list_kernel_places, symbols);
	return symbols->kernel;
}

static unsigned find_kernel_places(SptSymbols *symbols, const SptFrame *frame,
				   SptPlace ret[SPT_INLINES_MAX], const char **ret_problem)
{
	const struct recorded *recorded =
		find_recorded(symbols, &symbols->objects[frame->object], frame->offset);

	*ret_problem = SPT_WORDS("has no name for this address");
	return recorded && recorded->function ?
		       spt_kernel_places(get_kernel(symbols), recorded->row, frame->offset, ret,
					 ret_problem) :
		       0;
}

/*
 * The instructions of a kernel frame and its address there; NULL, with the reason in @ret_problem.
 */
static SptKernelCode *find_kernel_code(SptSymbols *symbols, const SptFrame *frame,
				       uint64_t *ret_address, const char **ret_problem)
{
	const struct recorded *recorded =
		find_recorded(symbols, &symbols->objects[frame->object], frame->offset);
	SptKernelCode *code = NULL;

	*ret_problem = SPT_WORDS("has no name for this address");
	if (recorded && recorded->function)
		code = spt_kernel_get(get_kernel(symbols), recorded->row, ret_problem);
	if (!code || spt_kernel_code_address(code, recorded->row, frame->offset, ret_address))
		return code;
	*ret_problem = SPT_WORDS("has no function of this name");
	return NULL;
}

static unsigned symbols_find_places(SptSymbols *symbols, const SptObjectRow *row,
				    const SptFrame *frame, SptReadDepth depth,
				    SptPlace ret[SPT_INLINES_MAX])
{
	const SptBundledRow *bundled = spt_bundled_find(symbols->bundled, row->id, frame->offset);
	unsigned n = bundled ? spt_bundled_places(bundled, ret) : 0;
	const SptPlaceTable *table;
	const char *problem;
	uint32_t at;

	if (n > 0 || (bundled && bundled->is_all))
		return n;
	if (symbols_is_kernel(row))
		return find_kernel_places(symbols, frame, ret, &problem);
	if (row->kind == SPT_OBJECT_SOURCE)
		*ret = (SptPlace){ .file = row->path,
				   .line = frame->offset & SPT_SOURCE_LINE_MASK };
	if (row->kind != SPT_OBJECT_FILE)
		return row->kind == SPT_OBJECT_SOURCE && ret->line;
	table = spt_files_find(symbols->files, row->id, frame->offset, depth, &at);
	return table ? spt_place_table_places(table, at, ret) : 0;
}

static unsigned name_places(SptSymbols *symbols, const SptFrame *frame, SptReadDepth depth,
			    SptNamedPlace ret[SPT_INLINES_MAX])
{
	const SptObjectRow *row = symbols_row_of(symbols, frame->object);
	SptPlace places[SPT_INLINES_MAX];
	unsigned n = row && symbols->detail ?
			     symbols_find_places(symbols, row, frame, depth, places) :
			     0,
		 first = 0;
	SptName name = spt_symbols_name(symbols, frame);

	if (n == 0)
		places[n++] = (SptPlace){ 0 };
	/* Without a symbol table, debug information has the name, too. */
	if (!name.has_symbol && places[n - 1].function)
		name = (SptName){ .function = plain_name(symbols, places[n - 1].function),
				  .object = name.object,
				  .source = SPT_SOURCE_DEBUG_INFO,
				  .has_symbol = true };
	if (!(symbols->detail & SPT_DETAIL_INLINES))
		first = n - 1;
	for (unsigned i = first; i < n; i++) {
		SptNamedPlace *place = &ret[i - first];

		*place = (SptNamedPlace){ .name = name,
					  .file = places[i].file,
					  .directory = places[i].directory,
					  .line = places[i].line };
		if (i + 1 < n) {
			place->name.source = SPT_SOURCE_DEBUG_INFO;
			place->name.has_symbol = true;
			place->name.is_unique = false;
			place->name.function = places[i].function ?
						       plain_name(symbols, places[i].function) :
						       spt_symbols_intern(symbols, "[inlined]");
		}
		if (symbols->detail & SPT_DETAIL_LINES)
			add_line_to_name(symbols, place);
	}
	return n - first;
}

unsigned spt_symbols_places(SptSymbols *symbols, const SptFrame *frame,
			    SptNamedPlace ret[SPT_INLINES_MAX])
{
	return name_places(symbols, frame, SPT_READ_LINES, ret);
}

unsigned spt_symbols_functions(SptSymbols *symbols, const SptFrame *frame,
			       SptNamedPlace ret[SPT_INLINES_MAX])
{
	return name_places(symbols, frame,
			   symbols->detail & SPT_DETAIL_LINES ? SPT_READ_LINES : SPT_READ_FUNCTIONS,
			   ret);
}

unsigned spt_symbols_raw(SptSymbols *symbols, const SptFrame *frame, SptPlace ret[SPT_INLINES_MAX],
			 SptSymbol *ret_symbol)
{
	const SptObjectRow *row = symbols_row_of(symbols, frame->object);
	SptReadDepth depth = symbols->detail ? SPT_READ_LINES : SPT_READ_SYMBOLS;
	const struct recorded *recorded;

	*ret_symbol = (SptSymbol){ 0 };
	if (!row)
		return 0;
	recorded = find_recorded(symbols, &symbols->objects[row->id], frame->offset);
	if (!find_symbol(symbols, row, recorded, frame->offset, depth, ret_symbol) ||
	    ret_symbol->source == SPT_SOURCE_CAPTURE)
		*ret_symbol = (SptSymbol){ 0 };
	return symbols->detail ? symbols_find_places(symbols, row, frame, depth, ret) : 0;
}

const char *spt_symbols_failure(SptSymbols *symbols, uint32_t id)
{
	const SptObjectRow *row = symbols_row_of(symbols, id);

	if (row && symbols_is_kernel(row))
		return symbols->kernel ? spt_kernel_failure(symbols->kernel,
							    row->kind == SPT_OBJECT_MODULES) :
					 NULL;
	return row ? spt_files_failure(symbols->files, id) : NULL;
}

bool spt_symbols_extent(SptSymbols *symbols, const SptFrame *frame, uint64_t *ret_start,
			uint64_t *ret_bytes)
{
	const SptObjectRow *row = symbols_row_of(symbols, frame->object);
	const struct recorded *recorded =
		row ? find_recorded(symbols, &symbols->objects[row->id], frame->offset) : NULL;
	SptSymbol symbol;

	if (!row ||
	    !find_symbol(symbols, row, recorded, frame->offset, SPT_READ_SYMBOLS, &symbol))
		return false;
	*ret_start = frame->offset - symbol.distance;
	*ret_bytes = symbol.bytes;
	return true;
}

void spt_symbols_prepare(SptSymbols *symbols, uint32_t object, const uint64_t *offsets, uint32_t n)
{
	const SptObjectRow *row = symbols_row_of(symbols, object);
	const struct recorded *recorded = NULL;

	/* A recorded name shows which module it is; without one no file is read. */
	for (uint32_t i = 0; i < n && !recorded && row && symbols_is_kernel(row); i++)
		recorded = find_recorded(symbols, &symbols->objects[object], offsets[i]);
	if (row && row->kind == SPT_OBJECT_FILE)
		spt_files_prepare(symbols->files, object, offsets, n);
	else if (recorded && recorded->function)
		spt_kernel_prepare(get_kernel(symbols), recorded->row, offsets, n);
}

static SptCode *read_kernel(SptSymbols *symbols, const SptFrame *frame, uint64_t bytes,
			    char **ret_problem)
{
	const char *problem;
	uint64_t address;
	SptKernelCode *kernel = find_kernel_code(symbols, frame, &address, &problem);
	SptCode *code = kernel ? spt_kernel_code_read(kernel, address, bytes) : NULL;

	if (!code)
		*ret_problem = g_strdup(kernel ? SPT_WORDS("has no code there") : problem);
	return code;
}

static SptCode *symbols_read_file(const SptObject *image, uint64_t offset, uint64_t bytes,
				  char **ret_problem)
{
	g_autoptr(SptCode) code = NULL;
	GElf_Ehdr header;
	uint64_t address;
	ssize_t n;

	if (!gelf_getehdr(spt_object_elf(image), &header) ||
	    !spt_object_offset_to_address(image, offset, &address)) {
		*ret_problem = g_strdup(SPT_WORDS("has no code there that could be read"));
		return NULL;
	}
	code = spt_code_new(address, header.e_machine,
			    header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32);
	g_byte_array_set_size(code->bytes, (unsigned)bytes);
	n = pread(spt_object_fd(image), code->bytes->data, bytes, (off_t)offset);
	if (n <= 0) {
		*ret_problem =
			g_strdup(n < 0 ? g_strerror(errno) : SPT_WORDS("ends before this code"));
		return NULL;
	}
	g_byte_array_set_size(code->bytes, (unsigned)n);
	return g_steal_pointer(&code);
}

SptCode *spt_symbols_code(SptSymbols *symbols, const SptFrame *frame, uint64_t bytes,
			  char **ret_problem)
{
	const SptObjectRow *row = symbols_row_of(symbols, frame->object);
	g_autoptr(SptObject) image = NULL;

	if (bytes > SPT_CODE_MAX_BYTES) {
		*ret_problem = g_strdup(SPT_WORDS("has no code there that could be read"));
		return NULL;
	}
	if (row && symbols_is_kernel(row))
		return read_kernel(symbols, frame, bytes, ret_problem);
	if (!row || row->kind != SPT_OBJECT_FILE) {
		*ret_problem = g_strdup(SPT_WORDS("is no file"));
		return NULL;
	}
	image = spt_files_open(symbols->files, row->id, ret_problem);
	return image ? symbols_read_file(image, frame->offset, bytes, ret_problem) : NULL;
}

char *spt_symbols_kernel_target(SptSymbols *symbols, const SptFrame *frame, uint64_t address)
{
	const SptObjectRow *row = symbols_row_of(symbols, frame->object);
	const char *problem;
	uint64_t own;
	SptKernelCode *kernel = row && symbols_is_kernel(row) ?
					find_kernel_code(symbols, frame, &own, &problem) :
					NULL;

	return kernel ? spt_kernel_code_name(kernel, address) : NULL;
}

void spt_symbols_set_vmlinux(SptSymbols *symbols, const char *path)
{
	symbols->vmlinux = g_strdup(path);
}

const char *spt_symbols_vmlinux_problem(SptSymbols *symbols)
{
	const char *problem = SPT_WORDS("is of no use: the recording has no kernel functions");
	SptPlace places[SPT_INLINES_MAX];

	for (uint64_t i = 0; i < symbols->capture->n_names; i++) {
		const SptNameRow *name = &symbols->capture->names[i];
		const SptObjectRow *row = symbols_row_of(symbols, name->object);
		SptFrame frame = { .object = name->object, .offset = name->offset };

		if (row && row->kind == SPT_OBJECT_KERNEL)
			return find_kernel_places(symbols, &frame, places, &problem) > 0 ? NULL :
											   problem;
	}
	return problem;
}

const char *spt_symbols_problem(SptSymbols *symbols, uint32_t id)
{
	const SptObjectRow *row = symbols_row_of(symbols, id);

	/* There is nothing besides the bundled facts. */
	return row && row->kind == SPT_OBJECT_FILE && !spt_bundled_has(symbols->bundled, id) ?
		       spt_files_problem(symbols->files, id) :
		       NULL;
}

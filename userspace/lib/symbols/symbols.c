/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names the frames of a capture by what its finders know (finder.h): which function, demangled and
 * without what a view would not show, or a name for a place that nobody knows.
 */
#include "symbols/symbols.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "capture/format.h"
#include "symbols/demangle.h"
#include "symbols/language.h"
#include "symbols/plain-names.h"
#include "symbols/symbols-private.h"

#define DELETED " (deleted)"
/* No view shows more, and a hostile name could have megabytes. */
#define NAME_MAX_BYTES 4096
#define HEX_DIGITS 16

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

void spt_symbols_free(SptSymbols *symbols)
{
	if (!symbols)
		return;
	for (uint32_t i = 0; i < symbols->n_objects; i++)
		g_clear_pointer(&symbols->objects[i].intervals, spt_intervals_free);
	g_free(symbols->objects);
	g_free(symbols->recorded);
	g_hash_table_unref(symbols->languages);
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

const char *spt_symbols_demangled(SptSymbols *symbols, const char *name)
{
	g_autofree char *full = spt_demangle(name);
	g_autofree char *made =
		symbols->detail & SPT_DETAIL_FULL_NAMES ? NULL : spt_plain_name(full);
	const char *plain = made ? made : full;
	g_autofree char *brief =
		symbols->detail & SPT_DETAIL_SHORT_TEMPLATES ? spt_shorten_templates(plain) : NULL;
	const char *language = spt_language_of_mangled(name, full);
	const char *shown = spt_symbols_intern(symbols, brief ? brief : plain);

	if (language)
		g_hash_table_insert(symbols->languages, (gpointer)shown, (gpointer)language);
	return shown;
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
		struct spt_named_object *object = &symbols->objects[i], *other;
		const SptObjectRow *row = spt_symbols_row_of(symbols, i);

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

static void link_chain(SptSymbols *symbols, unsigned kind)
{
	struct spt_finder_chain *chain = &symbols->chains[kind];
	unsigned n_find = 0, n_places = 0;

	for (unsigned i = 0; i < SPT_N_FINDERS; i++) {
		const SptSymbolFinder *finder = spt_finders[i];

		if (!(finder->kinds & SPT_FINDER_KIND(kind)) ||
		    (finder->is_in && !finder->is_in(symbols)))
			continue;
		chain->find[n_find++] = finder;
		if (finder->places)
			chain->places[n_places++] = finder;
	}
}

SptSymbols *spt_symbols_new(const SptCapture *capture, const char *const *debug_dirs)
{
	SptSymbols *symbols = g_new0(SptSymbols, 1);

	symbols->capture = capture;
	symbols->files = spt_files_new(capture, debug_dirs);
	symbols->bundled = spt_bundled_new(capture);
	for (unsigned kind = 0; kind < SPT_FINDER_KINDS; kind++)
		link_chain(symbols, kind);
	symbols->debug_dirs = g_strdupv((char **)debug_dirs);
	symbols->detail = SPT_DETAIL_INLINES;
	symbols->strings = g_hash_table_new(g_str_hash, g_str_equal);
	symbols->languages = g_hash_table_new(NULL, NULL);
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

	symbols->objects = g_renew(struct spt_named_object, symbols->objects, n);
	memset(symbols->objects + symbols->n_objects, 0,
	       (n - symbols->n_objects) * sizeof(*symbols->objects));
	symbols->n_objects = n;
	for (uint32_t i = 0; i < n; i++) {
		symbols->objects[i].n_recorded = 0;
		g_clear_pointer(&symbols->objects[i].intervals, spt_intervals_free);
	}
	g_free(symbols->recorded);
	spt_recorded_sort(symbols);
	label_objects(symbols);
}

/* The strings of files stay at their addresses, and many places share them. */
static const char *plain_name(SptSymbols *symbols, const char *name)
{
	const char *plain = g_hash_table_lookup(symbols->plain, name);

	if (!plain) {
		plain = spt_symbols_demangled(symbols, name);
		g_hash_table_insert(symbols->plain, (gpointer)name, (gpointer)plain);
	}
	return plain;
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

/* A later version may have written kinds that are not known here. */
static const struct spt_finder_chain *chain_of(const SptSymbols *symbols, const SptObjectRow *row)
{
	return &symbols->chains[MIN(row->kind, SPT_FINDER_KINDS - 1)];
}

/* The symbol of the first finder that has one, or bounds of a function; NULL: none has. */
static const SptSymbolFinder *find_symbol(SptSymbols *symbols, const SptFinderPlace *place,
					  SptSymbol *ret)
{
	const SptSymbolFinder *const *finder = chain_of(symbols, place->row)->find;

	while (*finder && !(*finder)->find(symbols, place, ret))
		finder++;
	return *finder;
}

/* The functions and lines of the first finder that answers; 0: there are none. */
static unsigned symbols_find_places(SptSymbols *symbols, const SptFinderPlace *place,
				    SptPlace ret[SPT_INLINES_MAX])
{
	const SptSymbolFinder *const *finder = chain_of(symbols, place->row)->places;
	unsigned n = 0;

	while (*finder && !(*finder)->places(symbols, place, ret, &n))
		finder++;
	return n;
}

SptName spt_symbols_name(SptSymbols *symbols, const SptFrame *frame)
{
	const SptObjectRow *row = spt_symbols_row_of(symbols, frame->object);
	const struct spt_recorded *recorded;
	struct spt_named_object *object;
	SptFinderPlace place;
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
	recorded = spt_recorded_find(symbols, object, frame->offset);
	name.object = recorded && recorded->module ? recorded->module : object->label;
	place = (SptFinderPlace){ row, frame->offset, SPT_READ_SYMBOLS, recorded };
	if (!find_symbol(symbols, &place, &symbol))
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
	const SptObjectRow *row = spt_symbols_row_of(symbols, frame->object);

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
	gpointer language;

	if (!text)
		return;
	language = g_hash_table_lookup(symbols->languages, place->name.function);
	place->name.function = spt_symbols_intern(symbols, text);
	if (language)
		g_hash_table_insert(symbols->languages, (gpointer)place->name.function, language);
	place->name.is_unique = false;
}

static unsigned name_places(SptSymbols *symbols, const SptFrame *frame, SptReadDepth depth,
			    SptNamedPlace ret[SPT_INLINES_MAX])
{
	const SptObjectRow *row = spt_symbols_row_of(symbols, frame->object);
	const SptFinderPlace asked = { row, frame->offset, depth, NULL };
	SptPlace places[SPT_INLINES_MAX];
	unsigned n = 0, first = 0;
	SptName name;

	if (row && symbols->detail)
		n = symbols_find_places(symbols, &asked, places);
	name = spt_symbols_name(symbols, frame);

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
	const SptObjectRow *row = spt_symbols_row_of(symbols, frame->object);
	SptReadDepth depth = symbols->detail ? SPT_READ_LINES : SPT_READ_SYMBOLS;
	SptFinderPlace place = { row, frame->offset, depth, NULL };

	*ret_symbol = (SptSymbol){ 0 };
	if (!row)
		return 0;
	place.recorded = spt_recorded_find(symbols, &symbols->objects[row->id], frame->offset);
	if (!find_symbol(symbols, &place, ret_symbol) || ret_symbol->source == SPT_SOURCE_CAPTURE)
		*ret_symbol = (SptSymbol){ 0 };
	if (!symbols->detail)
		return 0;
	ret_symbol->before = ret_symbol->behind = 0;
	return symbols_find_places(symbols, &place, ret);
}

const char *spt_symbols_failure(SptSymbols *symbols, uint32_t id)
{
	const SptObjectRow *row = spt_symbols_row_of(symbols, id);

	if (row && spt_symbols_is_kernel(row))
		return symbols->kernel ? spt_kernel_failure(symbols->kernel,
							    row->kind == SPT_OBJECT_MODULES) :
					 NULL;
	return row ? spt_files_failure(symbols->files, id) : NULL;
}

const SptSymbolFinder *spt_finder_of(SptSymbols *symbols, const SptFrame *frame, SptSymbol *ret)
{
	const SptObjectRow *row = spt_symbols_row_of(symbols, frame->object);
	SptFinderPlace place = { row, frame->offset, SPT_READ_SYMBOLS, NULL };

	if (!row)
		return NULL;
	place.recorded = spt_recorded_find(symbols, &symbols->objects[row->id], frame->offset);
	return find_symbol(symbols, &place, ret);
}

bool spt_symbols_extent(SptSymbols *symbols, const SptFrame *frame, uint64_t *ret_start,
			uint64_t *ret_bytes)
{
	SptSymbol symbol;

	if (!spt_finder_of(symbols, frame, &symbol))
		return false;
	*ret_start = frame->offset - symbol.distance;
	*ret_bytes = symbol.bytes;
	return true;
}

void spt_symbols_prepare(SptSymbols *symbols, uint32_t object, const uint64_t *offsets, uint32_t n)
{
	const SptObjectRow *row = spt_symbols_row_of(symbols, object);
	const struct spt_recorded *recorded = NULL;

	/* A recorded name shows which module it is; without one no file is read. */
	for (uint32_t i = 0; i < n && !recorded && row && spt_symbols_is_kernel(row); i++)
		recorded = spt_recorded_find(symbols, &symbols->objects[object], offsets[i]);
	if (row && row->kind == SPT_OBJECT_FILE)
		spt_files_prepare(symbols->files, object, offsets, n);
	else if (recorded && recorded->function)
		spt_kernel_prepare(spt_finder_kernel_files(symbols), recorded->row, offsets, n);
}

static SptCode *read_kernel(SptSymbols *symbols, const SptFrame *frame, uint64_t bytes,
			    char **ret_problem)
{
	const char *problem;
	uint64_t address;
	SptKernelCode *kernel = spt_finder_kernel_code(symbols, frame, &address, &problem);
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
	const SptObjectRow *row = spt_symbols_row_of(symbols, frame->object);
	g_autoptr(SptObject) image = NULL;

	if (bytes > SPT_CODE_MAX_BYTES) {
		*ret_problem = g_strdup(SPT_WORDS("has no code there that could be read"));
		return NULL;
	}
	if (row && spt_symbols_is_kernel(row))
		return read_kernel(symbols, frame, bytes, ret_problem);
	if (!row || row->kind != SPT_OBJECT_FILE) {
		*ret_problem = g_strdup(SPT_WORDS("is no file"));
		return NULL;
	}
	image = spt_files_open(symbols->files, row->id, ret_problem);
	return image ? symbols_read_file(image, frame->offset, bytes, ret_problem) : NULL;
}

const char *spt_symbols_problem(SptSymbols *symbols, uint32_t id)
{
	const SptObjectRow *row = spt_symbols_row_of(symbols, id);

	/* There is nothing besides the bundled facts. */
	return row && row->kind == SPT_OBJECT_FILE && !spt_bundled_has(symbols->bundled, id) ?
		       spt_files_problem(symbols->files, id) :
		       NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/places.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "symbols/dwarf/debug-file.h"
#include "symbols/dwarf/elf-parts.h"
#include "symbols/place-arguments.h"

#define NOTE_SECTION ".note.stapsdt"
#define BASE_SECTION ".stapsdt.base"
#define NOTE_OWNER   "stapsdt"
#define NOTE_TYPE    3u
#define MOST_NOTES   (16u << 20)

struct places {
	const SptObject *image;
	GString *text;
	unsigned n;
	GHashTable *offsets;		/* those that are in the text */
	/* Of functions, arguments that are wanted; NULL: none. */
	const char *wanted;
	Dwarf *dwarf;
};

static void places_put(struct places *places, uint64_t address, uint64_t semaphore,
		       const char *name, const char *arguments)
{
	uint64_t offset;

	if (places->n >= SPT_PLACES_FOUND_MAX || strpbrk(name, " \n") ||
	    places->text->len > SPT_PLACES_ANSWER_MAX_BYTES / 2 ||
	    !spt_object_address_to_offset(places->image, address, &offset) ||
	    !g_hash_table_add(places->offsets, GSIZE_TO_POINTER(offset + 1)))
		return;
	g_string_append_printf(places->text, "%" PRIx64 " %" PRIx64 " %s %.1000s\n", offset,
			       semaphore, name, arguments);
	places->n++;
}

/* Functions. */

/* As linkers have it, or as people write it, then without parameters. */
static bool places_is_called(const char *symbol, const char *glob)
{
	g_autofree char *name = NULL;

	if (g_pattern_match_simple(glob, symbol))
		return true;
	if (symbol[0] != '_')
		return false;
	name = spt_demangle_bare(symbol);
	return g_pattern_match_simple(glob, name);
}

static void put_function(struct places *places, uint64_t address, const char *name)
{
	g_autofree char *arguments = NULL;

	if (places->wanted && places->n < SPT_PLACES_FOUND_MAX)
		arguments = spt_place_arguments(places->dwarf, address, places->wanted);
	places_put(places, address, 0, name, arguments ? arguments : "");
}

static void find_in_table(struct places *places, Elf *elf, Elf_Scn *section, const char *glob)
{
	GElf_Shdr header;
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n;

	if (!data || !gelf_getshdr(section, &header) || !header.sh_entsize)
		return;
	n = MIN(header.sh_size / header.sh_entsize, (size_t)INT32_MAX);
	for (size_t i = 0; i < n; i++) {
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol) ||
		    GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_value ||
		    symbol.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header.sh_link, symbol.st_name);
		if (name && places_is_called(name, glob))
			put_function(places, symbol.st_value, name);
	}
}

static void find_in_tables(struct places *places, const SptObject *object, const char *glob)
{
	Elf *elf = object ? spt_object_elf(object) : NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			find_in_table(places, elf, section, glob);
}

/* @query: "NAME" or "NAME(ARGUMENT,...)". */
static void places_find_functions(struct places *places, const SptObject *debug, const char *query)
{
	const char *bracket = strchr(query, '(');
	size_t n = bracket ? strcspn(bracket + 1, ")") : 0;
	g_autofree char *glob = n ? g_strndup(query, (size_t)(bracket - query)) : g_strdup(query);
	g_autofree char *wanted = n ? g_strndup(bracket + 1, n) : NULL;
	const SptObject *described = debug ? debug : places->image;
	g_autoptr(GPtrArray) unpacked = wanted && spt_debug_sections_fit(described) ?
						spt_debug_sections_unpack(described) : NULL;

	places->wanted = wanted;
	if (unpacked)
		places->dwarf = dwarf_begin_elf(spt_object_elf(described), DWARF_C_READ, NULL);
	find_in_tables(places, places->image, glob);
	find_in_tables(places, debug, glob);
	if (places->dwarf)
		dwarf_end(places->dwarf);
}

/* Lines. */

static void places_find_lines(struct places *places, const SptObject *debug, const char *query)
{
	const char *colon = strrchr(query, ':');
	g_autofree char *file = colon ? g_strndup(query, (size_t)(colon - query)) : NULL;
	long number = colon ? strtol(colon + 1, NULL, 10) : 0;
	/* What does not fit is not unpacked either. */
	g_autoptr(GPtrArray) unpacked =
		spt_debug_sections_fit(debug) ? spt_debug_sections_unpack(debug) : NULL;
	Dwarf *dwarf = unpacked ? dwarf_begin_elf(spt_object_elf(debug), DWARF_C_READ, NULL) : NULL;
	Dwarf_Line **lines = NULL;
	size_t n = 0;

	if (dwarf && file && number > 0 &&
	    dwarf_getsrc_file(dwarf, file, (int)number, 0, &lines, &n) == 0) {
		for (size_t i = 0; i < n; i++) {
			Dwarf_Addr address;
			int found;

			/* The nearest one behind is another line. */
			if (dwarf_lineno(lines[i], &found) == 0 && found == number &&
			    dwarf_lineaddr(lines[i], &address) == 0)
				places_put(places, address, 0, query, "");
		}
		free(lines);
	}
	if (dwarf)
		dwarf_end(dwarf);
}

/* Marks. */

/* How far the file was moved since its notes were written, as prelinking does. */
static uint64_t moved_by(const SptObject *image, uint64_t noted)
{
	GElf_Shdr header;

	return spt_elf_section(image, BASE_SECTION, &header) && noted ? header.sh_addr - noted : 0;
}

/* The counter is data: of any segment, not of code alone. */
static uint64_t offset_of_data(const SptObject *image, uint64_t address)
{
	Elf *elf = spt_object_elf(image);
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; address && i < n; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
		    address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
			return address - segment.p_vaddr + segment.p_offset;
	}
	return 0;
}

/* A note has three addresses, and three texts: provider, name, arguments. */
static void take_mark(struct places *places, const char *description, size_t bytes,
		      const char *glob)
{
	const size_t head = 3 * sizeof(uint64_t);
	const char *texts[3], *at = description + head, *end = description + bytes;
	g_autofree char *name = NULL;
	uint64_t addresses[3], moved;

	if (bytes < head)
		return;
	memcpy(addresses, description, head);
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		const char *nul = memchr(at, '\0', (size_t)(end - at));

		if (!nul)
			return;
		texts[i] = at;
		at = nul + 1;
	}
	name = g_strdup_printf("%s:%s", texts[0], texts[1]);
	if (!g_pattern_match_simple(glob, name))
		return;
	moved = moved_by(places->image, addresses[1]);
	places_put(places, addresses[0] + moved,
	    offset_of_data(places->image, addresses[2] ? addresses[2] + moved : 0), name, texts[2]);
}

static void places_find_marks(struct places *places, const char *glob)
{
	GElf_Shdr header;
	Elf_Scn *section = spt_elf_section(places->image, NOTE_SECTION, &header);
	Elf_Data *data = section ? spt_object_section(places->image, section, ELF_T_NHDR,
						      MOST_NOTES) :
				   NULL;
	size_t at = 0, name_at, description_at;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name_at, &description_at)) > 0)
		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_OWNER) &&
		    !memcmp((const char *)data->d_buf + name_at, NOTE_OWNER, sizeof(NOTE_OWNER)))
			take_mark(places, (const char *)data->d_buf + description_at,
				  note.n_descsz, glob);
}

static const char *places_behind(const char *query, const char *word)
{
	return g_str_has_prefix(query, word) ? query + strlen(word) : NULL;
}

GByteArray *spt_places_answer(const SptObject *image, const char *const *debug_dirs,
			      const char *query)
{
	struct places places = {
		.image = image,
		.text = g_string_new(NULL),
		.offsets = g_hash_table_new(NULL, NULL),
	};
	const char *function = places_behind(query, "function "),
		   *line = places_behind(query, "line "), *mark = places_behind(query, "mark ");
	g_autoptr(SptObject) debug =
		function || line ? spt_debug_file_open(image, debug_dirs) : NULL;
	GByteArray *answer = g_byte_array_new();

	if (function) {
		places_find_functions(&places, debug, function);
	} else if (line) {
		places_find_lines(&places, debug ? debug : image, line);
	} else if (mark) {
		places_find_marks(&places, mark);
	}
	g_byte_array_append(answer, (const uint8_t *)places.text->str, (guint)places.text->len);
	g_string_free(places.text, TRUE);
	g_hash_table_unref(places.offsets);
	return answer;
}

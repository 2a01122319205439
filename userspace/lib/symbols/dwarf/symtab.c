/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one ELF file, and its variables, of which locks are some: a flat array sorted
 * by file offset.  Names stay in a copy of the
 * file's string tables, which bounds memory by the file's size however many symbols share a name.
 */
#include "symbols/dwarf/symtab.h"

#include <string.h>

#include "base/intervals.h"
#include "base/sort.h"
#include "symbols/dwarf/debug-file.h"
#include "symbols/dwarf/elf-parts.h"

/* Limit of a symbol or string table; LLVM with debug information stays below 100 MiB. */
#define TABLE_MAX_BYTES (512ull << 20)
/* The part of two names that is compared to choose between them. */
#define NAME_COMPARE_BYTES 1024
/* Limit of the stubs' names: a damaged file could repeat a long one without end. */
#define STUB_NAMES_MAX_BYTES (64u << 20)

struct symbol {
	uint64_t start, bytes;		/* file offset; 0 bytes until assembly is given its end */
	uint64_t room;			/* to the end of the section */
	uint64_t name;			/* in the strings */
	uint8_t rank;			/* the lower the better */
	uint8_t source;			/* SptSource */
	bool is_open;			/* as in SptSymbol */
};

struct SptSymtab {
	GByteArray *strings;
	GArray *symbols;		/* struct symbol */
	unsigned n_functions;		/* of all, before aliases are merged */
	SptIntervals *intervals;		/* intervals.h */
};

static const char *symtab_name_of(const SptSymtab *table, const struct symbol *symbol)
{
	return (const char *)table->strings->data + symbol->name;
}

/* Copies a string table; returns its position in the strings, or UINT64_MAX. */
static uint64_t add_strings(SptSymtab *table, const SptObject *object, size_t section)
{
	Elf_Scn *scn = elf_getscn(spt_object_elf(object), section);
	Elf_Data *data = scn ? spt_object_section(object, scn, ELF_T_BYTE, TABLE_MAX_BYTES) : NULL;
	uint64_t at = table->strings->len;

	if (!data || at + data->d_size + 1 > UINT32_MAX)
		return UINT64_MAX;
	g_byte_array_append(table->strings, data->d_buf, data->d_size);
	g_byte_array_append(table->strings, (const uint8_t *)"", 1);
	return at;
}

static bool is_function(const GElf_Sym *sym, const GElf_Shdr *section, const char *name)
{
	/*
	 * A version without a name, as damaged tables may have.
	 */
	if (*name == '\0' || *name == '@')
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		/*
		 * Assembly; but not the marks of ARM's and RISC-V's assemblers ("$x") nor local
		 * labels (".L4").
		 */
		return (section->sh_flags & SHF_EXECINSTR) && *name != '$' && *name != '.';
	default:
		return false;
	}
}

static bool is_variable(const GElf_Sym *sym, const GElf_Shdr *section, const char *name)
{
	return GELF_ST_TYPE(sym->st_info) == STT_OBJECT && *name != '\0' && *name != '@' &&
	       sym->st_size && (section->sh_flags & SHF_ALLOC) && (section->sh_flags & SHF_WRITE);
}

/* Where it is in the file; false: no function or variable, or in no segment of @image. */
static bool symbol_place(const SptObject *image, const GElf_Sym *sym, const GElf_Shdr *section,
			 const char *name, uint64_t *ret_offset)
{
	if (is_function(sym, section, name))
		return spt_object_address_to_offset(image, sym->st_value, ret_offset);
	return is_variable(sym, section, name) &&
	       spt_object_variable_to_offset(image, sym->st_value, ret_offset);
}

static uint8_t rank_of(const GElf_Sym *sym)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	uint8_t rank = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;

	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? rank + 3 : rank;
}

/* "memcpy@@GLIBC_2.14" is memcpy.  Cuts in our copy of the strings. */
static void cut_version(char *name)
{
	char *at = memchr(name, '@', strnlen(name, NAME_COMPARE_BYTES));

	if (at && at > name)
		*at = '\0';
}

/* The headers of all sections of @object; n in @ret_n. */
static GElf_Shdr *read_section_headers(const SptObject *object, size_t *ret_n)
{
	Elf *elf = spt_object_elf(object);
	GElf_Shdr *headers;

	if (elf_getshdrnum(elf, ret_n) != 0)
		*ret_n = 0;
	headers = g_new0(GElf_Shdr, MAX(*ret_n, 1));
	for (size_t i = 0; i < *ret_n; i++) {
		Elf_Scn *scn = elf_getscn(elf, i);

		/* A section of no bytes has no functions. */
		if (!scn || !gelf_getshdr(scn, &headers[i]))
			headers[i].sh_size = 0;
	}
	return headers;
}

/*
 * Adds the functions and variables of one symbol table of @object; addresses are those of @image,
 * whose segments map them to file offsets.
 */
static void symtab_add_table(SptSymtab *table, const SptObject *image, const SptObject *object,
			     Elf_Scn *scn, const GElf_Shdr *shdr, SptSource source)
{
	Elf_Data *data = spt_object_section(object, scn, ELF_T_SYM, TABLE_MAX_BYTES);
	uint64_t strings = data ? add_strings(table, object, shdr->sh_link) : UINT64_MAX;
	uint64_t end = table->strings->len;
	g_autofree GElf_Shdr *sections = NULL;
	size_t n_sections;
	GElf_Sym sym;

	if (strings == UINT64_MAX)
		return;
	sections = read_section_headers(object, &n_sections);
	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		struct symbol symbol = { .bytes = sym.st_size,
					 .name = strings + sym.st_name,
					 .rank = rank_of(&sym),
					 .source = source };
		const GElf_Shdr *section;

		if (sym.st_shndx == SHN_UNDEF || sym.st_shndx >= n_sections || symbol.name >= end)
			continue;
		section = &sections[sym.st_shndx];
		if (sym.st_value - section->sh_addr >= section->sh_size ||
		    !symbol_place(image, &sym, section, symtab_name_of(table, &symbol),
				  &symbol.start))
			continue;
		symbol.room = MIN(section->sh_size - (sym.st_value - section->sh_addr),
				  UINT64_MAX - symbol.start);
		cut_version((char *)table->strings->data + symbol.name);
		g_array_append_val(table->symbols, symbol);
		table->n_functions += GELF_ST_TYPE(sym.st_info) != STT_OBJECT;
	}
}

/* Reads the table of @type; returns whether there was one with a function. */
static bool add_tables(SptSymtab *table, const SptObject *image, const SptObject *object,
		       unsigned type, SptSource source)
{
	unsigned before = table->n_functions;
	Elf_Scn *scn = NULL;
	bool seen = false;

	/* The format allows one of each type; more would only multiply the work. */
	while (!seen && (scn = elf_nextscn(spt_object_elf(object), scn))) {
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type)
			continue;
		symtab_add_table(table, image, object, scn, &shdr, source);
		seen = true;
	}
	return table->n_functions > before;
}

static unsigned leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* Whether @a is the better name of the two for one address. */
static bool is_better(const SptSymtab *table, const struct symbol *a, const struct symbol *b)
{
	unsigned a_underscores, b_underscores;
	size_t a_bytes, b_bytes;

	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->name == b->name)
		return false;
	a_underscores = leading_underscores(symtab_name_of(table, a));
	b_underscores = leading_underscores(symtab_name_of(table, b));
	if (a_underscores != b_underscores)
		return a_underscores < b_underscores;
	/* The shorter one: free, not cfree, which few programs still call. */
	a_bytes = strnlen(symtab_name_of(table, a), NAME_COMPARE_BYTES);
	b_bytes = strnlen(symtab_name_of(table, b), NAME_COMPARE_BYTES);
	if (a_bytes != b_bytes)
		return a_bytes < b_bytes;
	return strncmp(symtab_name_of(table, a), symtab_name_of(table, b), NAME_COMPARE_BYTES) < 0;
}

static void sort_by_start(SptSymtab *table)
{
	uint32_t n = table->symbols->len;
	struct spt_item *items = g_new(struct spt_item, MAX(n, 1)),
			*spare = g_new(struct spt_item, MAX(n, 1));
	GArray *sorted = g_array_sized_new(FALSE, FALSE, sizeof(struct symbol), n);

	for (uint32_t i = 0; i < n; i++)
		items[i] = (struct spt_item){ g_array_index(table->symbols, struct symbol, i).start,
					      i };
	spt_sort_items(&items, &spare, n);
	for (uint32_t i = 0; i < n; i++)
		g_array_append_val(sorted,
				   g_array_index(table->symbols, struct symbol, items[i].index));
	g_array_unref(table->symbols);
	table->symbols = sorted;
	g_free(items);
	g_free(spare);
}

/* Sorts, and keeps one symbol at each address: the best name with the largest size. */
static void merge_aliases(SptSymtab *table)
{
	struct symbol *symbols;
	unsigned n = 0;

	sort_by_start(table);
	symbols = (struct symbol *)table->symbols->data;
	for (unsigned i = 0; i < table->symbols->len; i++) {
		struct symbol *last = n > 0 ? &symbols[n - 1] : NULL;
		uint64_t bytes;

		if (!last || last->start != symbols[i].start) {
			symbols[n++] = symbols[i];
			continue;
		}
		bytes = MAX(last->bytes, symbols[i].bytes);
		if (is_better(table, &symbols[i], last))
			*last = symbols[i];
		last->bytes = bytes;
	}
	g_array_set_size(table->symbols, n);
}

/*
 * Sets the end of assembly functions; inside a function with a size, one is a mere label and is
 * removed.
 */
static void close_assembly(SptSymtab *table)
{
	struct symbol *symbols = (struct symbol *)table->symbols->data;
	uint64_t covered = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < table->symbols->len; i++) {
		struct symbol symbol = symbols[i];

		if (symbol.bytes == 0) {
			if (symbol.start < covered)
				continue;
			symbol.is_open = symbol.source == SPT_SOURCE_DYNAMIC;
			symbol.bytes = symbol.room;
			if (i + 1 < table->symbols->len)
				symbol.bytes =
					MIN(symbol.bytes, symbols[i + 1].start - symbol.start);
		} else {
			symbol.bytes = MIN(symbol.bytes, symbol.room);
			covered = MAX(covered, symbol.start + symbol.bytes);
		}
		symbols[n++] = symbol;
	}
	g_array_set_size(table->symbols, n);
}

static void cut_intervals(SptSymtab *table)
{
	g_autofree SptRange *ranges = g_new(SptRange, MAX(table->symbols->len, 1));

	for (uint32_t i = 0; i < table->symbols->len; i++) {
		const struct symbol *symbol = &g_array_index(table->symbols, struct symbol, i);

		ranges[i] = (SptRange){ symbol->start, symbol->bytes };
	}
	table->intervals = spt_intervals_new(ranges, table->symbols->len);
}

/* The symbols that were stripped from @object: a file of their own, or one packed into it. */
static void add_split(SptSymtab *table, const SptObject *object, const char *const *debug_dirs)
{
	g_autoptr(SptObject) debug = spt_debug_file_open(object, debug_dirs);
	g_autoptr(SptObject) mini = NULL;

	if (debug && add_tables(table, object, debug, SHT_SYMTAB, SPT_SOURCE_DEBUG_FILE))
		return;
	mini = spt_minidebug_open(object);
	if (mini)
		add_tables(table, object, mini, SHT_SYMTAB, SPT_SOURCE_MINI);
}

static void symtab_add_stubs(SptSymtab *table, const SptObject *object)
{
	g_autoptr(GArray) entries = spt_plt_entries(object);
	uint64_t first = table->strings->len;

	for (unsigned i = 0; i < entries->len && table->strings->len - first < STUB_NAMES_MAX_BYTES;
	     i++) {
		const SptPltEntry *entry = &g_array_index(entries, SptPltEntry, i);
		struct symbol symbol = { .bytes = entry->bytes,
					 .room = entry->bytes,
					 .name = table->strings->len,
					 .source = SPT_SOURCE_PLT };

		if (!spt_object_address_to_offset(object, entry->address, &symbol.start))
			continue;
		g_byte_array_append(table->strings, (const uint8_t *)entry->name,
				    strnlen(entry->name, NAME_COMPARE_BYTES));
		g_byte_array_append(table->strings, (const uint8_t *)"@plt", sizeof("@plt"));
		g_array_append_val(table->symbols, symbol);
		table->n_functions++;
	}
}

SptSymtab *spt_symtab_new(const SptObject *object, const char *const *debug_dirs)
{
	SptSymtab *table = g_new0(SptSymtab, 1);

	table->strings = g_byte_array_new();
	table->symbols = g_array_new(FALSE, FALSE, sizeof(struct symbol));

	if (!add_tables(table, object, object, SHT_SYMTAB, SPT_SOURCE_SYMTAB))
		add_split(table, object, debug_dirs);
	add_tables(table, object, object, SHT_DYNSYM, SPT_SOURCE_DYNAMIC);
	symtab_add_stubs(table, object);

	merge_aliases(table);
	close_assembly(table);
	cut_intervals(table);
	return table;
}

void spt_symtab_free(SptSymtab *table)
{
	if (!table)
		return;
	g_byte_array_unref(table->strings);
	g_array_unref(table->symbols);
	g_clear_pointer(&table->intervals, spt_intervals_free);
	g_free(table);
}

bool spt_symtab_is_empty(const SptSymtab *table)
{
	return table->n_functions == 0;
}

uint32_t spt_symtab_n_symbols(const SptSymtab *table)
{
	return table->symbols->len;
}

bool spt_symtab_find(const SptSymtab *table, uint64_t file_offset, SptSymbol *ret)
{
	uint32_t index = spt_intervals_find(table->intervals, file_offset);
	const struct symbol *symbol = &g_array_index(table->symbols, struct symbol, index);
	uint64_t start, end;

	if (index == UINT32_MAX)
		return false;
	spt_intervals_around(table->intervals, file_offset, &start, &end);
	*ret = (SptSymbol){
		.name = symtab_name_of(table, symbol),
		.distance = file_offset - symbol->start,
		.bytes = symbol->bytes,
		.before = file_offset - start,
		.behind = end - file_offset,
		.index = index,
		.source = symbol->source,
		.is_open = symbol->is_open,
	};
	return true;
}

void spt_symtab_gap(const SptSymtab *table, uint64_t file_offset, uint64_t *ret_start,
		    uint64_t *ret_end)
{
	spt_intervals_gap(table->intervals, file_offset, ret_start, ret_end);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libdwfl lays out a module's sections and relocates its debug information; an image is as the
 * linker left it.
 */
#include "symbols/kernel-code.h"

#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"

/* Offsets of kernel code in recordings have 40 bits. */
#define OFFSET_MASK ((1ull << 40) - 1)
/*
 * Of the symbols whose name occurs once, this part has moved by the same distance, or it is another
 * kernel.
 */
#define AGREE_PERCENT 90

struct symbol {
	const char *name;
	uint64_t address;
};

struct SptKernelCode {
	Dwfl *dwfl;
	Dwfl_Module *module;
	SptDebugInfo *info;
	Dwarf_Addr bias;		/* of debug information */
	GArray *symbols;		/* struct symbol, by name */
	/* From offsets of the recording to addresses, modulo OFFSET_MASK + 1 */
	uint64_t moved;
};

/* libdwfl looks for no files by itself. */
static int find_no_debug_file(G_GNUC_UNUSED Dwfl_Module *module, G_GNUC_UNUSED void **data,
			      G_GNUC_UNUSED const char *name, G_GNUC_UNUSED Dwarf_Addr base,
			      G_GNUC_UNUSED const char *file, G_GNUC_UNUSED const char *link,
			      G_GNUC_UNUSED GElf_Word crc, G_GNUC_UNUSED char **ret)
{
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = find_no_debug_file,
	.section_address = dwfl_offline_section_address,
};

static int kernel_code_compare_symbols(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

static void kernel_code_read_symbols(SptKernelCode *code)
{
	int n = dwfl_module_getsymtab(code->module);

	for (int i = 0; i < n; i++) {
		struct symbol symbol;
		GElf_Addr address;
		GElf_Sym sym;

		symbol.name =
			dwfl_module_getsym_info(code->module, i, &sym, &address, NULL, NULL, NULL);
		symbol.address = address;
		if (symbol.name && *symbol.name && sym.st_shndx != SHN_UNDEF &&
		    sym.st_shndx != SHN_ABS &&
		    (GELF_ST_TYPE(sym.st_info) == STT_FUNC ||
		     GELF_ST_TYPE(sym.st_info) == STT_NOTYPE))
			g_array_append_val(code->symbols, symbol);
	}
	g_array_sort(code->symbols, kernel_code_compare_symbols);
}

/* The symbols called @name; returns their number. */
static unsigned kernel_code_find_symbols(const SptKernelCode *code, const char *name,
					 const struct symbol **ret)
{
	const struct symbol *symbols = (const struct symbol *)code->symbols->data;
	unsigned low = 0, high = code->symbols->len, n = 0;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (strcmp(symbols[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + n < code->symbols->len && strcmp(symbols[low + n].name, name) == 0)
		n++;
	*ret = symbols + low;
	return n;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The distance by which most symbols have moved, and whether enough of them agree. */
static bool find_move(SptKernelCode *code, const SptNameRow *const *names, uint32_t n)
{
	g_autofree uint64_t *moves = g_new(uint64_t, MAX(n, 1));
	uint32_t n_moves = 0, best = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct symbol *symbol;

		if (*names[i]->symbol &&
		    kernel_code_find_symbols(code, names[i]->symbol, &symbol) == 1)
			moves[n_moves++] =
				(symbol->address + names[i]->distance - names[i]->offset) &
				OFFSET_MASK;
	}
	qsort(moves, n_moves, sizeof(*moves), compare_numbers);
	for (uint32_t i = 0, run = 0; i < n_moves; i++) {
		run = i > 0 && moves[i] == moves[i - 1] ? run + 1 : 1;
		if (run > best) {
			best = run;
			code->moved = moves[i];
		}
	}
	return best > 0 && best * 100ull >= n_moves * (uint64_t)AGREE_PERCENT;
}

static bool kernel_code_has_build_id(const SptKernelCode *code, const uint8_t *build_id,
				     unsigned bytes)
{
	const unsigned char *bits;
	GElf_Addr address;
	int n = dwfl_module_build_id(code->module, &bits, &address);

	return n >= 0 && (unsigned)n >= bytes && memcmp(bits, build_id, bytes) == 0;
}

/*
 * The section that @address is in; @address becomes relative to it.  NULL: there is none, or it is
 * not in this file.
 */
static Elf_Scn *section_at(const SptKernelCode *code, uint64_t *address)
{
	GElf_Addr at = *address;
	Dwarf_Addr bias;
	GElf_Shdr shdr;
	Elf_Scn *scn = dwfl_module_address_section(code->module, &at, &bias);

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
	    !(shdr.sh_flags & SHF_EXECINSTR))
		return NULL;
	*address = at;
	return scn;
}

/* Debug files keep the headers of code sections, without the code. */
static bool has_instructions(const SptKernelCode *code, const SptNameRow *const *names, uint32_t n)
{
	bool any = n == 0;

	for (uint32_t i = 0; i < n && !any; i++) {
		const struct symbol *symbol;
		uint64_t address;

		if (*names[i]->symbol &&
		    kernel_code_find_symbols(code, names[i]->symbol, &symbol) > 0) {
			address = symbol->address;
			any = section_at(code, &address);
		}
	}
	return any;
}

SptKernelCode *spt_kernel_code_new(int fd, const char *path, SptKernelPart part,
				   const SptNameRow *const *names, uint32_t n,
				   const uint8_t *build_id, unsigned build_id_bytes,
				   const char **ret_problem)
{
	g_autoptr(SptKernelCode) code = g_new0(SptKernelCode, 1);
	Dwarf *dwarf = NULL;

	code->symbols = g_array_new(FALSE, FALSE, sizeof(struct symbol));
	code->dwfl = dwfl_begin(&callbacks);
	code->module = code->dwfl ? dwfl_report_offline(code->dwfl, "kernel", path, fd) : NULL;
	if (!code->module) {
		close(fd);
		*ret_problem = SPT_WORDS("cannot be read as a kernel or one of its modules");
		return NULL;
	}
	dwfl_report_end(code->dwfl, NULL, NULL);
	if (build_id_bytes && !kernel_code_has_build_id(code, build_id, build_id_bytes)) {
		*ret_problem = SPT_WORDS("is not what was recorded (its build-id differs)");
		return NULL;
	}
	if (part == SPT_KERNEL_LINES &&
	    !(dwarf = dwfl_module_getdwarf(code->module, &code->bias))) {
		*ret_problem = SPT_WORDS("has no debug information");
		return NULL;
	}
	kernel_code_read_symbols(code);
	if (!find_move(code, names, n)) {
		*ret_problem = SPT_WORDS("is not what was recorded (its functions are at other addresses)");
		return NULL;
	}
	if (part == SPT_KERNEL_INSTRUCTIONS && !has_instructions(code, names, n)) {
		*ret_problem = SPT_WORDS("has no instructions");
		return NULL;
	}
	if (dwarf)
		code->info = spt_debug_info_new_dwarf(dwarf);
	return g_steal_pointer(&code);
}

void spt_kernel_code_free(SptKernelCode *code)
{
	if (!code)
		return;
	spt_debug_info_free(code->info);
	dwfl_end(code->dwfl);
	g_array_unref(code->symbols);
	g_free(code);
}

bool spt_kernel_code_address(const SptKernelCode *code, const SptNameRow *name, uint64_t offset,
			     uint64_t *ret)
{
	uint64_t start = name->offset - name->distance;
	const struct symbol *symbol;
	unsigned n = kernel_code_find_symbols(code, name->symbol, &symbol);

	for (unsigned i = 0; i < n; i++) {
		if (n > 1 && ((symbol[i].address - start) & OFFSET_MASK) != code->moved)
			continue;
		*ret = symbol[i].address + ((offset - start) & OFFSET_MASK);
		return true;
	}
	return false;
}

unsigned spt_kernel_code_find(SptKernelCode *code, uint64_t address, SptPlace ret[SPT_INLINES_MAX])
{
	return spt_debug_info_find_address(code->info, address - code->bias, ret);
}

static char *add_distance(const char *name, int64_t distance)
{
	return distance > 0 ? g_strdup_printf("%s+0x%" PRIx64, name, distance) : g_strdup(name);
}

char *spt_kernel_code_name(const SptKernelCode *code, uint64_t address)
{
	GElf_Off distance;
	GElf_Sym symbol;
	const char *name =
		dwfl_module_addrinfo(code->module, address, &distance, &symbol, NULL, NULL, NULL);

	return name ? add_distance(name, (int64_t)distance) : NULL;
}

/*
 * The name for a relocation.  Symbols have names; sections have names, too, but the code there may
 * have a better one.
 */
static char *kernel_code_name_reference(const SptKernelCode *code, Elf *elf,
					const GElf_Shdr *relocations, const GElf_Rela *rela)
{
	Elf_Scn *scn = elf_getscn(elf, relocations->sh_link);
	const char *name = NULL;
	int64_t addend = rela->r_addend;
	GElf_Ehdr header;
	GElf_Shdr shdr;
	GElf_Sym symbol;
	size_t names;

	if (!scn || !gelf_getshdr(scn, &shdr) || !gelf_getehdr(elf, &header) ||
	    !gelf_getsym(elf_getdata(scn, NULL), (int)GELF_R_SYM(rela->r_info), &symbol))
		return NULL;
	/* They count from the end of their field. */
	if (header.e_machine == EM_X86_64 && (GELF_R_TYPE(rela->r_info) == R_X86_64_PC32 ||
					      GELF_R_TYPE(rela->r_info) == R_X86_64_PLT32))
		addend = (int64_t)((uint64_t)addend + 4);
	if (GELF_ST_TYPE(symbol.st_info) == STT_SECTION) {
		g_autofree char *inside = NULL;

		scn = elf_getscn(elf, symbol.st_shndx);
		/* libdwfl has given each symbol an address, as if it were loaded. */
		if (scn && gelf_getshdr(scn, &shdr) && elf_getshdrstrndx(elf, &names) == 0) {
			inside = spt_kernel_code_name(code, shdr.sh_addr + (uint64_t)addend);
			name = elf_strptr(elf, names, shdr.sh_name);
		}
		if (inside)
			return g_steal_pointer(&inside);
	} else {
		name = elf_strptr(elf, shdr.sh_link, symbol.st_name);
	}
	return name && *name ? add_distance(name, addend) : NULL;
}

static int compare_references(const void *a, const void *b)
{
	uint64_t x = ((const SptReference *)a)->address, y = ((const SptReference *)b)->address;

	return x < y ? -1 : x > y;
}

/* Relocations of the section @target that are in @read, which begins at @start of it. */
static void read_references(const SptKernelCode *code, Elf *elf, size_t target, uint64_t start,
			    SptCode *read)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		Elf_Data *data = gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA &&
						 shdr.sh_info == target ?
					 elf_getdata(scn, NULL) :
					 NULL;
		GElf_Rela rela;

		for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
			SptReference reference = { .address = read->address +
							      (rela.r_offset - start) };

			if (rela.r_offset - start >= read->bytes->len)
				continue;
			reference.name = kernel_code_name_reference(code, elf, &shdr, &rela);
			if (reference.name)
				g_array_append_val(read->references, reference);
		}
	}
	g_array_sort(read->references, compare_references);
}

SptCode *spt_kernel_code_read(const SptKernelCode *code, uint64_t address, uint64_t bytes)
{
	uint64_t start = address;
	Elf_Scn *scn = section_at(code, &start);
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(code->module, &bias);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	GElf_Ehdr header;
	SptCode *read;

	if (!data || !elf || !gelf_getehdr(elf, &header) || start >= data->d_size)
		return NULL;
	read = spt_code_new(address, header.e_machine,
			    header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32);
	g_byte_array_append(read->bytes, (const uint8_t *)data->d_buf + start,
			    (unsigned)MIN(bytes, data->d_size - start));
	if (header.e_type == ET_REL)
		read_references(code, elf, elf_ndxscn(scn), start, read);
	return read;
}

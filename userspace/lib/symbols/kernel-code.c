/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libdwfl lays a module's sections out and relocates its debug information; an image is as the linker left it. */
#include "symbols/kernel-code.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

/* Offsets of kernel code in recordings have 40 bits. */
#define OFFSET_MASK ((1ull << 40) - 1)
/* Of the symbols that are called so once, so many have moved by the same distance, or it is another kernel. */
#define AGREE_PERCENT 90

struct symbol {
	const char *name;
	uint64_t address;
};

struct SptKernelCode {
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *module;
	SptDebugInfo *info;
	Dwarf_Addr bias;		/* of debug information */
	GArray *symbols;		/* struct symbol, by name */
	uint64_t moved;			/* from offsets of the recording to addresses, modulo OFFSET_MASK + 1 */
};

/* Nothing is looked for behind the user's back. */
static int find_no_debug_file(G_GNUC_UNUSED Dwfl_Module *module, G_GNUC_UNUSED void **data, G_GNUC_UNUSED const char *name,
			      G_GNUC_UNUSED Dwarf_Addr base, G_GNUC_UNUSED const char *file, G_GNUC_UNUSED const char *link,
			      G_GNUC_UNUSED GElf_Word crc, G_GNUC_UNUSED char **ret)
{
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = find_no_debug_file,
	.section_address = dwfl_offline_section_address,
};

static int compare_symbols(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

static void read_symbols(SptKernelCode *code)
{
	int n = dwfl_module_getsymtab(code->module);

	for (int i = 0; i < n; i++) {
		struct symbol symbol;
		GElf_Addr address;
		GElf_Sym sym;

		symbol.name = dwfl_module_getsym_info(code->module, i, &sym, &address, NULL, NULL, NULL);
		symbol.address = address;
		if (symbol.name && *symbol.name && sym.st_shndx != SHN_UNDEF && sym.st_shndx != SHN_ABS &&
		    (GELF_ST_TYPE(sym.st_info) == STT_FUNC || GELF_ST_TYPE(sym.st_info) == STT_NOTYPE))
			g_array_append_val(code->symbols, symbol);
	}
	qsort(code->symbols->data, code->symbols->len, sizeof(struct symbol), compare_symbols);
}

/* The symbols called @name; how many. */
static unsigned find_symbols(const SptKernelCode *code, const char *name, const struct symbol **ret)
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

/* By how far most symbols have moved, and whether enough of them agree on it. */
static bool find_move(SptKernelCode *code, const SptNameRow *const *names, uint32_t n)
{
	g_autofree uint64_t *moves = g_new(uint64_t, MAX(n, 1));
	uint32_t n_moves = 0, best = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct symbol *symbol;

		if (*names[i]->symbol && find_symbols(code, names[i]->symbol, &symbol) == 1)
			moves[n_moves++] = (symbol->address + names[i]->distance - names[i]->offset) & OFFSET_MASK;
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

static bool has_build_id(const SptKernelCode *code, const uint8_t *build_id, unsigned bytes)
{
	const unsigned char *bits;
	GElf_Addr address;
	int n = dwfl_module_build_id(code->module, &bits, &address);

	return n >= 0 && (unsigned)n >= bytes && memcmp(bits, build_id, bytes) == 0;
}

SptKernelCode *spt_kernel_code_new(const char *path, const SptNameRow *const *names, uint32_t n, const uint8_t *build_id,
				   unsigned build_id_bytes, const char **ret_problem)
{
	g_autoptr(SptKernelCode) code = g_new0(SptKernelCode, 1);
	Dwarf *dwarf;

	code->path = g_strdup(path);
	code->symbols = g_array_new(FALSE, FALSE, sizeof(struct symbol));
	code->dwfl = dwfl_begin(&callbacks);
	code->module = code->dwfl ? dwfl_report_offline(code->dwfl, "kernel", path, -1) : NULL;
	if (!code->module) {
		*ret_problem = "cannot be read as a kernel or one of its modules";
		return NULL;
	}
	dwfl_report_end(code->dwfl, NULL, NULL);
	if (build_id_bytes && !has_build_id(code, build_id, build_id_bytes)) {
		*ret_problem = "is not what was recorded (its build-id differs)";
		return NULL;
	}
	dwarf = dwfl_module_getdwarf(code->module, &code->bias);
	if (!dwarf) {
		*ret_problem = "has no debug information";
		return NULL;
	}
	read_symbols(code);
	if (!find_move(code, names, n)) {
		*ret_problem = "is not what was recorded (its functions lie elsewhere)";
		return NULL;
	}
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
	g_free(code->path);
	g_free(code);
}

const char *spt_kernel_code_path(const SptKernelCode *code)
{
	return code->path;
}

bool spt_kernel_code_address(const SptKernelCode *code, const SptNameRow *name, uint64_t offset, uint64_t *ret)
{
	uint64_t start = name->offset - name->distance;
	const struct symbol *symbol;
	unsigned n = find_symbols(code, name->symbol, &symbol);

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

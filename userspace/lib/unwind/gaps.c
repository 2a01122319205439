/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code without call frame information: the parts of sections between the functions that have some
 * are followed instruction by instruction (guess.h), and where a program begins nothing has called.
 */
#include <gelf.h>
#include <string.h>

#include "unwind/compile-private.h"
#include "unwind/extract.h"
#include "unwind/guess.h"
#include "unwind/labels.h"

#define SECTIONS_MAX 256		/* limit of those that are checked for code */

struct gap {
	struct compiler *compiler;
	uint32_t start, end;		/* offsets in the file */
	const uint8_t *code;
	uint32_t known_end;		/* end of the part whose functions are known */
	bool is_entry;			/* the last one is the program's entry */
	bool is_rest;			/* of the function before it */
};

/* Whether a call may end at @end: then that may not be a function's start. */
static bool may_be_call(const uint8_t *code, size_t end)
{
	/* Of an indirect one the second byte; what addresses memory has at most 5 more. */
	static const uint8_t behind[] = { 0, 1, 2, 4, 5 };

	if (end >= 5 && code[end - 5] == 0xe8)
		return true;
	for (unsigned i = 0; i < G_N_ELEMENTS(behind); i++)
		if (end >= behind[i] + 2u && code[end - behind[i] - 2] == 0xff &&
		    (code[end - behind[i] - 1] >> 3 & 7) == 2)
			return true;
	return false;
}

static void on_guess(size_t at, size_t bytes, bool is_start, const SptUnwindRule *rule, void *data)
{
	struct gap *gap = data;
	struct compiler *compiler = gap->compiler;
	struct row row = { .offset = gap->start + at };
	SptUnwindRule marked = *rule;
	struct function *function;

	gap->is_entry = row.offset == compiler->entry ||
			(gap->is_entry && !is_start && row.offset == gap->known_end);
	if (gap->is_entry)
		marked = spt_compile_no_caller(compiler);
	/*
	 * Functions with call frame information begin exactly there: these are not rounded to
	 * (tables.c).
	 */
	marked.is_guess = 1;
	row.rule = spt_compile_intern(compiler, &marked);
	if (is_start || row.offset != gap->known_end) {
		struct function next = { .start = row.offset,
					 .first = compiler->rows->len,
					 .number = compiler->functions->len,
					 .is_part = !is_start || gap->is_rest ||
						    may_be_call(gap->code, at) };

		g_array_append_val(compiler->functions, next);
	}
	gap->known_end = row.offset + bytes;
	function =
		&g_array_index(compiler->functions, struct function, compiler->functions->len - 1);
	function->end = gap->known_end;
	if (function->n &&
	    g_array_index(compiler->rows, struct row, compiler->rows->len - 1).rule == row.rule)
		return;
	g_array_append_val(compiler->rows, row);
	function->n++;
}

/* By their offsets in the file. */
static GArray *read_labels(const SptObject *object)
{
	GArray *labels = g_array_new(FALSE, FALSE, sizeof(SptLabel));
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(spt_object_elf(object), scn))) {
		Elf_Data *data;
		GElf_Sym symbol;
		uint64_t offset;

		if (!gelf_getshdr(scn, &shdr) ||
		    (shdr.sh_type != SHT_SYMTAB && shdr.sh_type != SHT_DYNSYM))
			continue;
		data = spt_object_section(object, scn, ELF_T_SYM, SPT_COMPILE_SECTION_MAX_BYTES);
		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
			if (spt_object_address_to_offset(object, symbol.st_value, &offset))
				spt_labels_add(labels, offset, symbol.st_info, symbol.st_shndx);
	}
	spt_labels_sort(labels);
	return labels;
}

/* Whether a function has the stack as its caller left it where its rules end. */
static bool ends_as_called(const struct compiler *compiler, const struct function *function)
{
	const SptUnwindRule *rule;
	uint32_t last = function->first + function->n - 1;

	if (!function->n || function->step || last >= compiler->rows->len)
		return false;
	rule = &g_array_index(compiler->rules, SptUnwindRule,
			      g_array_index(compiler->rows, struct row, last).rule);
	return rule->cfa == SYSPROF_CFA_REGISTER && rule->cfa_register == compiler->arch->sp &&
	       rule->cfa_offset == 8 && rule->ra == SYSPROF_RA_MEMORY && rule->ra_offset == -8;
}

/*
 * Covers [@start, @end), a section, by sorted functions.  A small gap is padding, or the rest of
 * the function before it, which is followed if the stack is known there.
 */
static void find_gaps(struct compiler *compiler, uint64_t start, uint64_t end, GArray *gaps)
{
	const struct function *before = NULL;

	for (unsigned i = 0; i <= compiler->functions->len && start < end; i++) {
		const struct function *function =
			&g_array_index(compiler->functions, struct function, i);
		bool is_last = i == compiler->functions->len;
		uint64_t to = is_last ? end : MIN(function->start, end);
		struct gap gap = { .compiler = compiler, .start = start, .end = to };
		unsigned n;

		spt_labels_within(compiler->labels, start, to, &n);
		gap.is_rest = to > start && to - start < SPT_EXTRACT_LARGE_GAP_BYTES && !n;
		if (gap.is_rest && to != end &&
		    !(spt_extract_is_gap(start, to) && before && before->end == start &&
		      ends_as_called(compiler, before)))
			gap.end = start;
		if (gap.end > start)
			g_array_append_val(gaps, gap);
		if (is_last || function->end <= start)
			continue;
		start = function->end;
		before = function;
	}
}

static bool has_functions(const struct compiler *compiler, const GElf_Shdr *shdr, const char *name,
			  uint64_t *ret_offset)
{
	return name && shdr->sh_type == SHT_PROGBITS && shdr->sh_flags & SHF_EXECINSTR &&
	       !g_str_has_prefix(name, ".plt") &&
	       spt_object_address_to_offset(compiler->object, shdr->sh_addr, ret_offset) &&
	       *ret_offset < UINT32_MAX && shdr->sh_size < UINT32_MAX - *ret_offset;
}

/* The end of the section with code at @offset of the file; 0: there is none. */
static uint64_t find_code_end(const struct compiler *compiler, uint64_t offset)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	uint64_t start;

	for (unsigned n = 0;
	     n < SECTIONS_MAX && (scn = elf_nextscn(spt_object_elf(compiler->object), scn)); n++)
		if (gelf_getshdr(scn, &shdr) && has_functions(compiler, &shdr, "", &start) &&
		    offset >= start && offset - start < shdr.sh_size)
			return start + shdr.sh_size;
	return 0;
}

/*
 * Where a program begins, up to the next function.  That of the dynamic linker has no call frame
 * information, and ends by a jump, so that its instructions do not say what its stack was.
 */
static void cover_entry(struct compiler *compiler)
{
	uint64_t end = compiler->entry == UINT64_MAX ? 0 : find_code_end(compiler, compiler->entry);
	struct function entry = { .start = compiler->entry,
				  .n = 1,
				  .first = compiler->rows->len,
				  .number = compiler->functions->len };
	SptUnwindRule rule = spt_compile_no_caller(compiler);
	struct row row = { .offset = compiler->entry };

	for (unsigned i = 0; i < compiler->functions->len; i++) {
		const struct function *function =
			&g_array_index(compiler->functions, struct function, i);

		if (function->start > compiler->entry)
			end = MIN(end, function->start);
		else if (function->end > compiler->entry)
			return;
	}
	if (!end)
		return;
	entry.end = end;
	rule.is_guess = 1;
	row.rule = spt_compile_intern(compiler, &rule);
	g_array_append_val(compiler->rows, row);
	g_array_append_val(compiler->functions, entry);
}

static void guess_rest(struct compiler *compiler)
{
	g_autoptr(GArray) gaps = g_array_new(FALSE, FALSE, sizeof(struct gap)), labels = NULL;
	Elf *elf = spt_object_elf(compiler->object);
	Elf_Scn *scn = NULL;
	size_t names;

	if (compiler->arch->machine != EM_X86_64 || compiler->functions->len == 0 ||
	    elf_getshdrstrndx(elf, &names) != 0)
		return;
	compiler->labels = labels = read_labels(compiler->object);
	g_array_sort(compiler->functions, spt_compile_compare_functions);
	for (unsigned n = 0; n < SECTIONS_MAX && (scn = elf_nextscn(elf, scn)); n++) {
		GElf_Shdr shdr;
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		uint64_t offset;

		if (has_functions(compiler, &shdr, name, &offset))
			find_gaps(compiler, offset, offset + shdr.sh_size, gaps);
	}
	for (unsigned i = 0; i < gaps->len; i++) {
		struct gap *gap = &g_array_index(gaps, struct gap, i);
		unsigned n_labels;
		const SptLabel *first =
			spt_labels_within(labels, gap->start, gap->end, &n_labels);
		g_autofree SptLabel *here = g_memdup2(first, n_labels * sizeof(*first));
		Elf_Data *data = elf_getdata_rawchunk(elf, gap->start, gap->end - gap->start,
						      ELF_T_BYTE);

		if (!data || !data->d_buf)
			continue;
		gap->code = data->d_buf;
		for (unsigned k = 0; k < n_labels; k++)
			here[k].at -= gap->start;
		spt_guess_rules(data->d_buf, data->d_size, here, n_labels, on_guess, gap);
	}
}

void spt_compile_gaps(struct compiler *compiler)
{
	guess_rest(compiler);
	cover_entry(compiler);
}

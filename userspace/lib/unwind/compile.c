/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From call frame information, and what Go has instead (go.h), to the table.  Rows are gathered
 * function by function; where functions overlap, the one that begins first has the bytes, and
 * .eh_frame before .debug_frame.
 * Code described by none of them is followed itself (gaps.c).
 *
 * A function is what has an entry of its own.  A PLT has one for all that it leads to, so that its
 * entries are taken for functions by their size.
 */
#include "unwind/table.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "base/bytes.h"
#include "base/words.h"
#include "unwind/cfi.h"
#include "unwind/compile-private.h"
#include "unwind/extract.h"
#include "unwind/go.h"

/* Of packed sections; and the head of those of before there were flags for it. */
#define PACKED_MAX_RATIO 100
#define GNU_HEAD_BYTES 12
#define RULES_MAX (UINT16_MAX + 1u)
#define STARTS_MAX (SYSPROF_TABLE_MAX_BYTES / sizeof(uint32_t))
#define PLT_STEP 16
#define PLTS_MAX 16

/* Rules. */

/* DW_OP_bregN offset. */
static bool take_based(struct spt_bytes *from, uint64_t *ret_register, int64_t *ret_offset)
{
	uint8_t code = spt_take_number(from, 1);

	if (code == DW_OP_bregx)
		*ret_register = spt_take_leb(from);
	else if (code >= DW_OP_breg0 && code <= DW_OP_breg31)
		*ret_register = code - DW_OP_breg0;
	else
		return false;
	*ret_offset = spt_take_signed_leb(from);
	return !from->is_bad;
}

/*
 * The linker's description of a PLT with entries of 16 bytes: bregSP 8, breg_ip 0, 15, and, N, ge,
 * 3, shl, plus.
 */
static bool is_plt(const SptCfiExpression *expression, uint8_t *ret_from)
{
	static const uint8_t head[] = { DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and };
	static const uint8_t tail[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	const uint8_t *bytes = expression->bytes;

	if (expression->n != sizeof(head) + 1 + sizeof(tail) ||
	    memcmp(bytes, head, sizeof(head)) != 0 ||
	    memcmp(bytes + sizeof(head) + 1, tail, sizeof(tail)) != 0)
		return false;
	*ret_from = bytes[sizeof(head)] - DW_OP_lit0;
	return *ret_from < 16;
}

/*
 * breg_index 0, 8, mul, plus, before the value is read from there: OpenSSL's large numbers keep the
 * stack pointer behind an array.
 */
static bool take_index(struct spt_bytes *from, uint8_t *ret_register)
{
	static const uint8_t tail[] = { DW_OP_lit8, DW_OP_mul, DW_OP_plus, DW_OP_deref };
	uint64_t number;
	int64_t offset;

	if (!take_based(from, &number, &offset) || offset || number > UINT8_MAX ||
	    (size_t)(from->end - from->at) < sizeof(tail) ||
	    memcmp(from->at, tail, sizeof(tail)) != 0)
		return false;
	*ret_register = number;
	from->at += sizeof(tail);
	return true;
}

static bool compile_fits(int64_t value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

static bool make_cfa(const SptUnwindArch *arch, const SptCfiRow *row, SptUnwindRule *rule)
{
	struct spt_bytes from = spt_bytes_of(row->cfa.bytes, row->cfa.n);
	uint64_t number = row->cfa_register;
	int64_t offset = row->cfa_offset, add = 0;

	rule->cfa = SYSPROF_CFA_REGISTER;
	if (row->cfa.n && arch->machine == EM_X86_64 && is_plt(&row->cfa, &rule->plt_from)) {
		rule->cfa = SYSPROF_CFA_PLT;
		number = arch->sp;
		offset = 8;
	} else if (row->cfa.n) {
		if (!take_based(&from, &number, &offset))
			return false;
		if (from.at < from.end && *from.at == DW_OP_deref) {
			rule->cfa = SYSPROF_CFA_MEMORY;
			from.at++;
		} else if (from.at < from.end && *from.at != DW_OP_plus_uconst) {
			rule->cfa = SYSPROF_CFA_INDEXED;
			if (!take_index(&from, &rule->index_register) ||
			    rule->index_register >= arch->n_registers)
				return false;
		}
		if (from.at < from.end && *from.at == DW_OP_plus_uconst) {
			from.at++;
			add = (int64_t)spt_take_leb(&from);
		}
		if (from.at != from.end)
			return false;
	}
	if (rule->cfa == SYSPROF_CFA_REGISTER) {
		offset = (int64_t)((uint64_t)offset + (uint64_t)add);
		add = 0;
	}
	rule->cfa_register = number;
	rule->cfa_offset = offset;
	rule->cfa_add = add;
	return row->has_cfa && number < arch->n_registers && compile_fits(offset) &&
	       compile_fits(add);
}

static bool make_ra(const SptUnwindArch *arch, const SptCfiRegister *ra, SptUnwindRule *rule)
{
	switch (ra->where) {
	case SPT_CFI_UNDEFINED:
		rule->ra = SYSPROF_RA_NONE;
		return true;
	case SPT_CFI_AT_CFA:
		rule->ra = SYSPROF_RA_MEMORY;
		rule->ra_offset = ra->value;
		return compile_fits(ra->value);
	case SPT_CFI_IN_REGISTER:
		rule->ra = SYSPROF_RA_REGISTER;
		rule->ra_register = ra->value;
		return (uint64_t)ra->value < arch->n_registers;
	case SPT_CFI_UNSPECIFIED:
	case SPT_CFI_SAME:
		rule->ra = SYSPROF_RA_REGISTER;
		rule->ra_register = arch->ra;
		return arch->ra < arch->n_registers;
	default:
		return false;
	}
}

static void make_saved(const SptUnwindArch *arch, const SptCfiRegister *saved, unsigned slot,
		       SptUnwindRule *rule)
{
	struct spt_bytes from = spt_bytes_of(saved->expression.bytes, saved->expression.n);
	uint16_t *where = &rule->at_cfa;
	int64_t offset = saved->value;
	uint64_t number;

	if (saved->where == SPT_CFI_UNSPECIFIED || saved->where == SPT_CFI_SAME)
		return;
	if (saved->where == SPT_CFI_AT_EXPRESSION && take_based(&from, &number, &offset) &&
	    from.at == from.end && number == arch->fp)
		where = &rule->at_fp;
	else if (saved->where != SPT_CFI_AT_CFA)
		where = &rule->lost;
	if (offset % 8 || offset / 8 < INT16_MIN || offset / 8 > INT16_MAX)
		where = &rule->lost;
	*where |= 1u << slot;
	if (where != &rule->lost)
		rule->saved[slot] = offset / 8;
}

static bool is_signal_return(const struct compiler *compiler, const SptCfiRow *row)
{
	const uint8_t *expression = compiler->arch->signal_expression;

	if (!compiler->is_signal)
		return false;
	if (!expression[0])
		return true;
	return row->ra.where == SPT_CFI_AT_EXPRESSION && row->ra.expression.n == 3 &&
	       memcmp(row->ra.expression.bytes, expression, 3) == 0;
}

SptUnwindRule spt_compile_no_caller(const struct compiler *compiler)
{
	return (SptUnwindRule){ .cfa = SYSPROF_CFA_REGISTER,
				.cfa_register = compiler->arch->sp,
				.ra = SYSPROF_RA_NONE };
}

static SptUnwindRule compile_make_rule(const struct compiler *compiler, const SptCfiRow *row)
{
	SptUnwindRule rule = { .is_signal = compiler->is_signal };

	if (is_signal_return(compiler, row))
		return (SptUnwindRule){ .cfa = SYSPROF_CFA_SIGNAL, .is_signal = 1 };
	/* Where there is no caller, it does not matter whether its frame can be found. */
	if (row->ra.where == SPT_CFI_UNDEFINED)
		return spt_compile_no_caller(compiler);
	if (!make_cfa(compiler->arch, row, &rule) || !make_ra(compiler->arch, &row->ra, &rule))
		return (SptUnwindRule){ 0 };
	for (unsigned i = 0; i < compiler->arch->n_saved; i++)
		make_saved(compiler->arch, &row->saved[i], i, &rule);
	return rule;
}

static unsigned hash_rule(const void *key)
{
	const uint32_t *words = key;
	uint32_t hash = 0;

	for (unsigned i = 0; i < sizeof(SptUnwindRule) / 4; i++)
		hash = (hash ^ words[i]) * 0x9e3779b1u;
	return hash ^ hash >> 15;
}

static gboolean are_equal_rules(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(SptUnwindRule)) == 0;
}

uint16_t spt_compile_intern(struct compiler *compiler, const SptUnwindRule *rule)
{
	unsigned number = GPOINTER_TO_UINT(g_hash_table_lookup(compiler->known, rule));

	G_STATIC_ASSERT(sizeof(SptUnwindRule) == 48);
	if (number)
		return number - 1;
	if (compiler->rules->len == RULES_MAX)
		return 0;
	g_array_append_vals(compiler->rules, rule, 1);
	g_hash_table_insert(compiler->known, g_memdup2(rule, sizeof(*rule)),
			    GUINT_TO_POINTER(compiler->rules->len));
	return compiler->rules->len - 1;
}

/* Rows. */

static uint32_t step_at(const struct compiler *compiler, uint64_t address)
{
	for (unsigned i = 0; i < compiler->plts->len; i++) {
		const struct plt *plt = &g_array_index(compiler->plts, struct plt, i);

		if (address >= plt->start && address < plt->end)
			return plt->step;
	}
	return 0;
}

static bool compile_on_function(uint64_t start, uint64_t end, bool is_signal, void *data)
{
	struct compiler *compiler = data;
	struct function function = { .first = compiler->rows->len,
				     .number = compiler->functions->len };
	uint64_t offset;

	if (!spt_object_address_to_offset(compiler->object, start, &offset) ||
	    offset + (end - start) >= UINT32_MAX || offset + (end - start) < offset ||
	    compiler->functions->len == UINT32_MAX)
		return false;
	function.start = offset;
	function.end = offset + (end - start);
	function.step = step_at(compiler, start);
	g_array_append_val(compiler->functions, function);
	compiler->address = start;
	compiler->is_signal = is_signal;
	return true;
}

static void on_rule(uint64_t address, const SptUnwindRule *rule, void *data)
{
	struct compiler *compiler = data;
	struct function *function =
		&g_array_index(compiler->functions, struct function, compiler->functions->len - 1);
	struct row row = { function->start + (address - compiler->address),
			   spt_compile_intern(compiler, rule) };

	if (function->n &&
	    g_array_index(compiler->rows, struct row, compiler->rows->len - 1).rule == row.rule)
		return;
	g_array_append_val(compiler->rows, row);
	function->n++;
}

static void compile_on_row(uint64_t address, const SptCfiRow *cfi, void *data)
{
	SptUnwindRule rule = compile_make_rule(data, cfi);

	on_rule(address, &rule, data);
}

static bool on_go_function(uint64_t start, uint64_t end, void *data)
{
	return compile_on_function(start, end, false, data);
}

int spt_compile_compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void compile_put_row(GArray *to, uint32_t offset, uint16_t rule)
{
	struct row row = { offset, rule };

	/* Positions where one ends and the next begins. */
	if (to->len && g_array_index(to, struct row, to->len - 1).offset == offset)
		g_array_set_size(to, to->len - 1);
	if (to->len ? g_array_index(to, struct row, to->len - 1).rule == rule : rule == 0)
		return;
	g_array_append_val(to, row);
}

/* The starts of @function that are not @covered. */
static void put_starts(GArray *to, const struct function *function, uint32_t covered)
{
	uint32_t start = MAX(function->start, covered);

	if (function->is_part)
		return;
	g_array_append_val(to, start);
	if (!function->step)
		return;
	for (uint64_t at = (uint64_t)function->start + function->step;
	     at < function->end && to->len <= STARTS_MAX; at += function->step) {
		uint32_t next = at;

		if (next > start)
			g_array_append_val(to, next);
	}
}

/*
 * All rows, strictly rising, each with another rule than the one before; starts of functions go
 * into @starts.
 */
static GArray *compile_merge(struct compiler *compiler, GArray *starts)
{
	GArray *merged = g_array_sized_new(FALSE, FALSE, sizeof(struct row), compiler->rows->len);
	uint32_t covered = 0;

	g_array_sort(compiler->functions, spt_compile_compare_functions);
	for (unsigned i = 0; i < compiler->functions->len; i++) {
		const struct function *function =
			&g_array_index(compiler->functions, struct function, i);

		if (function->end <= covered)
			continue;
		put_starts(starts, function, covered);
		for (uint32_t row = 0; row < function->n; row++) {
			const struct row *from =
				&g_array_index(compiler->rows, struct row, function->first + row);

			compile_put_row(merged, MAX(from->offset, covered), from->rule);
		}
		covered = function->end;
		compile_put_row(merged, covered, 0);
	}
	return merged;
}

static SptUnwindTable *make_table(struct compiler *compiler, GError **error)
{
	g_autoptr(GArray) starts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autoptr(GArray) rows = compile_merge(compiler, starts);
	SptUnwindHeader header = {
		.magic = SYSPROF_TABLE_MAGIC,
		.version = SYSPROF_TABLE_VERSION,
		.machine = compiler->arch->machine,
		.n_rows = rows->len,
		.n_rules = compiler->rules->len,
	};
	size_t rules_at = sizeof(header) + (rows->len * (size_t)6 + 7) / 8 * 8;
	size_t starts_at = rules_at + compiler->rules->len * sizeof(SptUnwindRule);
	size_t n = starts_at + (starts->len * (size_t)4 + 7) / 8 * 8;
	uint8_t *data;
	g_autoptr(GBytes) bytes = NULL;
	uint32_t *offsets;
	uint16_t *rules;

	/* Stacks are more important than functions' names. */
	header.n_starts = n <= SYSPROF_TABLE_MAX_BYTES ? starts->len : 0;
	if (!header.n_starts)
		n = starts_at;
	data = g_malloc0(n);
	bytes = g_bytes_new_take(data, n);
	offsets = (void *)(data + sizeof(header));
	rules = (void *)(offsets + rows->len);
	memcpy(data, &header, sizeof(header));
	for (uint32_t i = 0; i < rows->len; i++) {
		offsets[i] = g_array_index(rows, struct row, i).offset;
		rules[i] = g_array_index(rows, struct row, i).rule;
	}
	memcpy(data + rules_at, compiler->rules->data, starts_at - rules_at);
	if (header.n_starts)
		memcpy(data + starts_at, starts->data, header.n_starts * sizeof(uint32_t));
	return spt_unwind_table_new_from_bytes(bytes, error);
}

static Elf_Scn *find_section(const SptObject *file, const char *name, GElf_Shdr *ret_header)
{
	Elf *elf = spt_object_elf(file);
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *this_name = gelf_getshdr(scn, ret_header) ?
						elf_strptr(elf, names, ret_header->sh_name) :
						NULL;

		if (this_name && strcmp(this_name, name) == 0)
			return scn;
	}
	return NULL;
}

/*
 * Unpacks a section, which stays so for all later readers of @file.  False: it is not packed, or is
 * too large, or libelf does not know how.  What claims to shrink further than anything does is not
 * unpacked.
 */
static bool compile_unpack(const SptObject *file, Elf_Scn *scn, GElf_Shdr *header)
{
	bool is_gnu = !(header->sh_flags & SHF_COMPRESSED);
	const Elf_Data *head = elf_getdata_rawchunk(spt_object_elf(file), header->sh_offset,
						    GNU_HEAD_BYTES, ELF_T_BYTE);
	GElf_Chdr packing = { 0 };

	if (!head || header->sh_size > SPT_COMPILE_SECTION_MAX_BYTES)
		return false;
	if (is_gnu) {
		uint64_t bytes;

		memcpy(&bytes, (const uint8_t *)head->d_buf + 4, sizeof(bytes));
		packing.ch_size = GUINT64_FROM_BE(bytes);
	} else if (!gelf_getchdr(scn, &packing)) {
		return false;
	}
	if (packing.ch_size > SPT_COMPILE_SECTION_MAX_BYTES ||
	    packing.ch_size / PACKED_MAX_RATIO > header->sh_size)
		return false;
	return (is_gnu ? elf_compress_gnu(scn, 0, 0) : elf_compress(scn, 0, 0)) >= 0 &&
	       gelf_getshdr(scn, header);
}

/* NULL: it is not there, or empty. */
static const Elf_Data *read_bytes(const SptObject *file, const char *name, GElf_Shdr *ret_header)
{
	g_autofree char *packed = g_str_has_prefix(name, ".debug_") ?
					  g_strconcat(".z", name + 1, NULL) :
					  NULL;
	Elf_Scn *scn = find_section(file, name, ret_header);
	Elf_Data *data;

	if (scn && packed && ret_header->sh_flags & SHF_COMPRESSED) {
		data = compile_unpack(file, scn, ret_header) ? elf_getdata(scn, NULL) : NULL;
	} else if (!scn && packed && (scn = find_section(file, packed, ret_header))) {
		data = compile_unpack(file, scn, ret_header) ? elf_getdata(scn, NULL) : NULL;
	} else {
		data = scn ? spt_object_section(file, scn, ELF_T_BYTE,
						SPT_COMPILE_SECTION_MAX_BYTES) :
			     NULL;
	}
	return data && data->d_buf ? data : NULL;
}

/* Reads @file, which is the object or has its addresses. */
static bool read_section(struct compiler *compiler, const SptObject *file, const char *name)
{
	SptCfiSink sink = { compile_on_function, compile_on_row, compiler };
	GElf_Shdr shdr;
	const Elf_Data *data = read_bytes(file, name, &shdr);

	if (!data)
		return false;
	spt_cfi_read(&(SptCfiSection){ data->d_buf, data->d_size, shdr.sh_addr,
				       strcmp(name, ".debug_frame") == 0 },
		     compiler->arch, &sink);
	return true;
}

static bool read_go(struct compiler *compiler)
{
	SptGoSink sink = { on_go_function, on_rule, compiler };
	GElf_Shdr shdr, text;
	const Elf_Data *data = NULL;

	if (compiler->arch->machine != EM_X86_64)
		return false;
	for (unsigned i = 0; !data && i < G_N_ELEMENTS(spt_extract_go); i++)
		data = read_bytes(compiler->object, spt_extract_go[i], &shdr);
	return data && find_section(compiler->object, ".text", &text) &&
	       spt_go_read(data->d_buf, data->d_size, text.sh_addr, &sink);
}

static GArray *find_plts(const SptObject *object)
{
	GArray *plts = g_array_new(FALSE, FALSE, sizeof(struct plt));
	Elf *elf = spt_object_elf(object);
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return plts;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		struct plt plt;

		if (!name || !g_str_has_prefix(name, ".plt") || plts->len == PLTS_MAX)
			continue;
		plt.start = shdr.sh_addr;
		plt.end = shdr.sh_addr + shdr.sh_size;
		plt.step = shdr.sh_entsize >= 8 && shdr.sh_entsize <= 64 ? shdr.sh_entsize :
									   PLT_STEP;
		g_array_append_val(plts, plt);
	}
	return plts;
}

SptUnwindTable *spt_unwind_table_new(const SptObject *object, GError **error)
{
	return spt_unwind_table_new_with_debug(object, NULL, error);
}

SptUnwindTable *spt_unwind_table_new_with_debug(const SptObject *object, const SptObject *debug,
						GError **error)
{
	GElf_Ehdr ehdr;
	bool is_known = gelf_getehdr(spt_object_elf(object), &ehdr) &&
			ehdr.e_ident[EI_CLASS] == ELFCLASS64 &&
			ehdr.e_ident[EI_DATA] ==
				(G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB);
	struct compiler compiler = { .object = object,
				     .arch = is_known ? spt_unwind_arch(ehdr.e_machine) : NULL };
	SptUnwindTable *table = NULL;
	bool has_eh, has_go, has_debug;

	if (!compiler.arch) {
		spt_set_error(
			error, SPT_UNWIND_ERROR, SPT_UNWIND_ERROR_NO_INFO,
			"Stacks cannot be unwound through %s: it is for a machine that is not known here",
			spt_object_name(object));
		return NULL;
	}
	compiler.rows = g_array_new(FALSE, FALSE, sizeof(struct row));
	compiler.functions = g_array_new(FALSE, FALSE, sizeof(struct function));
	compiler.rules = g_array_new(FALSE, FALSE, sizeof(SptUnwindRule));
	compiler.known = g_hash_table_new_full(hash_rule, are_equal_rules, g_free, NULL);
	compiler.plts = find_plts(object);
	spt_compile_intern(&compiler, &(SptUnwindRule){ 0 });
	has_eh = read_section(&compiler, object, ".eh_frame");
	has_go = read_go(&compiler);
	has_debug = read_section(&compiler, object, ".debug_frame");
	if (debug)
		has_debug |= read_section(&compiler, debug, ".debug_frame");
	if (!spt_object_address_to_offset(object, ehdr.e_entry, &compiler.entry))
		compiler.entry = UINT64_MAX;
	spt_compile_gaps(&compiler);
	if (has_eh || has_go || has_debug)
		table = make_table(&compiler, error);
	else
		spt_set_error(
			error, SPT_UNWIND_ERROR, SPT_UNWIND_ERROR_NO_INFO,
			"Stacks cannot be unwound through %s: it has neither .eh_frame nor .debug_frame",
			spt_object_name(object));
	g_array_unref(compiler.rows);
	g_array_unref(compiler.functions);
	g_array_unref(compiler.rules);
	g_array_unref(compiler.plts);
	g_hash_table_unref(compiler.known);
	return table;
}

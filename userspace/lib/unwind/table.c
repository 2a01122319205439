/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The finished table: checks it, and searches in it. */
#include "unwind/table.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/words.h"

#define LEAST_SHIFT 8
#define ROWS_OF_PAGE 8
/* The first and last instructions of functions that keep a frame pointer do so without. */
#define KEPT_PERCENT 60

struct SptUnwindTable {
	gatomicrefcount references;
	GBytes *bytes;
	const SptUnwindHeader *header;
	const uint32_t *offsets;
	const uint16_t *rules;
	const SptUnwindRule *rule;
	const uint32_t *starts;
	/*
	 * Where the search begins: first_row[i] is the first row that begins in page first_page + i
	 * or behind it.
	 */
	uint32_t *first_row;
	uint32_t first_page, n_pages;
	unsigned shift;			/* of a page */
	bool keeps_frame_pointer, is_mapped;
};

G_DEFINE_QUARK(spt-unwind-error-quark, spt_unwind_error)

static const char *wrong_rule(const SptUnwindRule *rule, const SptUnwindArch *arch)
{
	unsigned slots = (1u << arch->n_saved) - 1;

	if (rule->cfa > SYSPROF_CFA_SWITCH || rule->ra > SYSPROF_RA_REGISTER || rule->is_signal > 1)
		return SPT_WORDS("a rule of an unknown kind");
	if (rule->cfa_register >= arch->n_registers || rule->ra_register >= arch->n_registers ||
	    (rule->cfa == SYSPROF_CFA_INDEXED && rule->index_register >= arch->n_registers))
		return SPT_WORDS("a rule with a register that the machine does not have");
	if ((rule->lost | rule->at_cfa | rule->at_fp) & ~slots || rule->at_cfa & rule->at_fp ||
	    rule->lost & (rule->at_cfa | rule->at_fp))
		return SPT_WORDS(
			"a rule that keeps a register in two places, or one that is not kept");
	return NULL;
}

static uint64_t rules_at(const SptUnwindHeader *header)
{
	return sizeof(*header) + (header->n_rows * 6ULL + 7) / 8 * 8;
}

static uint64_t starts_at(const SptUnwindHeader *header)
{
	return rules_at(header) + header->n_rules * (uint64_t)sizeof(SptUnwindRule);
}

/* NULL: the table is valid. */
static const char *wrong(const SptUnwindTable *table, size_t bytes)
{
	const SptUnwindHeader *header = table->header;
	const SptUnwindArch *arch = spt_unwind_arch(header->machine);
	const char *what;

	if (!arch)
		return SPT_WORDS("a machine that is not known");
	if (header->n_rules == 0 || header->n_rules > UINT16_MAX + 1u)
		return SPT_WORDS("too many rules, or none");
	if (header->reserved ||
	    starts_at(header) + (header->n_starts * 4ULL + 7) / 8 * 8 != bytes)
		return SPT_WORDS("another size than its counts give");
	for (uint32_t i = 1; i < header->n_starts; i++)
		if (table->starts[i] <= table->starts[i - 1])
			return SPT_WORDS("functions that are not in order");
	for (uint32_t i = 0; i < header->n_rows; i++) {
		if (i && table->offsets[i] <= table->offsets[i - 1])
			return SPT_WORDS("rows that are not in order");
		if (table->rules[i] >= header->n_rules)
			return SPT_WORDS("a row whose rule does not exist");
	}
	if (header->n_rows && table->rules[header->n_rows - 1] != 0)
		return SPT_WORDS("a last row that does not end");
	if (table->rule[0].cfa != SYSPROF_CFA_UNKNOWN)
		return SPT_WORDS("a first rule that is not the one of no information");
	for (uint32_t i = 0; i < header->n_rules; i++)
		if ((what = wrong_rule(&table->rule[i], arch)))
			return what;
	return NULL;
}

static void make_index(SptUnwindTable *table)
{
	uint32_t n = table->header->n_rows, row = 0;

	if (!n)
		return;
	/* Far fewer pages than rows: unlike these, what leads to them is all in memory. */
	for (table->shift = LEAST_SHIFT;
	     (table->offsets[n - 1] - table->offsets[0]) >> table->shift > MAX(n / ROWS_OF_PAGE, 1);
	     table->shift++)
		;
	table->first_page = table->offsets[0] >> table->shift;
	table->n_pages = (table->offsets[n - 1] >> table->shift) - table->first_page + 1;
	table->first_row = g_new(uint32_t, table->n_pages + 1);
	for (uint32_t page = 0; page < table->n_pages; page++) {
		while (table->offsets[row] >> table->shift < table->first_page + page)
			row++;
		table->first_row[page] = row;
	}
	table->first_row[table->n_pages] = n;
}

static bool is_by_frame_pointer(const SptUnwindRule *rule, const SptUnwindArch *arch)
{
	unsigned slot = 0;

	if (arch->calls_push)
		return rule->cfa == SYSPROF_CFA_REGISTER && rule->cfa_register == arch->fp;
	/*
	 * The CFA is an offset from the stack pointer in this case, too, but the return address is
	 * above the frame pointer.
	 */
	while (slot < arch->n_saved && arch->saved[slot] != arch->fp)
		slot++;
	return rule->ra == SYSPROF_RA_MEMORY && rule->at_cfa >> slot & 1 &&
	       rule->ra_offset == rule->saved[slot] * 8 + 8;
}

static bool keeps_frame_pointer(const SptUnwindTable *table)
{
	const SptUnwindArch *arch = spt_unwind_arch(table->header->machine);
	uint64_t known = 0, kept = 0;

	for (uint32_t i = 0; i + 1 < table->header->n_rows; i++) {
		const SptUnwindRule *rule = &table->rule[table->rules[i]];
		uint64_t bytes = table->offsets[i + 1] - table->offsets[i];

		/*
		 * Functions without calls have no return address to save, on machines where calls
		 * do not push it.
		 */
		if (rule->cfa != SYSPROF_CFA_REGISTER || rule->ra == SYSPROF_RA_NONE ||
		    (!arch->calls_push && rule->ra == SYSPROF_RA_REGISTER))
			continue;
		known += bytes;
		kept += is_by_frame_pointer(rule, arch) ? bytes : 0;
	}
	return kept > known / 100 * KEPT_PERCENT;
}

SptUnwindTable *spt_unwind_table_new_from_bytes(GBytes *bytes, GError **error)
{
	g_autoptr(SptUnwindTable) table = g_new0(SptUnwindTable, 1);
	const char *what = SPT_WORDS("no header of one");
	gsize n;
	const uint8_t *data = g_bytes_get_data(bytes, &n);

	g_atomic_ref_count_init(&table->references);
	table->bytes = g_bytes_ref(bytes);
	table->header = (const void *)data;
	if (n >= sizeof(*table->header) && table->header->magic == SYSPROF_TABLE_MAGIC &&
	    table->header->version == SYSPROF_TABLE_VERSION) {
		table->offsets = (const void *)(data + sizeof(*table->header));
		table->rules = (const void *)(table->offsets + table->header->n_rows);
		table->rule = (const void *)(data + MIN(rules_at(table->header), n));
		table->starts = (const void *)(data + MIN(starts_at(table->header), n));
		what = wrong(table, n);
	}
	if (what) {
		spt_set_error(error, SPT_UNWIND_ERROR, SPT_UNWIND_ERROR_BAD_TABLE,
			      "This is no unwind table: it has %s", spt_words(what));
		return NULL;
	}
	make_index(table);
	table->keeps_frame_pointer = keeps_frame_pointer(table);
	return g_steal_pointer(&table);
}

void spt_unwind_table_set_mapped(SptUnwindTable *table)
{
	table->is_mapped = true;
}

void spt_unwind_table_rest(const SptUnwindTable *table)
{
	gsize bytes;
	uintptr_t data = (uintptr_t)g_bytes_get_data(table->bytes, &bytes),
		  start = data & -(uintptr_t)getpagesize();

	if (table->is_mapped)
		madvise((void *)start, data + bytes - start, MADV_DONTNEED);
}

SptUnwindTable *spt_unwind_table_ref(SptUnwindTable *table)
{
	g_atomic_ref_count_inc(&table->references);
	return table;
}

void spt_unwind_table_unref(SptUnwindTable *table)
{
	if (!table || !g_atomic_ref_count_dec(&table->references))
		return;
	g_bytes_unref(table->bytes);
	g_free(table->first_row);
	g_free(table);
}

bool spt_unwind_table_keeps_frame_pointer(const SptUnwindTable *table)
{
	return table->keeps_frame_pointer;
}

GBytes *spt_unwind_table_bytes(const SptUnwindTable *table)
{
	return table->bytes;
}

const uint32_t *spt_unwind_table_starts(const SptUnwindTable *table, uint32_t *ret_n)
{
	*ret_n = table->header->n_starts;
	return table->starts;
}

const SptUnwindHeader *spt_unwind_table_header(const SptUnwindTable *table)
{
	return table->header;
}

/* The number of rows that begin at @offset or before it. */
static uint32_t count_rows(const SptUnwindTable *table, uint64_t offset)
{
	uint64_t page = (offset >> table->shift) - table->first_page;
	uint32_t low, high;

	if (!table->n_pages || offset < table->offsets[0])
		return 0;
	if (page >= table->n_pages)
		return table->header->n_rows;
	low = table->first_row[page];
	high = table->first_row[page + 1];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (table->offsets[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const SptUnwindRule *spt_unwind_table_find(const SptUnwindTable *table, uint64_t offset)
{
	uint32_t n = count_rows(table, offset);

	/* The last row has the first rule. */
	return &table->rule[n ? table->rules[n - 1] : 0];
}

static bool table_is_start(const SptUnwindTable *table, uint64_t offset)
{
	uint32_t low = 0, high = table->header->n_starts;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (table->starts[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->header->n_starts && table->starts[low] == offset;
}

const SptUnwindRule *spt_unwind_table_behind(const SptUnwindTable *table, uint64_t offset)
{
	uint32_t n = count_rows(table, offset), next = n;

	/* A row begins with an instruction. */
	if ((n && table->rules[n - 1] != 0 && table->offsets[n - 1] != offset) ||
	    !table_is_start(table, offset + 1))
		return NULL;
	if (next < table->header->n_rows && table->offsets[next] == offset + 1)
		next++;
	return next && table->rules[next - 1] ? &table->rule[table->rules[next - 1]] : NULL;
}

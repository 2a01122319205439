/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ranges of .eh_frame are read when the first address is requested.  Only for an address in
 * none of them, all code is searched for addresses in such gaps: targets of calls, on x86-64 also
 * of instructions that take an address, and values that the dynamic linker is to write into memory.
 * Code is searched byte by byte, since it is not known where its instructions begin.  So an address
 * counts only where the code before it ends: with a jump, a return, or padding.  Code is read in
 * parts, as some programs have a hundred megabytes of it.
 */
#include "unwind/functions.h"

#include <gelf.h>
#include <string.h>

#include "base/sort.h"
#include "unwind/cfi.h"

#define SECTION_MAX_BYTES (64u << 20)	/* of .eh_frame, relocations; those of programs have 20 */
#define CODE_MAX_BYTES (512u << 20)
#define STARTS_MAX (1u << 22)
#define STUB_BYTES 16
#define CODES_MAX 64			/* sections with code; programs have ten */
#define PART_BYTES (64u << 10)		/* of code that is searched at a time */
#define LONGEST 7			/* instruction that has an address, in bytes */
#define CHECK_BYTES (4u << 10)		/* of code that is read to see what is before addresses */
#define BEFORE 8			/* bytes that say whether code ends behind them */

/* A section with instructions. */
struct code {
	uint64_t address, offset, bytes;
};

struct SptFunctions {
	const SptObject *object;
	GArray *ranges;			/* SptRange, those that are described, by start */
	SptIntervals *listed;
	/* The parts of gaps, once an address in one was requested */
	GArray *cut;			/* SptRange */
	SptIntervals *guessed;
};

SptFunctions *spt_functions_new(void)
{
	return g_new0(SptFunctions, 1);
}

void spt_functions_free(SptFunctions *functions)
{
	if (!functions)
		return;
	g_clear_pointer(&functions->ranges, g_array_unref);
	g_clear_pointer(&functions->listed, spt_intervals_free);
	g_clear_pointer(&functions->cut, g_array_unref);
	g_clear_pointer(&functions->guessed, spt_intervals_free);
	g_free(functions);
}

static bool functions_on_function(uint64_t start, uint64_t end, G_GNUC_UNUSED bool is_signal,
				  void *data)
{
	SptFunctions *functions = data;
	SptRange range = { .bytes = end - start };

	if (spt_object_address_to_offset(functions->object, start, &range.start))
		g_array_append_val(functions->ranges, range);
	return false;
}

static const char *functions_name_of(Elf *elf, const GElf_Shdr *shdr)
{
	size_t names;
	const char *name =
		elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, shdr->sh_name) : NULL;

	return name ? name : "";
}

/* Each stub by itself, within the range of all; as many as are in the file. */
static void functions_add_stubs(SptFunctions *functions, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = spt_object_section(functions->object, scn, ELF_T_BYTE, SECTION_MAX_BYTES);
	uint64_t each = shdr->sh_entsize == 8 ? 8 : STUB_BYTES, n = data ? data->d_size / each : 0;

	for (uint64_t i = 0; i < n; i++) {
		SptRange range = { .bytes = each };

		if (!spt_object_address_to_offset(functions->object, shdr->sh_addr + i * each,
						  &range.start))
			break;
		g_array_append_val(functions->ranges, range);
	}
}

static void read_frames(SptFunctions *functions, Elf_Scn *scn, const GElf_Shdr *shdr,
			unsigned machine)
{
	SptCfiSink sink = { functions_on_function, NULL, functions };
	const SptUnwindArch *arch = spt_unwind_arch(machine);
	Elf_Data *data = spt_object_section(functions->object, scn, ELF_T_BYTE, SECTION_MAX_BYTES);

	if (arch && data && data->d_buf)
		spt_cfi_read(&(SptCfiSection){ data->d_buf, data->d_size, shdr->sh_addr, false },
			     arch, &sink);
}

/* As intervals.h needs ranges: one within another counts. */
static void sort_ranges(GArray *ranges)
{
	uint32_t n = ranges->len;
	struct spt_item *items = g_new(struct spt_item, MAX(n, 1)),
			*spare = g_new(struct spt_item, MAX(n, 1));
	g_autofree SptRange *copy = g_memdup2(ranges->data, n * sizeof(SptRange));
	SptRange *to = (SptRange *)(void *)ranges->data;

	for (uint32_t i = 0; i < n; i++)
		items[i] = (struct spt_item){ copy[i].start, i };
	spt_sort_items(&items, &spare, n);
	for (uint32_t i = 0; i < n; i++)
		to[i] = copy[items[i].index];
	/* Few begin where another one does. */
	for (uint32_t i = 1; i < n; i++)
		if (to[i].start == to[i - 1].start && to[i].bytes > to[i - 1].bytes) {
			SptRange swapped = to[i];

			to[i] = to[i - 1];
			to[i - 1] = swapped;
		}
	g_free(items);
	g_free(spare);
}

static void read_listed(SptFunctions *functions, const SptObject *object)
{
	Elf *elf = spt_object_elf(object);
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;
	bool is_known = elf && gelf_getehdr(elf, &ehdr) && ehdr.e_ident[EI_CLASS] == ELFCLASS64;

	functions->object = object;
	functions->ranges = g_array_new(FALSE, FALSE, sizeof(SptRange));
	while (is_known && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ? functions_name_of(elf, &shdr) : "";

		if (strcmp(name, ".eh_frame") == 0)
			read_frames(functions, scn, &shdr, ehdr.e_machine);
		else if (shdr.sh_flags & SHF_EXECINSTR &&
			 (strcmp(name, ".plt") == 0 || g_str_has_prefix(name, ".plt.")))
			functions_add_stubs(functions, scn, &shdr);
	}
	sort_ranges(functions->ranges);
	functions->listed = spt_intervals_new((const SptRange *)(void *)functions->ranges->data,
					      functions->ranges->len);
}

/* Gaps. */

struct search {
	SptFunctions *functions;
	GArray *codes;			/* struct code */
	GArray *starts;			/* SptRange of no bytes */
	unsigned machine;
};

/* The last part of a section that was read to see what is before an address in it. */
struct part {
	const struct code *code;
	uint64_t begin;			/* in the section */
	size_t n;
	uint8_t bytes[CHECK_BYTES];
};

static bool ends_x86(const uint8_t *at, size_t before)
{
	static const struct {
		uint8_t n, bytes[4];
	} paddings[] = {
		{ 3, { 0x0f, 0x1f, 0x00 } },		  { 4, { 0x0f, 0x1f, 0x40, 0x00 } },
		{ 5, { 0x0f, 0x1f, 0x44, 0x00 } },	  { 7, { 0x0f, 0x1f, 0x80, 0x00 } },
		{ 8, { 0x0f, 0x1f, 0x84, 0x00 } },	  { 7, { 0x8d, 0xb4, 0x26, 0x00 } },
		{ 2, { 0x0f, 0x0b } },
	};

	/* ret, int3, nop, hlt; jmp */
	if (memchr("\xc3\xcc\x90\xf4", at[-1], 4) || (before >= 5 && at[-5] == 0xe9) ||
	    (before >= 2 && at[-2] == 0xeb))
		return true;
	for (unsigned i = 0; i < G_N_ELEMENTS(paddings); i++)
		if (before >= paddings[i].n &&
		    memcmp(at - paddings[i].n, paddings[i].bytes, MIN(paddings[i].n, 4)) == 0)
			return true;
	return false;
}

static bool ends_arm64(const uint8_t *at, size_t before)
{
	uint32_t word;

	if (before < 4)
		return false;
	memcpy(&word, at - 4, 4);
	word = GUINT32_FROM_LE(word);
	/* ret, br; b; nop; udf, brk */
	return (word & 0xff9ffc1f) == 0xd61f0000 || (word & 0xfffffc1f) == 0xd65f0000 ||
	       (word & 0xfc000000) == 0x14000000 || word == 0xd503201f || word == 0 ||
	       (word & 0xffe0001f) == 0xd4200000;
}

/* Notes @address, of which it is not yet known whether the code before it ends there. */
static void add_start(struct search *search, uint64_t address)
{
	for (unsigned i = 0; i < search->codes->len; i++) {
		const struct code *code = &g_array_index(search->codes, struct code, i);
		SptRange start = { .start = code->offset + (address - code->address) };

		if (address - code->address >= code->bytes)
			continue;
		if (search->starts->len < STARTS_MAX &&
		    spt_intervals_find(search->functions->listed, start.start) == UINT32_MAX)
			g_array_append_val(search->starts, start);
		return;
	}
}

/* Whether the code before @offset, a position in the file, ends there. */
static bool functions_is_start(const struct search *search, struct part *part, uint64_t offset)
{
	const struct code *code = NULL;
	uint64_t at = 0;

	for (unsigned i = 0; i < search->codes->len && !code; i++) {
		const struct code *each = &g_array_index(search->codes, struct code, i);

		at = offset - each->offset;
		code = at < each->bytes ? each : NULL;
	}
	if (!code || at == 0)
		return code;
	if (code != part->code || at < part->begin + MIN(at, BEFORE) ||
	    at > part->begin + part->n) {
		part->code = code;
		part->begin = at - MIN(at, BEFORE);
		part->n = spt_object_read(search->functions->object, code->offset + part->begin,
					  part->bytes, MIN(CHECK_BYTES, code->bytes - part->begin));
		if (at > part->begin + part->n)
			return false;
	}
	at -= part->begin;
	return search->machine == EM_X86_64 ?
		       ends_x86(part->bytes + at, at) :
		       (part->begin + at) % 4 == 0 && ends_arm64(part->bytes + at, at);
}

/* Keeps each start once, and those alone before which code ends. */
static void check_starts(struct search *search)
{
	g_autofree struct part *part = g_new0(struct part, 1);
	SptRange *starts = (SptRange *)(void *)search->starts->data;
	uint64_t last = UINT64_MAX;
	unsigned n = 0;

	sort_ranges(search->starts);
	for (unsigned i = 0; i < search->starts->len; i++) {
		if (starts[i].start != last && functions_is_start(search, part, starts[i].start))
			starts[n++] = starts[i];
		last = starts[i].start;
	}
	g_array_set_size(search->starts, n);
}

static uint64_t relative(const uint8_t *at)
{
	int32_t distance;

	memcpy(&distance, at, 4);
	return (uint64_t)(int64_t)(int32_t)GINT32_FROM_LE(distance);
}

/* The instructions that begin in the first PART_BYTES of @bytes, which are at @address. */
static void search_x86(struct search *search, uint64_t address, const uint8_t *bytes, size_t n)
{
	const uint8_t *at, *end = bytes + MIN(n < LONGEST ? 0 : n - (LONGEST - 1), PART_BYTES);

	/* call */
	for (at = bytes; (at = memchr(at, 0xe8, (size_t)(end - at))); at++)
		add_start(search, address + (uint64_t)(at - bytes) + 5 + relative(at + 1));
	/* lea distance(%rip), register, by its second byte */
	for (at = bytes + 1; at <= end && (at = memchr(at, 0x8d, (size_t)(end + 1 - at))); at++)
		if ((at[-1] & 0xfb) == 0x48 && (at[1] & 0xc7) == 0x05)
			add_start(search, address + (uint64_t)(at - bytes) + 6 + relative(at + 2));
}

static void search_arm64(struct search *search, uint64_t address, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < PART_BYTES && i + 4 <= n; i += 4) {
		uint32_t word = (uint32_t)relative(bytes + i);

		/* bl */
		if ((word & 0xfc000000) == 0x94000000)
			add_start(search,
				  address + i +
					  (uint64_t)(((int64_t)(int32_t)(word << 6) >> 6) * 4));
	}
}

static void search_code(struct search *search, const struct code *code)
{
	g_autofree uint8_t *bytes = g_malloc(PART_BYTES + LONGEST);

	for (uint64_t at = 0; at < code->bytes; at += PART_BYTES) {
		size_t n = spt_object_read(search->functions->object, code->offset + at, bytes,
					   MIN(PART_BYTES + LONGEST - 1, code->bytes - at));

		if (search->machine == EM_X86_64)
			search_x86(search, code->address + at, bytes, n);
		else if (search->machine == EM_AARCH64)
			search_arm64(search, code->address + at, bytes, n);
	}
}

static void search_relocations(struct search *search, const SptObject *object, Elf_Scn *scn)
{
	Elf_Data *data = spt_object_section(object, scn, ELF_T_RELA, SECTION_MAX_BYTES);
	unsigned type = search->machine == EM_X86_64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE;
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
		if (GELF_R_TYPE(rela.r_info) == type)
			add_start(search, (uint64_t)rela.r_addend);
}

/*
 * The gaps themselves: from the end of a described function, or the start of a section, to the next
 * one.
 */
static void add_gaps(const struct search *search, GArray *cut)
{
	const GArray *listed = search->functions->ranges;

	for (unsigned i = 0; i < search->codes->len; i++) {
		const struct code *code = &g_array_index(search->codes, struct code, i);

		g_array_append_vals(cut, &(SptRange){ code->offset, code->bytes }, 1);
	}
	for (unsigned i = 0; i < listed->len; i++) {
		SptRange range = g_array_index(listed, SptRange, i);

		g_array_append_vals(cut, &(SptRange){ range.start + range.bytes, 0 }, 1);
		g_array_append_vals(cut, &(SptRange){ range.start, 0 }, 1);
	}
	g_array_append_vals(cut, search->starts->data, search->starts->len);
}

/* Each up to the next one; described functions are between them and are never looked up here. */
static void close_ranges(GArray *cut)
{
	uint64_t section_end = 0;

	sort_ranges(cut);
	for (unsigned i = 0; i < cut->len; i++) {
		SptRange *range = &g_array_index(cut, SptRange, i);

		section_end = MAX(section_end, range->start + range->bytes);
		range->bytes = MAX(section_end, range->start) - range->start;
		if (i + 1 < cut->len)
			range->bytes = MIN(range->bytes, range[1].start - range->start);
	}
}

static GArray *list_code(const SptObject *object, unsigned *ret_machine)
{
	GArray *codes = g_array_new(FALSE, FALSE, sizeof(struct code));
	Elf *elf = spt_object_elf(object);
	uint64_t left = CODE_MAX_BYTES;
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;

	*ret_machine = gelf_getehdr(elf, &ehdr) ? ehdr.e_machine : EM_NONE;
	while (codes->len < CODES_MAX && (scn = elf_nextscn(elf, scn))) {
		struct code code;

		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_EXECINSTR) ||
		    shdr.sh_type == SHT_NOBITS || (shdr.sh_flags & SHF_COMPRESSED) ||
		    shdr.sh_size == 0 || shdr.sh_size > left ||
		    !spt_object_address_to_offset(object, shdr.sh_addr, &code.offset))
			continue;
		code.address = shdr.sh_addr;
		code.bytes = shdr.sh_size;
		left -= code.bytes;
		g_array_append_val(codes, code);
	}
	return codes;
}

static void read_guessed(SptFunctions *functions, const SptObject *object)
{
	struct search search = { .functions = functions };
	g_autoptr(GArray) codes = list_code(object, &search.machine);
	g_autoptr(GArray) starts = g_array_new(FALSE, FALSE, sizeof(SptRange));
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	search.codes = codes;
	search.starts = starts;
	for (unsigned i = 0; i < codes->len; i++)
		search_code(&search, &g_array_index(codes, struct code, i));
	while ((scn = elf_nextscn(spt_object_elf(object), scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA)
			search_relocations(&search, object, scn);
	check_starts(&search);
	functions->cut = g_array_new(FALSE, FALSE, sizeof(SptRange));
	add_gaps(&search, functions->cut);
	close_ranges(functions->cut);
	functions->guessed = spt_intervals_new((const SptRange *)(void *)functions->cut->data,
					       functions->cut->len);
}

static bool functions_find(const SptIntervals *intervals, const GArray *ranges, uint64_t offset,
			   SptRange *ret)
{
	uint32_t index = spt_intervals_find(intervals, offset);

	if (index != UINT32_MAX)
		*ret = g_array_index(ranges, SptRange, index);
	return index != UINT32_MAX;
}

bool spt_functions_find(SptFunctions *functions, const SptObject *object, uint64_t offset,
			SptRange *ret)
{
	if (!functions->listed)
		read_listed(functions, object);
	if (functions_find(functions->listed, functions->ranges, offset, ret))
		return true;
	if (!functions->guessed)
		read_guessed(functions, object);
	return functions_find(functions->guessed, functions->cut, offset, ret);
}

void spt_functions_around(const SptFunctions *functions, uint64_t offset, uint64_t *ret_start,
			  uint64_t *ret_end)
{
	uint64_t start, end;

	spt_intervals_around(functions->listed, offset, ret_start, ret_end);
	if (spt_intervals_find(functions->listed, offset) != UINT32_MAX)
		return;
	spt_intervals_around(functions->guessed, offset, &start, &end);
	*ret_start = MAX(*ret_start, start);
	*ret_end = MIN(*ret_end, end);
}

bool spt_functions_gap(SptFunctions *functions, const SptObject *object, uint64_t least,
		       SptRange *ret)
{
	const SptRange *range;
	uint64_t end;

	if (!functions->listed)
		read_listed(functions, object);
	range = (const SptRange *)(void *)functions->ranges->data;
	end = functions->ranges->len ? range->start : 0;
	*ret = (SptRange){ 0 };
	for (uint32_t i = 0; i < functions->ranges->len; i++) {
		if (range[i].start > end && range[i].start - end > ret->bytes)
			*ret = (SptRange){ end, range[i].start - end };
		end = MAX(end, range[i].start + range[i].bytes);
	}
	return ret->bytes >= least;
}

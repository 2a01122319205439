/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs run without section headers, and some tools remove them.  What names and stacks need is
 * found as the C library finds it: code in executable segments, .eh_frame by .eh_frame_hdr, dynamic
 * symbols by the dynamic section.  The file may be hostile: what is used is checked to be in the
 * file, and each byte is passed a few times at most.
 */
#include "object/sections.h"

#include <elf.h>
#include <string.h>

#define SECTIONS_MAX 24
#define CODES_MAX 8
#define SEGMENTS_MAX 256
#define NAMES_BYTES 256
/* Of .eh_frame_hdr: version, three forms, and the distance to .eh_frame */
#define FRAMES_HEAD_BYTES 8
#define ENCODED_PCREL_SDATA4 0x1b

struct making {
	uint8_t *file;
	uint64_t bytes;
	const Elf64_Phdr *segments;
	unsigned n_segments;
	Elf64_Shdr sections[SECTIONS_MAX];
	unsigned n;			/* of them; the first one is none */
	char names[NAMES_BYTES];
	uint32_t names_bytes;
};

static bool is_within(const struct making *making, uint64_t at, uint64_t bytes)
{
	return at <= making->bytes && bytes <= making->bytes - at;
}

bool spt_sections_exist(const uint8_t *file, uint64_t bytes)
{
	Elf64_Ehdr head;

	if (bytes < sizeof(head))
		return true;
	memcpy(&head, file, sizeof(head));
	if (head.e_type != ET_EXEC && head.e_type != ET_DYN)
		return true;
	return head.e_shnum && head.e_shoff && head.e_shstrndx && head.e_shoff < bytes &&
	       head.e_shnum * (uint64_t)head.e_shentsize <= bytes - head.e_shoff;
}

/* The position of @address in the file, of which @ret_bytes follow; false: it is not in it. */
static bool sections_place_of(const struct making *making, uint64_t address, uint64_t *ret,
			      uint64_t *ret_bytes)
{
	for (unsigned i = 0; i < making->n_segments; i++) {
		const Elf64_Phdr *segment = &making->segments[i];
		uint64_t at = address - segment->p_vaddr;

		if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
		    at >= segment->p_filesz ||
		    !is_within(making, segment->p_offset, segment->p_filesz))
			continue;
		*ret = segment->p_offset + at;
		*ret_bytes = segment->p_filesz - at;
		return true;
	}
	return false;
}

static Elf64_Shdr *sections_add(struct making *making, const char *name, uint32_t type,
				uint64_t address, uint64_t at, uint64_t bytes)
{
	Elf64_Shdr *section = &making->sections[making->n];
	size_t length = strlen(name) + 1;

	if (making->n == SECTIONS_MAX || making->names_bytes + length > NAMES_BYTES)
		return NULL;
	making->n++;
	*section = (Elf64_Shdr){ .sh_name = making->names_bytes,
				 .sh_type = type,
				 .sh_flags = SHF_ALLOC,
				 .sh_addr = address,
				 .sh_offset = at,
				 .sh_size = bytes,
				 .sh_addralign = 1 };
	memcpy(making->names + making->names_bytes, name, length);
	making->names_bytes += length;
	return section;
}

static void sections_add_code(struct making *making)
{
	unsigned codes = 0;

	for (unsigned i = 0; i < making->n_segments && codes < CODES_MAX; i++) {
		const Elf64_Phdr *segment = &making->segments[i];
		Elf64_Shdr *section = NULL;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && segment->p_filesz &&
		    is_within(making, segment->p_offset, segment->p_filesz))
			section = sections_add(making, ".text", SHT_PROGBITS, segment->p_vaddr,
					       segment->p_offset, segment->p_filesz);
		if (!section)
			continue;
		section->sh_flags |= SHF_EXECINSTR;
		codes++;
	}
}

/* The size of the entries from @at on, up to the one that ends them, or to the end of @bytes. */
static uint64_t entries_bytes(const struct making *making, uint64_t at, uint64_t bytes)
{
	uint64_t done = 0;

	while (bytes - done >= 4) {
		uint32_t length;

		memcpy(&length, making->file + at + done, sizeof(length));
		/* Longer ones have no place in a program. */
		if (length == 0 || length >= 0xfffffff0 || length > bytes - done - 4)
			break;
		done += 4 + length;
	}
	return done;
}

static void sections_add_frames(struct making *making)
{
	for (unsigned i = 0; i < making->n_segments; i++) {
		const Elf64_Phdr *segment = &making->segments[i];
		const uint8_t *head;
		uint64_t address, at, left;
		int32_t distance;

		if (segment->p_type != PT_GNU_EH_FRAME || segment->p_filesz < FRAMES_HEAD_BYTES ||
		    !is_within(making, segment->p_offset, segment->p_filesz))
			continue;
		head = making->file + segment->p_offset;
		if (head[0] != 1 || head[1] != ENCODED_PCREL_SDATA4)
			continue;
		memcpy(&distance, head + 4, sizeof(distance));
		address = segment->p_vaddr + 4 + (uint64_t)(int64_t)distance;
		if (!sections_place_of(making, address, &at, &left))
			continue;
		sections_add(making, ".eh_frame_hdr", SHT_PROGBITS, segment->p_vaddr,
			     segment->p_offset, segment->p_filesz);
		sections_add(making, ".eh_frame", SHT_PROGBITS, address, at,
			     entries_bytes(making, at, left));
		return;
	}
}

/* Dynamic symbols. */

enum { STRTAB, STRSZ, SYMTAB, HASH, GNU_HASH, RELA, RELASZ, WANTED };

static void read_dynamic(const struct making *making, uint64_t values[WANTED])
{
	static const int64_t tags[WANTED] = { DT_STRTAB, DT_STRSZ,    DT_SYMTAB, DT_HASH,
					      DT_GNU_HASH, DT_RELA, DT_RELASZ };

	for (unsigned i = 0; i < making->n_segments; i++) {
		const Elf64_Phdr *segment = &making->segments[i];

		if (segment->p_type != PT_DYNAMIC ||
		    !is_within(making, segment->p_offset, segment->p_filesz))
			continue;
		for (uint64_t at = 0; segment->p_filesz - at >= sizeof(Elf64_Dyn);
		     at += sizeof(Elf64_Dyn)) {
			Elf64_Dyn entry;

			memcpy(&entry, making->file + segment->p_offset + at, sizeof(entry));
			if (entry.d_tag == DT_NULL)
				return;
			for (unsigned k = 0; k < WANTED; k++)
				if (entry.d_tag == tags[k])
					values[k] = entry.d_un.d_val;
		}
	}
}

static uint32_t word_at(const struct making *making, uint64_t at)
{
	uint32_t word;

	memcpy(&word, making->file + at, sizeof(word));
	return word;
}

/*
 * The number of symbols by GNU's hash table, which has them in order: the last one is the end of
 * the chain that begins last.
 */
static uint64_t count_by_gnu_hash(const struct making *making, uint64_t address)
{
	uint64_t at, left, buckets_at, n_buckets, first, last = 0;

	if (!sections_place_of(making, address, &at, &left) || left < 16)
		return 0;
	n_buckets = word_at(making, at);
	first = word_at(making, at + 4);
	buckets_at = 16 + word_at(making, at + 8) * 8ull;
	if (buckets_at + 4 * n_buckets > left)
		return 0;
	for (uint64_t i = 0; i < n_buckets; i++)
		last = MAX(last, word_at(making, at + buckets_at + 4 * i));
	if (last < first)
		return first;
	for (uint64_t chain = buckets_at + 4 * n_buckets + 4 * (last - first); chain + 4 <= left;
	     chain += 4, last++)
		if (word_at(making, at + chain) & 1)
			return last + 1;
	return 0;
}

static uint64_t count_symbols(const struct making *making, const uint64_t values[WANTED])
{
	uint64_t at, left;

	if (values[HASH] && sections_place_of(making, values[HASH], &at, &left) && left >= 8)
		return word_at(making, at + 4);
	if (values[GNU_HASH])
		return count_by_gnu_hash(making, values[GNU_HASH]);
	/* Linkers put the one before the other. */
	return values[STRTAB] > values[SYMTAB] ?
		       (values[STRTAB] - values[SYMTAB]) / sizeof(Elf64_Sym) :
		       0;
}

/* A symbol has the number of its section, from when there were others. */
static void number_symbols(const struct making *making, uint64_t at, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		Elf64_Sym symbol;

		memcpy(&symbol, making->file + at + i * sizeof(symbol), sizeof(symbol));
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
			continue;
		symbol.st_shndx = SHN_ABS;
		for (unsigned k = 1; k < making->n && symbol.st_shndx == SHN_ABS; k++)
			if (making->sections[k].sh_flags & SHF_EXECINSTR &&
			    symbol.st_value - making->sections[k].sh_addr <
				    making->sections[k].sh_size)
				symbol.st_shndx = k;
		memcpy(making->file + at + i * sizeof(symbol), &symbol, sizeof(symbol));
	}
}

static void sections_add_symbols(struct making *making)
{
	uint64_t values[WANTED] = { 0 }, at, left, texts_at, texts_left, n;
	Elf64_Shdr *section;

	read_dynamic(making, values);
	if (values[RELA] && sections_place_of(making, values[RELA], &at, &left) &&
	    values[RELASZ] <= left) {
		section = sections_add(making, ".rela.dyn", SHT_RELA, values[RELA], at,
				       values[RELASZ]);
		if (section)
			section->sh_entsize = sizeof(Elf64_Rela);
	}
	if (!values[SYMTAB] || !sections_place_of(making, values[SYMTAB], &at, &left) ||
	    !sections_place_of(making, values[STRTAB], &texts_at, &texts_left))
		return;
	n = MIN(count_symbols(making, values), left / sizeof(Elf64_Sym));
	number_symbols(making, at, n);
	section = sections_add(making, ".dynsym", SHT_DYNSYM, values[SYMTAB], at,
			       n * sizeof(Elf64_Sym));
	if (!section)
		return;
	section->sh_entsize = sizeof(Elf64_Sym);
	section->sh_link = making->n;
	section->sh_info = 1;
	section->sh_addralign = 8;
	sections_add(making, ".dynstr", SHT_STRTAB, values[STRTAB], texts_at,
		     MIN(values[STRSZ], texts_left));
}

uint64_t spt_sections_add(uint8_t *file, uint64_t bytes)
{
	struct making making = { .file = file, .bytes = bytes, .n = 1, .names_bytes = 1 };
	g_autofree Elf64_Phdr *segments = NULL;
	uint64_t names_at = (bytes + 7) / 8 * 8, sections_at = names_at + NAMES_BYTES;
	Elf64_Shdr *names;
	Elf64_Ehdr head;

	if (bytes < sizeof(head))
		return 0;
	memcpy(&head, file, sizeof(head));
	if (head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_ident[EI_DATA] !=
		    (G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB) ||
	    head.e_phentsize != sizeof(Elf64_Phdr) ||
	    !is_within(&making, head.e_phoff, head.e_phnum * sizeof(Elf64_Phdr)))
		return 0;
	making.n_segments = MIN(head.e_phnum, SEGMENTS_MAX);
	segments = g_memdup2(file + head.e_phoff, making.n_segments * sizeof(*segments));
	making.segments = segments;
	sections_add_code(&making);
	sections_add_frames(&making);
	sections_add_symbols(&making);
	names = sections_add(&making, ".shstrtab", SHT_STRTAB, 0, names_at, NAMES_BYTES);
	if (!names)
		return 0;
	names->sh_flags = 0;
	head.e_shoff = sections_at;
	head.e_shentsize = sizeof(Elf64_Shdr);
	head.e_shnum = making.n;
	head.e_shstrndx = making.n - 1;
	memcpy(file, &head, sizeof(head));
	memset(file + bytes, 0, names_at - bytes);
	memcpy(file + names_at, making.names, NAMES_BYTES);
	memcpy(file + sections_at, making.sections, making.n * sizeof(Elf64_Shdr));
	return sections_at + making.n * sizeof(Elf64_Shdr);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file may be hostile, and may change while it is read: only the copy is parsed, and nothing is
 * read twice.
 */
#include "unwind/extract.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object/sections.h"
#include "unwind/labels.h"

/* Of one file; the largest programs have 20 MiB. */
#define ALL_MAX_BYTES	(160u << 20)
#define NAMES_MAX_BYTES (1u << 20)
/* Of .eh_frame_hdr: four bytes, its section's position, and the number of pairs that follow */
#define SEARCH_TABLE_AT 12
#define SEARCH_TABLE_PAIR 8
/* Sections with code: each is compared with the whole table. */
#define CODES_MAX 16

#define HERE (G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB)

const char *const spt_extract_go[SPT_EXTRACT_GO] = { ".gopclntab", ".data.rel.ro.gopclntab" };

struct extract {
	int from, to;	     /* to: -1: it is not copied */
	uint64_t size, left; /* of the file; bytes that may still be read */
	GChecksum *sum;
};

/* The next part of the copy; to be freed, NULL: it does not exist, or is too large. */
static void *extract_take(struct extract *extract, uint64_t at, uint64_t bytes)
{
	const uint64_t place[] = { at, bytes };
	uint64_t done = 0;
	uint8_t *data;

	if (at > extract->size || bytes > extract->size - at || bytes > extract->left)
		return NULL;
	data = g_try_malloc(bytes + 1);
	while (data && done < bytes) {
		ssize_t n = pread(extract->from, data + done, bytes - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || (extract->to >= 0 &&
			       pwrite(extract->to, data + done, n, (off_t)(at + done)) != n))
			g_clear_pointer(&data, g_free);
		done += MAX(n, 0);
	}
	if (!data)
		return NULL;
	data[bytes] = 0;
	extract->left -= bytes;
	g_checksum_update(extract->sum, (const guchar *)place, sizeof(place));
	g_checksum_update(extract->sum, data, (gssize)bytes);
	return data;
}

struct sections {
	const Elf64_Shdr *headers;
	unsigned n;
	const char *names;
	uint64_t names_bytes;
};

static bool extract_is_called(const struct sections *sections, unsigned i, const char *name)
{
	return sections->headers[i].sh_name < sections->names_bytes &&
	       !strcmp(sections->names + sections->headers[i].sh_name, name);
}

static bool has_symbols(const struct sections *sections, unsigned i)
{
	return sections->headers[i].sh_type == SHT_SYMTAB ||
	       sections->headers[i].sh_type == SHT_DYNSYM;
}

static bool extract_is_wanted(const struct sections *sections, unsigned i)
{
	static const char *const wanted[] = { ".eh_frame", ".eh_frame_hdr", ".debug_frame",
					      ".zdebug_frame", ".gnu_debuglink" };

	if (sections->headers[i].sh_type == SHT_NOBITS || sections->headers[i].sh_size == 0)
		return false;
	for (unsigned k = 0; k < G_N_ELEMENTS(wanted); k++)
		if (extract_is_called(sections, i, wanted[k]))
			return true;
	for (unsigned k = 0; k < G_N_ELEMENTS(spt_extract_go); k++)
		if (extract_is_called(sections, i, spt_extract_go[k]))
			return true;
	return sections->headers[i].sh_type == SHT_NOTE || has_symbols(sections, i);
}

/* By their addresses. */
static void add_labels(GArray *labels, const struct sections *sections, const uint8_t *bytes,
		       uint64_t n)
{
	for (uint64_t at = 0; n - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;

		memcpy(&symbol, bytes + at, sizeof(symbol));
		if (symbol.st_shndx < sections->n &&
		    sections->headers[symbol.st_shndx].sh_flags & SHF_EXECINSTR)
			spt_labels_add(labels, symbol.st_value, symbol.st_info, symbol.st_shndx);
	}
}

/* The contents of .eh_frame and of the table of its entries; bytes: NULL: it does not exist. */
struct frames {
	uint8_t *entries, *table;
	uint64_t entries_at, entries_bytes, table_at, table_bytes;	/* at: addresses */
};

static int32_t extract_number_at(const uint8_t *bytes, uint64_t at)
{
	int32_t number;

	memcpy(&number, bytes + at, sizeof(number));
	return number;
}

static uint32_t n_pairs(const struct frames *frames)
{
	/* As linkers make it: a count of four bytes, and pairs of distances from itself. */
	if (!frames->entries || !frames->table || frames->table_bytes < SEARCH_TABLE_AT ||
	    frames->table[0] != 1 || frames->table[2] != DW_EH_PE_udata4 ||
	    frames->table[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return 0;
	return MIN((uint32_t)extract_number_at(frames->table, 8),
		   (frames->table_bytes - SEARCH_TABLE_AT) / SEARCH_TABLE_PAIR);
}

/*
 * The start of pair @i's function, and its size; 0 if the entry is not in the form that compilers
 * use.
 */
static uint64_t extract_start_of(const struct frames *frames, uint32_t i, uint32_t *ret_bytes)
{
	uint64_t pair = SEARCH_TABLE_AT + (uint64_t)i * SEARCH_TABLE_PAIR;
	uint64_t start =
		frames->table_at + (uint64_t)(int64_t)extract_number_at(frames->table, pair);
	uint64_t entry = frames->table_at +
			 (uint64_t)(int64_t)extract_number_at(frames->table, pair + 4) -
			 frames->entries_at;

	*ret_bytes = 0;
	/* Length, reference, start from here on, size. */
	if (entry < frames->entries_bytes && frames->entries_bytes - entry >= 16 &&
	    frames->entries_at + entry + 8 +
			    (uint64_t)(int64_t)extract_number_at(frames->entries, entry + 8) ==
		    start)
		*ret_bytes = (uint32_t)extract_number_at(frames->entries, entry + 12);
	return start;
}

/*
 * The code of a section between the functions of @frames.  Wrong information about these only
 * changes which code is taken, and that allows nothing that the code itself could not do.
 */
static void take_gaps(struct extract *extract, const struct frames *frames, const GArray *labels,
		      const Elf64_Shdr *section)
{
	uint64_t at = section->sh_addr, end = section->sh_addr + section->sh_size;

	for (uint32_t i = 0, n = n_pairs(frames); n && i <= n && at < end; i++) {
		uint32_t bytes = 0;
		uint64_t start = i < n ? extract_start_of(frames, i, &bytes) : end;
		uint64_t to = MIN(start, end);
		unsigned n_labels;

		spt_labels_within(labels, at, to, &n_labels);
		if (to > at && (spt_extract_is_gap(at, to) || n_labels || to == end))
			g_free(extract_take(extract, section->sh_offset + (at - section->sh_addr),
					    to - at));
		at = MAX(at, start + bytes);
	}
}

static void take_code(struct extract *extract, const struct frames *frames, const GArray *labels,
		      const struct sections *sections)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sections->n && n < CODES_MAX; i++)
		if (sections->headers[i].sh_type == SHT_PROGBITS &&
		    sections->headers[i].sh_flags & SHF_EXECINSTR) {
			take_gaps(extract, frames, labels, &sections->headers[i]);
			n++;
		}
}

/* The part beyond the file's end is skipped, as the reader of the copy does. */
static void take_sections(struct extract *extract, const Elf64_Ehdr *head)
{
	g_autofree Elf64_Shdr *headers =
		extract_take(extract, head->e_shoff, (uint64_t)head->e_shnum * sizeof(*headers));
	const Elf64_Shdr *texts = headers && head->e_shstrndx < head->e_shnum ?
					  &headers[head->e_shstrndx] :
					  NULL;
	g_autofree char *names =
		texts && texts->sh_type != SHT_NOBITS && texts->sh_size <= NAMES_MAX_BYTES ?
			extract_take(extract, texts->sh_offset, texts->sh_size) :
			NULL;
	struct sections sections = { headers, names ? head->e_shnum : 0, names,
				     names ? texts->sh_size : 0 };
	g_autoptr(GArray) labels = g_array_new(FALSE, FALSE, sizeof(SptLabel));
	struct frames frames = { 0 };

	for (unsigned i = 0; i < sections.n; i++) {
		const Elf64_Shdr *header = &headers[i];
		g_autofree uint8_t *bytes =
			extract_is_wanted(&sections, i) ?
				extract_take(extract, header->sh_offset, header->sh_size) :
				NULL;

		if (bytes && has_symbols(&sections, i))
			add_labels(labels, &sections, bytes, header->sh_size);
		else if (bytes && !frames.entries && extract_is_called(&sections, i, ".eh_frame")) {
			frames.entries = g_steal_pointer(&bytes);
			frames.entries_at = header->sh_addr;
			frames.entries_bytes = header->sh_size;
		} else if (bytes && !frames.table &&
			   extract_is_called(&sections, i, ".eh_frame_hdr")) {
			frames.table = g_steal_pointer(&bytes);
			frames.table_at = header->sh_addr;
			frames.table_bytes = header->sh_size;
		}
	}
	spt_labels_sort(labels);
	take_code(extract, &frames, labels, &sections);
	g_free(frames.entries);
	g_free(frames.table);
}

static bool take_all(struct extract *extract)
{
	g_autofree Elf64_Ehdr *head = extract_take(extract, 0, sizeof(*head));
	g_autofree Elf64_Phdr *segments = NULL;
	bool has_sections = head && spt_sections_exist((const uint8_t *)head, extract->size);

	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != HERE ||
	    head->e_phentsize != sizeof(*segments) ||
	    (has_sections && head->e_shentsize != sizeof(Elf64_Shdr)))
		return false;
	segments =
		extract_take(extract, head->e_phoff, (uint64_t)head->e_phnum * sizeof(*segments));
	for (unsigned i = 0; segments && i < head->e_phnum; i++)
		if (segments[i].p_type == PT_NOTE ||
		    /* The reader of the copy makes sections of it, as it would of the file. */
		    (segments[i].p_type == PT_LOAD && !has_sections))
			g_free(extract_take(extract, segments[i].p_offset, segments[i].p_filesz));
	if (has_sections)
		take_sections(extract, head);
	return segments != NULL;
}

static bool extract_parts(int fd, int to, uint8_t ret_key[SPT_EXTRACT_KEY_BYTES])
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	struct extract extract = { .from = fd, .to = to, .left = ALL_MAX_BYTES, .sum = sum };
	gsize bytes = SPT_EXTRACT_KEY_BYTES;
	struct stat stat;

	if (fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode))
		return false;
	extract.size = (uint64_t)stat.st_size;
	if ((to >= 0 && ftruncate(to, stat.st_size) < 0) || !take_all(&extract))
		return false;
	g_checksum_update(sum, (const guchar *)&extract.size, sizeof(extract.size));
	g_checksum_get_digest(sum, ret_key, &bytes);
	return true;
}

bool spt_extract_key(int fd, uint8_t ret_key[SPT_EXTRACT_KEY_BYTES])
{
	return extract_parts(fd, -1, ret_key);
}

int spt_extract(int fd, uint8_t ret_key[SPT_EXTRACT_KEY_BYTES])
{
	int to = memfd_create("extract", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (to < 0)
		return -1;
	if (extract_parts(fd, to, ret_key) &&
	    fcntl(to, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) == 0)
		return to;
	close(to);
	return -1;
}

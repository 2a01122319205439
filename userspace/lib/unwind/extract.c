/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file may be hostile, and change while it is read: what is parsed here is what was copied, and
 * nothing is read twice.
 */
#include "unwind/extract.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of one file; the largest programs have 20 MiB. */
#define ALL_MAX_BYTES	(160u << 20)
#define NAMES_MAX_BYTES (1u << 20)

#define HERE (G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB)

struct extract {
	int from, to;	     /* to: -1: it is not copied */
	uint64_t size, left; /* of the file; that may still be read */
	GChecksum *sum;
};

/* The next part of the copy; to be freed, NULL: it is not there, or too much. */
static void *take(struct extract *extract, uint64_t at, uint64_t bytes)
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

static bool is_wanted(const Elf64_Shdr *section, const char *names, uint64_t names_bytes)
{
	static const char *const wanted[] = { ".eh_frame", ".debug_frame", ".gnu_debuglink" };

	if (section->sh_type == SHT_NOBITS || section->sh_size == 0)
		return false;
	for (unsigned i = 0; section->sh_name < names_bytes && i < G_N_ELEMENTS(wanted); i++)
		if (!strcmp(names + section->sh_name, wanted[i]))
			return true;
	return section->sh_type == SHT_NOTE;
}

/* What is claimed to lie beyond the file's end is left out, as it is by who reads the copy. */
static void take_sections(struct extract *extract, const Elf64_Ehdr *head)
{
	g_autofree Elf64_Shdr *sections =
		take(extract, head->e_shoff, (uint64_t)head->e_shnum * sizeof(*sections));
	const Elf64_Shdr *texts =
		sections && head->e_shstrndx < head->e_shnum ? &sections[head->e_shstrndx] : NULL;
	g_autofree char *names =
		texts && texts->sh_type != SHT_NOBITS && texts->sh_size <= NAMES_MAX_BYTES ?
			take(extract, texts->sh_offset, texts->sh_size) :
			NULL;

	for (unsigned i = 0; names && i < head->e_shnum; i++)
		if (is_wanted(&sections[i], names, texts->sh_size))
			g_free(take(extract, sections[i].sh_offset, sections[i].sh_size));
}

static bool take_all(struct extract *extract)
{
	g_autofree Elf64_Ehdr *head = take(extract, 0, sizeof(*head));
	g_autofree Elf64_Phdr *segments = NULL;

	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != HERE ||
	    head->e_phentsize != sizeof(*segments) || head->e_shentsize != sizeof(Elf64_Shdr))
		return false;
	segments = take(extract, head->e_phoff, (uint64_t)head->e_phnum * sizeof(*segments));
	for (unsigned i = 0; segments && i < head->e_phnum; i++)
		if (segments[i].p_type == PT_NOTE)
			g_free(take(extract, segments[i].p_offset, segments[i].p_filesz));
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

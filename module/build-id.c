// SPDX-License-Identifier: GPL-2.0-only
/*
 * Build-ids: the note that an ELF image carries, from a file's cached pages or from memory.  Both
 * are untrusted.
 *
 * A file is never read: its file system may be a network's or an ordinary user's (FUSE), and never
 * answer.  The kernel's exec or the dynamic linker, which map the file, read the pages with the
 * headers a moment ago; if those pages are not cached, there is no build-id.
 */
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "build-id.h"
#include "sysprof.h"

#define BUILD_ID_NOTE	3	/* NT_GNU_BUILD_ID, which <linux/elf.h> does not have */
#define GO_NOTE		4 /* Go's build-id: four hashes as text, the last one of the content */
#define NOTES_MAX	4096
#define PHDRS_MAX	64

/**
 * struct image - where an ELF image is
 * @pages: in the page cache; else
 * @memory: here
 * @bytes: so much
 */
struct image {
	struct address_space *pages;
	const u8 *memory;
	size_t bytes;
};

/*
 * Searches one segment of notes for the GNU build-id, and returns true if it is there.  Go's
 * build-id is the second choice, if no segment has GNU's.  @notes is untrusted.
 */
static bool find_build_id(const u8 *notes, size_t bytes, struct sysprof_object *record)
{
	size_t at = 0, name, desc;
	Elf32_Nhdr note;

	while (at + sizeof(note) <= bytes) {
		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		if (note.n_namesz > bytes || note.n_descsz > bytes)
			return false;
		desc = name + ALIGN(note.n_namesz, 4);
		at = desc + ALIGN(note.n_descsz, 4);
		if (desc + note.n_descsz > bytes)
			return false;
		if (note.n_type == GO_NOTE && note.n_namesz == 4 &&
		    !memcmp(notes + name, "Go\0", 4) && note.n_descsz >= SYSPROF_BUILD_ID_BYTES) {
			record->build_id_bytes = SYSPROF_BUILD_ID_BYTES;
			memcpy(record->build_id,
			       notes + desc + note.n_descsz - SYSPROF_BUILD_ID_BYTES,
			       SYSPROF_BUILD_ID_BYTES);
		}
		if (note.n_type != BUILD_ID_NOTE || note.n_namesz != 4 ||
		    memcmp(notes + name, "GNU", 4))
			continue;
		record->build_id_bytes = min_t(u32, note.n_descsz, SYSPROF_BUILD_ID_BYTES);
		memcpy(record->build_id, notes + desc, record->build_id_bytes);
		return true;
	}
	return false;
}

/* Copies bytes of one page; false if not all of them are in memory. */
static bool read_page(struct address_space *pages, void *to, size_t bytes, u64 at)
{
	struct page *page = pagecache_get_page(pages, at >> PAGE_SHIFT, 0, 0);
	bool ok;

	if (!page)
		return false;
	ok = PageUptodate(page) && !PageHWPoison(page);
	if (ok)
		memcpy(to, page_address(page) + offset_in_page(at), bytes);
	put_page(page);
	return ok;
}

static bool read_cached(struct address_space *pages, void *to, size_t bytes, u64 at)
{
	size_t part;

	if (at > S64_MAX - bytes)
		return false;
	for (; bytes; to += part, bytes -= part, at += part) {
		part = min_t(size_t, bytes, PAGE_SIZE - offset_in_page(at));
		if (!read_page(pages, to, part, at))
			return false;
	}
	return true;
}

static bool read_exact(const struct image *image, void *to, size_t bytes, u64 at)
{
	if (image->pages)
		return read_cached(image->pages, to, bytes, at);
	if (at > image->bytes || bytes > image->bytes - at)
		return false;
	memcpy(to, image->memory + at, bytes);
	return true;
}

/* Both classes of ELF, by the members they have in common. */
#define READ_BUILD_ID(Ehdr, Phdr, image, head, record)                                             \
	do {                                                                                       \
		const Ehdr *__ehdr = (const void *)(head);                                         \
		unsigned int __i, __n = min_t(unsigned int, __ehdr->e_phnum, PHDRS_MAX);           \
		size_t __bytes;                                                                    \
		Phdr __phdr;                                                                       \
		u8 *__notes;                                                                       \
												   \
		if (__ehdr->e_phentsize != sizeof(__phdr))                                         \
			break;                                                                     \
		__notes = kmalloc(NOTES_MAX, GFP_KERNEL);                                          \
		for (__i = 0; __notes && __i < __n; __i++) {                                       \
			if (!read_exact(image, &__phdr, sizeof(__phdr),                            \
					__ehdr->e_phoff + __i * sizeof(__phdr)))                   \
				break;                                                             \
			if (__phdr.p_type != PT_NOTE)                                              \
				continue;                                                          \
			__bytes = min_t(u64, __phdr.p_filesz, NOTES_MAX);                          \
			if (read_exact(image, __notes, __bytes, __phdr.p_offset) &&                \
			    find_build_id(__notes, __bytes, record))                               \
				break;                                                             \
		}                                                                                  \
		kfree(__notes);                                                                    \
	} while (0)

static void read_build_id(const struct image *image, struct sysprof_object *record)
{
	union {
		u8 ident[EI_NIDENT];
		Elf32_Ehdr elf32;
		Elf64_Ehdr elf64;
	} head;

	if (!read_exact(image, &head, sizeof(head), 0) || memcmp(head.ident, ELFMAG, SELFMAG))
		return;
	if (head.ident[EI_CLASS] == ELFCLASS64)
		READ_BUILD_ID(Elf64_Ehdr, Elf64_Phdr, image, &head, record);
	else if (head.ident[EI_CLASS] == ELFCLASS32)
		READ_BUILD_ID(Elf32_Ehdr, Elf32_Phdr, image, &head, record);
}

/*
 * Whether the kernel itself may read the cached pages of @inode.  It may not read pages of its
 * internal mounts, which may be missing from its memory map (memfd_secret), nor huge pages, which
 * old kernels count differently.
 */
static bool has_plain_pages(const struct inode *inode)
{
	const struct super_block *sb = inode->i_sb;

	return S_ISREG(inode->i_mode) && sb->s_magic != HUGETLBFS_MAGIC &&
	       (!(sb->s_flags & SB_KERNMOUNT) || sb->s_magic == TMPFS_MAGIC);
}

void sysprof_build_id_of_file(struct file *file, struct sysprof_object *record)
{
	struct image image = { .pages = file->f_mapping };

	if (has_plain_pages(file_inode(file)) && file->f_mode & FMODE_READ)
		read_build_id(&image, record);
}

void sysprof_build_id_of_memory(const void *memory, size_t bytes, struct sysprof_object *record)
{
	struct image image = { .memory = memory, .bytes = bytes };

	read_build_id(&image, record);
}

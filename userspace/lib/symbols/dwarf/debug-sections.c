/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packed sections of debug information.  libelf would unpack them by zlib, which is most of the
 * time that a look-up takes; and not every libelf knows zstd.
 */
#include "symbols/dwarf/elf-parts.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

/* Limit for all sections, unpacked; a file that claims more is not read. */
#define SECTIONS_MAX_BYTES (8ull << 30)
/* The largest ratio of packed sections; real ones shrink to a tenth at best. */
#define PACKED_MAX_RATIO 100
#define HUGE_PAGE_BYTES (2u << 20)
/* Of elf.h since 2022. */
#define PACKED_BY_ZSTD 2

/* From before sections had flags for it: "ZLIB", and the size with its highest byte first */
#define GNU_NAME ".zdebug_"
#define GNU_HEAD_BYTES 12

/* How a section is packed. */
struct packing {
	uint32_t type;			/* ELFCOMPRESS_ZLIB, PACKED_BY_ZSTD; 0: it is not */
	bool is_gnu;
	uint64_t head_bytes;		/* before the packed bytes */
	uint64_t bytes;			/* unpacked */
};

/* elf_getdata() and gelf_getchdr() would read all of the section, and keep it. */
static void get_packing(Elf *elf, const GElf_Shdr *shdr, struct packing *ret)
{
	bool is_64 = gelf_getclass(elf) == ELFCLASS64;
	uint64_t bytes = ret->is_gnu ? GNU_HEAD_BYTES :
			 is_64	     ? sizeof(Elf64_Chdr) :
				       sizeof(Elf32_Chdr);
	const Elf_Data *data = shdr->sh_size < bytes ?
				       NULL :
				       elf_getdata_rawchunk(elf, shdr->sh_offset, bytes,
							    ret->is_gnu ? ELF_T_BYTE : ELF_T_CHDR);

	ret->head_bytes = bytes;
	if (!data || !data->d_buf)
		return;
	if (ret->is_gnu && !memcmp(data->d_buf, "ZLIB", 4)) {
		uint64_t number;

		memcpy(&number, (const uint8_t *)data->d_buf + 4, sizeof(number));
		ret->type = ELFCOMPRESS_ZLIB;
		ret->bytes = GUINT64_FROM_BE(number);
	} else if (!ret->is_gnu && is_64) {
		ret->type = ((const Elf64_Chdr *)data->d_buf)->ch_type;
		ret->bytes = ((const Elf64_Chdr *)data->d_buf)->ch_size;
	} else if (!ret->is_gnu) {
		ret->type = ((const Elf32_Chdr *)data->d_buf)->ch_type;
		ret->bytes = ((const Elf32_Chdr *)data->d_buf)->ch_size;
	}
}

/* Whether it is a section of debug information. */
static bool get_section(const SptObject *object, Elf_Scn *scn, size_t names, GElf_Shdr *ret_shdr,
			struct packing *ret)
{
	Elf *elf = spt_object_elf(object);
	const char *name =
		gelf_getshdr(scn, ret_shdr) ? elf_strptr(elf, names, ret_shdr->sh_name) : NULL;

	*ret = (struct packing){ .is_gnu = name && g_str_has_prefix(name, GNU_NAME) };
	if (!name || ret_shdr->sh_type == SHT_NOBITS ||
	    !(ret->is_gnu || g_str_has_prefix(name, ".debug_")))
		return false;
	if (ret->is_gnu || ret_shdr->sh_flags & SHF_COMPRESSED)
		get_packing(elf, ret_shdr, ret);
	return true;
}

bool spt_debug_sections_fit(const SptObject *object)
{
	Elf *elf = spt_object_elf(object);
	Elf_Scn *scn = NULL;
	uint64_t bytes = 0;
	size_t names;

	while (elf_getshdrstrndx(elf, &names) == 0 && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		struct packing packing;
		uint64_t unpacked;

		if (!get_section(object, scn, names, &shdr, &packing))
			continue;
		unpacked = shdr.sh_size;
		if (packing.type)
			unpacked = packing.bytes / PACKED_MAX_RATIO > shdr.sh_size ? UINT64_MAX :
										     packing.bytes;
		/* Saturates well below the type's end, at a few sections that claim everything. */
		bytes += MIN(unpacked, SECTIONS_MAX_BYTES + 1);
		if (bytes > SECTIONS_MAX_BYTES)
			return false;
	}
	return true;
}

/* Touched once from end to end, in fewer and larger pages. */
static void *new_room(uint64_t bytes)
{
	void *room;

	if (bytes < 4 * HUGE_PAGE_BYTES)
		return malloc(MAX(bytes, 1));
	room = aligned_alloc(HUGE_PAGE_BYTES,
			     (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES);
	if (room)
		madvise(room, bytes, MADV_HUGEPAGE);
	return room;
}

/* The bytes of a section as they are in the file; memory to be freed after them is in @ret_room. */
static const uint8_t *read_packed(const SptObject *object, const GElf_Shdr *shdr, void **ret_room)
{
	int fd = spt_object_fd(object);
	const Elf_Data *data;
	uint64_t at = 0;
	ssize_t n;

	*ret_room = NULL;
	if (fd < 0) {
		data = elf_getdata_rawchunk(spt_object_elf(object), shdr->sh_offset, shdr->sh_size,
					    ELF_T_BYTE);
		return data ? data->d_buf : NULL;
	}
	*ret_room = malloc(MAX(shdr->sh_size, 1));
	do {
		n = *ret_room ? pread(fd, (uint8_t *)*ret_room + at, shdr->sh_size - at,
				      (off_t)(shdr->sh_offset + at)) :
				0;
		at += MAX(n, 0);
	} while (n > 0);
	return at == shdr->sh_size ? *ret_room : NULL;
}

static bool debug_sections_unpack(uint8_t *to, const struct packing *packing, const uint8_t *packed,
				  uint64_t bytes)
{
	struct libdeflate_decompressor *zlib;
	bool is_whole;

	if (packing->type == PACKED_BY_ZSTD)
		return ZSTD_decompress(to, packing->bytes, packed, bytes) == packing->bytes;
	if (packing->type != ELFCOMPRESS_ZLIB)
		return false;
	zlib = libdeflate_alloc_decompressor();
	/* Without a place for the count, less than all is an error. */
	is_whole = zlib && libdeflate_zlib_decompress(zlib, packed, bytes, to, packing->bytes,
						      NULL) == LIBDEFLATE_SUCCESS;
	libdeflate_free_decompressor(zlib);
	return is_whole;
}

/* ".zdebug_info" becomes ".debug_info", in its place: libdw would unpack the first again. */
static void rename_section(Elf *elf, size_t names, GElf_Shdr *shdr)
{
	Elf_Scn *scn = elf_getscn(elf, names);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || shdr->sh_name + strlen(GNU_NAME) >= data->d_size)
		return;
	((char *)data->d_buf)[++shdr->sh_name] = '.';
}

/* A section that cannot be unpacked stays as it is; libdw continues without it. */
static void *unpack_section(const SptObject *object, Elf_Scn *scn, size_t names, GElf_Shdr *shdr,
			    const struct packing *packing)
{
	uint64_t head = packing->head_bytes;
	void *packed_room, *room = NULL;
	const uint8_t *packed = read_packed(object, shdr, &packed_room);
	Elf_Data *data = NULL;

	if (packed && shdr->sh_size > head)
		room = new_room(packing->bytes);
	if (room && debug_sections_unpack(room, packing, packed + head, shdr->sh_size - head)) {
		if (packing->is_gnu)
			rename_section(spt_object_elf(object), names, shdr);
		shdr->sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
		/* An empty section has data that nothing was read for. */
		shdr->sh_size = 0;
		data = gelf_update_shdr(scn, shdr) ? elf_getdata(scn, NULL) : NULL;
	}
	if (data) {
		data->d_buf = room;
		data->d_size = shdr->sh_size = packing->bytes;
		data->d_type = ELF_T_BYTE;
		gelf_update_shdr(scn, shdr);
	} else {
		g_clear_pointer(&room, free);
	}
	free(packed_room);
	return room;
}

GPtrArray *spt_debug_sections_unpack(const SptObject *object)
{
	GPtrArray *rooms = g_ptr_array_new_with_free_func(free);
	Elf *elf = spt_object_elf(object);
	Elf_Scn *scn = NULL;
	size_t names;

	while (elf_getshdrstrndx(elf, &names) == 0 && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		struct packing packing;
		void *room;

		if (!get_section(object, scn, names, &shdr, &packing) || packing.type == 0)
			continue;
		room = unpack_section(object, scn, names, &shdr, &packing);
		if (room)
			g_ptr_array_add(rooms, room);
	}
	return rooms;
}

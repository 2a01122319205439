/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols that some distributions leave in a stripped file: a small ELF file, packed by xz, in
 * .gnu_debugdata.
 */
#include "symbols/dwarf/elf-parts.h"

#include <lzma.h>

#define PACKED_MAX_BYTES (64u << 20)
/* Fedora's largest unpack to some megabytes; more is a bomb. */
#define UNPACKED_MAX_BYTES (256u << 20)
#define MEMORY_MAX_BYTES (128ull << 20)
#define STEP_BYTES (1u << 20)

/* The one ELF file that @packed holds, or NULL. */
static GBytes *minidebug_unpack(const Elf_Data *packed)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	lzma_ret ret = lzma_stream_decoder(&stream, MEMORY_MAX_BYTES, 0);

	stream.next_in = packed->d_buf;
	stream.avail_in = packed->d_size;
	while (ret == LZMA_OK && bytes->len < UNPACKED_MAX_BYTES) {
		unsigned before = bytes->len;

		g_byte_array_set_size(bytes, before + STEP_BYTES);
		stream.next_out = bytes->data + before;
		stream.avail_out = STEP_BYTES;
		ret = lzma_code(&stream, LZMA_FINISH);
		g_byte_array_set_size(bytes, bytes->len - (unsigned)stream.avail_out);
	}
	lzma_end(&stream);
	return ret == LZMA_STREAM_END ? g_byte_array_free_to_bytes(g_steal_pointer(&bytes)) : NULL;
}

SptObject *spt_minidebug_open(const SptObject *object)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = spt_elf_section(object, ".gnu_debugdata", &shdr);
	Elf_Data *packed =
		scn ? spt_object_section(object, scn, ELF_T_BYTE, PACKED_MAX_BYTES) : NULL;
	g_autoptr(GBytes) bytes = packed ? minidebug_unpack(packed) : NULL;

	return bytes ? spt_object_open_bytes(bytes, spt_object_name(object), NULL) : NULL;
}

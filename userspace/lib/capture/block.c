/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks, packed and checked.  The checksum covers the header too (with its own field 0), so that a
 * damaged length or type is found as surely as damaged data.
 */
#include "capture/block.h"

#include <string.h>

#include "base/words.h"
#include "capture/capture.h"
#include "capture/crc32c.h"

#define CRC_AT 16
#define NUMBER_AT 20
#define PADDING_HEAD_BYTES 8u
/* What a cut costs at most. */
#define CUT_BYTES 16

static void put_u16(uint8_t *to, uint16_t value)
{
	value = GUINT16_TO_LE(value);
	memcpy(to, &value, sizeof(value));
}

static void put_u32(uint8_t *to, uint32_t value)
{
	value = GUINT32_TO_LE(value);
	memcpy(to, &value, sizeof(value));
}

static uint16_t get_u16(const uint8_t *from)
{
	uint16_t value;

	memcpy(&value, from, sizeof(value));
	return GUINT16_FROM_LE(value);
}

static uint32_t get_u32(const uint8_t *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return GUINT32_FROM_LE(value);
}

void spt_file_header_pack(GByteArray *header)
{
	g_byte_array_set_size(header, SPT_FILE_HEADER_BYTES);
	memset(header->data, 0, SPT_FILE_HEADER_BYTES);
	memcpy(header->data, SPT_FILE_MAGIC, SPT_FILE_MAGIC_BYTES);
	put_u32(header->data + SPT_FILE_MAGIC_BYTES, SPT_FILE_VERSION);
}

/*
 * One frame, but at every cut the compressor ends a block of its own format, and so its statistics
 * of byte values: those of a column's high bytes would not fit its low bytes.  0 if it did not get
 * smaller.
 */
static size_t compress(ZSTD_CCtx *zstd, uint8_t *to, size_t room, const GByteArray *payload,
		       const GArray *cuts)
{
	ZSTD_outBuffer out = { to, room, 0 };
	guint n_cuts = cuts ? cuts->len : 0;
	size_t at = 0;

	ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only);
	ZSTD_CCtx_setPledgedSrcSize(zstd, payload->len);
	for (guint i = 0; i <= n_cuts; i++) {
		size_t end = i < n_cuts ? g_array_index(cuts, guint, i) : payload->len;
		ZSTD_inBuffer in = { payload->data + at, end - at, 0 };

		/*
		 * Any result but 0, also a request for more room, means that the data is better
		 * stored as it is.
		 */
		if (ZSTD_compressStream2(zstd, &out, &in, i < n_cuts ? ZSTD_e_flush : ZSTD_e_end) !=
		    0)
			return 0;
		at = end;
	}
	return out.pos;
}

/* A skippable frame of the compressor's format, of @bytes in all. */
static void append_padding(GByteArray *block, size_t bytes)
{
	guint at = block->len;

	g_byte_array_set_size(block, (guint)(at + bytes));
	memset(block->data + at, 0, bytes);
	put_u32(block->data + at, ZSTD_MAGIC_SKIPPABLE_START);
	put_u32(block->data + at + 4, (uint32_t)(bytes - PADDING_HEAD_BYTES));
}

void spt_block_pack(GByteArray *block, ZSTD_CCtx *zstd, uint16_t type, uint32_t number,
		    const GByteArray *payload, const GArray *cuts, size_t least_bytes)
{
	bool is_padded = least_bytes > SPT_BLOCK_HEADER_BYTES + payload->len;
	/* What does not get smaller can only be padded as a frame. */
	size_t n_cuts = cuts ? cuts->len : 0, stored,
	       room = is_padded ? ZSTD_compressBound(payload->len) + CUT_BYTES * n_cuts :
				  payload->len;
	uint16_t flags = SPT_BLOCK_ZSTD;
	uint8_t *header, *data;

	g_byte_array_set_size(block, (guint)(SPT_BLOCK_HEADER_BYTES + room));
	header = block->data;
	data = header + SPT_BLOCK_HEADER_BYTES;
	stored = compress(zstd, data, room, payload, cuts);
	if (stored == 0) {
		flags = 0;
		stored = payload->len;
		if (stored > 0)
			memcpy(data, payload->data, stored);
	}
	memcpy(header, SPT_BLOCK_MAGIC, SPT_BLOCK_MAGIC_BYTES);
	put_u16(header + 4, type);
	put_u16(header + 6, flags);
	put_u32(header + 12, payload->len);
	g_byte_array_set_size(block, (guint)(SPT_BLOCK_HEADER_BYTES + stored));
	if (flags && block->len < least_bytes)
		append_padding(block, MAX(least_bytes - block->len, PADDING_HEAD_BYTES));
	put_u32(block->data + 8, block->len - SPT_BLOCK_HEADER_BYTES);
	spt_block_set_number(block->data, block->len, number);
}

void spt_block_set_number(uint8_t *block, size_t bytes, uint32_t number)
{
	put_u32(block + CRC_AT, 0);
	put_u32(block + NUMBER_AT, number);
	put_u32(block + CRC_AT, spt_crc32c(0, block, bytes));
}

bool spt_block_header_parse(SptBlockHeader *header, const uint8_t bytes[SPT_BLOCK_HEADER_BYTES])
{
	*header = (SptBlockHeader) {
		.type = get_u16(bytes + 4),
		.flags = get_u16(bytes + 6),
		.stored_bytes = get_u32(bytes + 8),
		.payload_bytes = get_u32(bytes + 12),
		.crc = get_u32(bytes + CRC_AT),
		.number = get_u32(bytes + NUMBER_AT),
	};
	return memcmp(bytes, SPT_BLOCK_MAGIC, SPT_BLOCK_MAGIC_BYTES) == 0 &&
	       header->stored_bytes <= SPT_BLOCK_MAX_BYTES &&
	       header->payload_bytes <= SPT_BLOCK_MAX_BYTES;
}

bool spt_block_crc_matches(const uint8_t bytes[SPT_BLOCK_HEADER_BYTES],
			   const SptBlockHeader *header, const uint8_t *stored)
{
	uint8_t without_crc[SPT_BLOCK_HEADER_BYTES];

	memcpy(without_crc, bytes, SPT_BLOCK_HEADER_BYTES);
	put_u32(without_crc + CRC_AT, 0);
	return spt_crc32c(spt_crc32c(0, without_crc, sizeof(without_crc)), stored,
			  header->stored_bytes) == header->crc;
}

static const uint8_t *block_fail(GError **error, const char *clause)
{
	g_set_error_literal(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED, spt_words(clause));
	return NULL;
}

const uint8_t *spt_block_unpack(ZSTD_DCtx *zstd, const SptBlockHeader *header,
				const uint8_t *stored, uint8_t *buffer, GError **error)
{
	size_t bytes;

	if (header->flags & ~SPT_BLOCK_ZSTD)
		return block_fail(error, "it is packed in a way that this version does not know");
	if (!(header->flags & SPT_BLOCK_ZSTD))
		return header->stored_bytes == header->payload_bytes ?
			       stored :
			       block_fail(error, "its two sizes differ");
	bytes = ZSTD_decompressDCtx(zstd, buffer, header->payload_bytes, stored,
				    header->stored_bytes);
	if (ZSTD_isError(bytes) || bytes != header->payload_bytes)
		return block_fail(error, "it cannot be unpacked");
	return buffer;
}

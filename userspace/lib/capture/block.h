/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame around a payload (format.md, "Block"): header, checksum, compression. */
#ifndef SPT_CAPTURE_BLOCK_H
#define SPT_CAPTURE_BLOCK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <zstd.h>

#include "capture/format.h"

G_BEGIN_DECLS

typedef struct {
	uint16_t type, flags;
	uint32_t stored_bytes, payload_bytes, crc, number;
} SptBlockHeader;

/*
 * Replaces the content of @block by a whole block, compressed at @zstd's level if that makes it
 * smaller.  @cuts (guint, or NULL): ascending positions in @payload where bytes of another kind
 * begin.  A block with less than @least_bytes is padded, if that is more than its payload needs.
 */
void spt_block_pack(GByteArray *block, ZSTD_CCtx *zstd, uint16_t type, uint32_t number,
		    const GByteArray *payload, const GArray *cuts, size_t least_bytes);
/* Gives a whole block another number. */
void spt_block_set_number(uint8_t *block, size_t bytes, uint32_t number);
/* Replaces the content of @header by the file's header. */
void spt_file_header_pack(GByteArray *header);

/* False: the magic is missing, or the sizes are beyond the format's limits. */
bool spt_block_header_parse(SptBlockHeader *header, const uint8_t bytes[SPT_BLOCK_HEADER_BYTES]);
bool spt_block_crc_matches(const uint8_t bytes[SPT_BLOCK_HEADER_BYTES],
			   const SptBlockHeader *header, const uint8_t *stored);

/*
 * A block's payload; NULL with a clause.  @buffer has at least header->payload_bytes, and is used
 * if the block is compressed.
 */
const uint8_t *spt_block_unpack(ZSTD_DCtx *zstd, const SptBlockHeader *header,
				const uint8_t *stored, uint8_t *buffer, GError **error);

G_END_DECLS

#endif

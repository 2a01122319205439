/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures made by hand, block by block: what the writer would never write.  The file grows in
 * memory.
 *
 *	blocks_begin(&blocks, rows); ADD_NUMBERS(&blocks, column, ...); ADD_TEXTS(&blocks, column, ...);
 *	blocks_end(&blocks, type);
 */
#ifndef SPT_TESTS_CAPTURE_BLOCKS_H
#define SPT_TESTS_CAPTURE_BLOCKS_H

#include <string.h>

#include "capture/block.h"
#include "capture/table.h"

typedef struct {
	GByteArray *file, *block;
	ZSTD_CCtx *zstd;
	SptTableBuilder builder;
	uint32_t n_blocks;
} Blocks;

static inline void blocks_init(Blocks *blocks)
{
	*blocks = (Blocks){
		.file = g_byte_array_new(),
		.block = g_byte_array_new(),
		.zstd = ZSTD_createCCtx(),
	};
	spt_table_builder_init(&blocks->builder);
	spt_file_header_pack(blocks->file);
}

static inline void blocks_clear(Blocks *blocks)
{
	g_byte_array_unref(blocks->file);
	g_byte_array_unref(blocks->block);
	ZSTD_freeCCtx(blocks->zstd);
	spt_table_builder_clear(&blocks->builder);
}

static inline void blocks_begin(Blocks *blocks, size_t rows)
{
	spt_table_begin(&blocks->builder, rows);
}

/* Rows of a stream: column 0 says which. */
static inline void blocks_begin_events(Blocks *blocks, uint32_t stream, size_t rows)
{
	spt_table_begin(&blocks->builder, rows);
	spt_table_add_const(&blocks->builder, SPT_EVENT_STREAM_COLUMN, stream);
}

static inline void blocks_end_payload(Blocks *blocks, unsigned type, const GArray *cuts)
{
	spt_block_pack(blocks->block, blocks->zstd, (uint16_t)type, blocks->n_blocks++,
		       blocks->builder.payload, cuts, 0);
	g_byte_array_append(blocks->file, blocks->block->data, blocks->block->len);
}

static inline void blocks_end(Blocks *blocks, unsigned type)
{
	spt_table_end(&blocks->builder);
	blocks_end_payload(blocks, type, blocks->builder.cuts);
}

/* A block whose payload is no table. */
static inline void blocks_add_raw(Blocks *blocks, unsigned type, const void *data, size_t bytes)
{
	g_byte_array_set_size(blocks->builder.payload, 0);
	g_byte_array_append(blocks->builder.payload, data, (guint)bytes);
	blocks_end_payload(blocks, type, NULL);
}

/* Goes on behind a file that the writer wrote and did not finish. */
static inline bool blocks_continue(Blocks *blocks, const char *path, GError **error)
{
	g_autofree char *data = NULL;
	size_t bytes, at = SPT_FILE_HEADER_BYTES;
	SptBlockHeader header;

	if (!g_file_get_contents(path, &data, &bytes, error))
		return false;
	g_byte_array_set_size(blocks->file, 0);
	g_byte_array_append(blocks->file, (const uint8_t *)data, (guint)bytes);
	for (blocks->n_blocks = 0; at < bytes; blocks->n_blocks++) {
		spt_block_header_parse(&header, (const uint8_t *)data + at);
		at += SPT_BLOCK_HEADER_BYTES + header.stored_bytes;
	}
	return true;
}

static inline bool blocks_save(const Blocks *blocks, const char *path, GError **error)
{
	return g_file_set_contents(path, (const char *)blocks->file->data, blocks->file->len,
				   error);
}

#define ADD_NUMBERS(blocks, column, ...) \
	spt_table_add_numbers(&(blocks)->builder, column, (const uint64_t[]) { __VA_ARGS__ })
#define TEXT(literal) ((SptBytes) { literal, sizeof(literal) - 1 })
#define ADD_TEXTS(blocks, column, ...) \
	spt_table_add_bytes(&(blocks)->builder, column, (const SptBytes[]) { __VA_ARGS__ })

#endif

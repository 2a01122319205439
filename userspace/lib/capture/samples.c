/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packed samples, and the cursor that unpacks them.  All samples here were checked before they were
 * kept.
 */
#include "capture/samples.h"

#include <string.h>

typedef struct {
	SptBlockHeader header;
	SptSampleLayout layout;
	uint8_t *stored;
} Block;

struct SptSampleBlocks {
	GArray *blocks;			/* Block */
	uint32_t most_payload_bytes;
};

struct SptSamples {
	const SptCapture *capture;
	uint64_t next;			/* block, or row of a capture that was made in memory */
	ZSTD_DCtx *zstd;
	uint8_t *payload;
	SptTable columns;
	SptSampleTable table;
	SptSampleRow rows[SPT_SAMPLE_BATCH];
};

/* Whether each row's value is a single byte. */
static bool is_plain_bytes(const SptColumn *column, uint32_t rows)
{
	uint8_t all = 0;

	if (column->coding == SPT_CODING_PLANES)
		return column->bytes == (size_t)rows + SPT_PLANES_HEAD_BYTES &&
		       column->data[0] == 1 && column->data[1] == SPT_CODING_VARINT;
	if (column->coding != SPT_CODING_VARINT || column->bytes != rows)
		return false;
	for (uint32_t i = 0; i < rows; i++)
		all |= column->data[i];
	return all < 0x80;
}

bool spt_sample_table_begin(SptSampleTable *table, const SptTable *from,
			    const SptSampleLayout *layout, bool check_only)
{
	table->left = table->rows = from->rows;
	for (unsigned i = 0; i < SPT_SAMPLE_COLUMNS; i++) {
		const SptColumn *column =
			layout->columns[i] ? spt_table_column(from, layout->columns[i]) : NULL;
		bool is_byte = spt_sample_columns[i].field.type == SPT_FIELD_U8;

		table->present[i] =
			column && !(check_only && is_byte && is_plain_bytes(column, from->rows));
		if (table->present[i] && !spt_column_begin(&table->cursors[i], column, from->rows))
			return false;
	}
	return true;
}

int spt_sample_table_next(SptSampleTable *table, SptSampleRow *rows)
{
	uint32_t n = MIN(table->left, SPT_SAMPLE_BATCH);
	bool is_first = table->left == table->rows;

	table->left -= n;
	for (unsigned i = 0; i < SPT_SAMPLE_COLUMNS; i++) {
		const SptField *field = &spt_sample_columns[i].field;

		/*
		 * The first batch is the largest, and keeps values that are the same in all rows.
		 */
		if (table->present[i] &&
		    (is_first || table->cursors[i].coding != SPT_CODING_CONST ||
		     table->left == 0) &&
		    (!spt_field_decode(field, &table->cursors[i], (uint8_t *)rows + field->at,
				       sizeof(*rows), n) ||
		     (table->left == 0 && !spt_column_done(&table->cursors[i]))))
			return -1;
	}
	return (int)n;
}

SptSampleBlocks *spt_sample_blocks_new(void)
{
	SptSampleBlocks *blocks = g_new0(SptSampleBlocks, 1);

	blocks->blocks = g_array_new(FALSE, FALSE, sizeof(Block));
	return blocks;
}

void spt_sample_blocks_free(SptSampleBlocks *blocks)
{
	if (!blocks)
		return;
	for (guint i = 0; i < blocks->blocks->len; i++)
		g_free(g_array_index(blocks->blocks, Block, i).stored);
	g_array_unref(blocks->blocks);
	g_free(blocks);
}

void spt_sample_blocks_add(SptSampleBlocks *blocks, const SptBlockHeader *header,
			   const uint8_t *stored, const SptSampleLayout *layout)
{
	Block block = { .header = *header,
			.layout = *layout,
			.stored = g_memdup2(stored, header->stored_bytes) };

	g_array_append_val(blocks->blocks, block);
	blocks->most_payload_bytes = MAX(blocks->most_payload_bytes, header->payload_bytes);
}

SptSamples *spt_samples_new(const SptCapture *capture)
{
	SptSamples *samples = g_new0(SptSamples, 1);

	samples->capture = capture;
	if (capture->blocks) {
		samples->zstd = ZSTD_createDCtx();
		samples->payload = g_malloc((gsize)capture->blocks->most_payload_bytes + 1);
	}
	return samples;
}

void spt_samples_free(SptSamples *samples)
{
	if (!samples)
		return;
	ZSTD_freeDCtx(samples->zstd);
	g_free(samples->payload);
	g_free(samples);
}

static const SptSampleRow *next_in_memory(SptSamples *samples, uint32_t *ret_n)
{
	const SptCapture *capture = samples->capture;
	const SptSampleRow *rows = capture->samples + samples->next;

	*ret_n = (uint32_t)MIN(capture->n_samples - samples->next, UINT32_MAX);
	samples->next += *ret_n;
	return *ret_n ? rows : NULL;
}

static bool next_block(SptSamples *samples)
{
	const SptSampleBlocks *blocks = samples->capture->blocks;
	const uint8_t *payload;
	const Block *block;

	if (samples->next >= blocks->blocks->len)
		return false;
	block = &g_array_index(blocks->blocks, Block, samples->next++);
	payload = spt_block_unpack(samples->zstd, &block->header, block->stored, samples->payload,
				   NULL);
	/* A member that the block lacks must not keep the value of the last block. */
	memset(samples->rows, 0, sizeof(samples->rows));
	return payload &&
	       spt_table_parse(&samples->columns, payload, block->header.payload_bytes, NULL) &&
	       spt_sample_table_begin(&samples->table, &samples->columns, &block->layout, false);
}

const SptSampleRow *spt_samples_next(SptSamples *samples, uint32_t *ret_n)
{
	int n = 0;

	*ret_n = 0;
	if (!samples->capture->blocks)
		return samples->capture->samples ? next_in_memory(samples, ret_n) : NULL;
	while (n == 0) {
		if (samples->table.left == 0 && !next_block(samples))
			return NULL;
		n = spt_sample_table_next(&samples->table, samples->rows);
	}
	*ret_n = n > 0 ? (uint32_t)n : 0;
	return n > 0 ? samples->rows : NULL;
}

uint64_t *spt_capture_weigh_nodes(const SptCapture *capture)
{
	uint64_t *weights = g_new0(uint64_t, MAX(capture->n_nodes, 1));
	g_autoptr(SptSamples) samples = NULL;
	const SptSampleRow *rows;
	uint32_t n;

	if (capture->has_leaves) {
		for (uint64_t i = 0; i < capture->n_leaves; i++)
			weights[capture->leaves[i].node] += capture->leaves[i].weight;
		return weights;
	}
	samples = spt_samples_new(capture);
	while ((rows = spt_samples_next(samples, &n)))
		for (uint32_t i = 0; i < n; i++)
			weights[rows[i].node] += rows[i].weight;
	return weights;
}

uint64_t *spt_capture_weigh_threads(const SptCapture *capture)
{
	uint64_t *weights;
	g_autoptr(SptSamples) samples = NULL;
	const SptSampleRow *rows;
	uint32_t n;

	if (capture->thread_weights)
		return g_memdup2(capture->thread_weights,
				 capture->n_threads * sizeof(*capture->thread_weights));
	weights = g_new0(uint64_t, MAX(capture->n_threads, 1));
	samples = spt_samples_new(capture);
	while ((rows = spt_samples_next(samples, &n)))
		for (uint32_t i = 0; i < n; i++)
			weights[rows[i].thread] += rows[i].weight;
	return weights;
}

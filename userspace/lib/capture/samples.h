/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as they stay in memory: the compressed blocks of the file.  A million samples in rows
 * would take ten times as much as everything else, and most views need only the leaves' sums.
 */
#ifndef SPT_CAPTURE_SAMPLES_H
#define SPT_CAPTURE_SAMPLES_H

#include "capture/block.h"
#include "capture/schema.h"

G_BEGIN_DECLS

/* Which column of a block holds which member of a sample, as in spt_sample_columns; 0: none. */
typedef struct {
	uint32_t columns[SPT_SAMPLE_COLUMNS];
} SptSampleLayout;

/* A table of samples that is being turned into rows. */
typedef struct {
	SptColumnCursor cursors[SPT_SAMPLE_COLUMNS];
	bool present[SPT_SAMPLE_COLUMNS];
	uint32_t rows, left;
} SptSampleTable;

#define SPT_SAMPLE_BATCH 1024

/*
 * False: a column has impossible content.  @check_only: members of one byte are only checked, where
 * that is quicker.
 */
bool spt_sample_table_begin(SptSampleTable *table, const SptTable *from,
			    const SptSampleLayout *layout, bool check_only);
/*
 * Fills up to SPT_SAMPLE_BATCH @rows, which must be the same, unchanged, in each call.  Returns
 * their number, 0 at the end, -1 if the table is damaged.
 */
int spt_sample_table_next(SptSampleTable *table, SptSampleRow *rows);

SptSampleBlocks *spt_sample_blocks_new(void);
void spt_sample_blocks_free(SptSampleBlocks *blocks);
/* Keeps the stored bytes of a block whose rows have all been checked. */
void spt_sample_blocks_add(SptSampleBlocks *blocks, const SptBlockHeader *header,
			   const uint8_t *stored, const SptSampleLayout *layout);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of a page (page.c): as much of the tree as there is room for, and what each of its nodes
 * has in each part of the time, from which the page's script computes any range of time.
 */
#ifndef SPT_EXPORT_PAGE_DATA_H
#define SPT_EXPORT_PAGE_DATA_H

#include "export/export.h"

G_BEGIN_DECLS

/* Longer names are cut. */
#define SPT_PAGE_NAME_BYTES 400

typedef struct {
	const SptExportInput *input;
	const SptFunction *functions;
	const SptTreeNode *nodes;
	uint32_t n_functions, n_nodes;
	GArray *kept;			/* uint32_t: nodes of the tree, parents before children */
	uint32_t *slot;			/* by node: its place in kept, or of its nearest ancestor */
	GArray *listed;			/* uint32_t: functions */
	uint32_t *number;		/* by function: its place in listed, or UINT32_MAX */
	/* What is not in the page: nodes with weight, and the weight that ends there. */
	uint32_t n_left_nodes;
	uint64_t left_weight;
} SptPageData;

void spt_page_data_init(SptPageData *data, const SptExportInput *input);
void spt_page_data_clear(SptPageData *data);
/* Appends it as one JSON object, in which nothing can end the script that it stands in. */
void spt_page_data_write(const SptPageData *data, SptOut *out);

G_END_DECLS

#endif

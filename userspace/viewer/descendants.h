/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of everything the selected function called, directly or not. */
#ifndef SPT_DESCENDANTS_H
#define SPT_DESCENDANTS_H

#include "document.h"
#include "pane.h"

#define SPT_TYPE_DESCENDANTS (spt_descendants_get_type())
G_DECLARE_FINAL_TYPE(SptDescendants, spt_descendants, SPT, DESCENDANTS, SptPane)

/*
 * Signal "way-selected" (GArray of uint32_t): the functions from the root to the row that was
 * selected, top-down; each calls the next.
 */

/*
 * @nodes: SptTreeNode.  Element 0, the root, is a row unless it is not a function (@function
 * UINT32_MAX).
 */
void spt_descendants_show(SptDescendants *descendants, SptDocument *document, uint32_t function,
			  GArray *nodes);

#endif

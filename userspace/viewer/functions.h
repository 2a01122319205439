/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of all functions: sorted by a click on a column, filtered by a search. */
#ifndef SPT_FUNCTIONS_H
#define SPT_FUNCTIONS_H

#include "document.h"
#include "pane.h"

#define SPT_TYPE_FUNCTIONS (spt_functions_get_type())
G_DECLARE_FINAL_TYPE(SptFunctions, spt_functions, SPT, FUNCTIONS, SptPane)

/*
 * Signal "function-selected" (uint function, UINT32_MAX for none): the user chose, or
 * spt_functions_select() was called.
 */

/* If it is of the same recording, search and selection stay. */
void spt_functions_set_document(SptFunctions *functions, SptDocument *document);
/* Selects and shows a function; a search that hides it ends.  UINT32_MAX: selects none. */
void spt_functions_select(SptFunctions *functions, uint32_t function);
/* The functions in the list, in its order; borrowed. */
const uint32_t *spt_functions_list(SptFunctions *functions, uint32_t *ret_n);
void spt_functions_focus_search(SptFunctions *functions);
/* Ends the search; if there is none, the selection. */
void spt_functions_step_back(SptFunctions *functions);

#endif

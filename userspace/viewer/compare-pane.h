/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two recordings: the functions whose percentages have changed, and a flame graph of both. */
#ifndef SPT_COMPARE_PANE_H
#define SPT_COMPARE_PANE_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_COMPARE_PANE (spt_compare_pane_get_type())
G_DECLARE_FINAL_TYPE(SptComparePane, spt_compare_pane, SPT, COMPARE_PANE, GtkWidget)

/* The recording that it is compared with, called @name; NULL: none any more. */
void spt_compare_pane_set_before(SptComparePane *pane, SptDocument *before, const char *name);

#endif

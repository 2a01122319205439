/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long marks of a name took: a bar for each step of a scale, which is a button that restricts
 * all views to the marks of that step ("views.only-mark").
 */
#ifndef SPT_MARK_HISTOGRAM_H
#define SPT_MARK_HISTOGRAM_H

#include <gtk/gtk.h>

#include "profile/mark-times.h"
#include "profile/restrictions.h"

#define SPT_TYPE_MARK_HISTOGRAM (spt_mark_histogram_get_type())
G_DECLARE_FINAL_TYPE(SptMarkHistogram, spt_mark_histogram, SPT, MARK_HISTOGRAM, GtkBox)

GtkWidget *spt_mark_histogram_new(void);
/* Of the mark that @chosen is a restriction to; NULL: of none, only what would show one is said. */
void spt_mark_histogram_show(SptMarkHistogram *histogram, const SptMarkTimes *times,
			     const SptRestriction *chosen);

#endif

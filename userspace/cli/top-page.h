/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What top has recorded in an interval, as a page: printed, or to be walked on the screen. */
#ifndef SPT_TOP_PAGE_H
#define SPT_TOP_PAGE_H

#include "tui-tree.h"
#include "record/recorder.h"
#include "regroup.h"
#include "report-filter.h"

/* How a page is shown. */
struct spt_top_look {
	const struct spt_filter_options *options;
	const SptFilter *filter;
	int pid, limit;			/* 0: all; as many rows as there is room for */
	bool by_total;
	bool by_group;			/* groups, instead of functions */
	SptRoots roots;			/* of groups */
	bool is_screen;			/* pages replace each other */
};

typedef struct spt_top_page SptTopPage;

/* @capture becomes the page's. */
SptTopPage *spt_top_page_new(const struct spt_top_look *look, SptCapture *capture,
			     const SptRecorderStatus *status);
void spt_top_page_free(SptTopPage *page);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTopPage, spt_top_page_free)

/* False: complained. */
bool spt_top_page_print(SptTopPage *page);
/*
 * Of a page that lives as long as @browser shows it; again, when the look has changed.
 */
void spt_top_page_browse(SptTopPage *page, SptBrowser *browser);

#endif

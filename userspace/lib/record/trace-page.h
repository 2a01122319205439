/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads pages of a ring of ftrace (trace_pipe_raw), as the kernel writes them: events with their
 * times.  Any bytes may come: nothing beyond the page is read.
 */
#ifndef SPT_TRACE_PAGE_H
#define SPT_TRACE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	const uint8_t *at, *end;
	uint64_t time;
} SptTracePage;

typedef struct {
	uint64_t time;			/* of the ring's clock */
	const uint8_t *data;		/* begins with the fields that all events have */
	size_t bytes;
} SptTraceEvent;

/* False: there is nothing in it. */
bool spt_trace_page_begin(SptTracePage *page, const uint8_t *data, size_t bytes);
/* The next event; false: that was all. */
bool spt_trace_page_next(SptTracePage *page, SptTraceEvent *ret);

#endif

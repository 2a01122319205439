/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page begins with its time and with how many bytes of events follow; then come events.  The
 * first word of each has its type or length in 5 bits, and the time since the event before in 27.
 */
#include "record/trace-page.h"

#include <string.h>

#define HEAD_BYTES  16u
#define COMMIT_BITS 0xfffffu		/* above them are flags */
#define TIME_BITS   27

enum {
	LENGTH_FOLLOWS = 0,
	LONGEST = 28,			/* words */
	PADDING = 29,
	TIME_EXTENDS = 30,
	TIME_WHOLE = 31,
};

bool spt_trace_page_begin(SptTracePage *page, const uint8_t *data, size_t bytes)
{
	uint64_t commit;

	if (bytes < HEAD_BYTES)
		return false;
	memcpy(&page->time, data, sizeof(page->time));
	memcpy(&commit, data + sizeof(page->time), sizeof(commit));
	commit &= COMMIT_BITS;
	if (commit > bytes - HEAD_BYTES)
		return false;
	page->at = data + HEAD_BYTES;
	page->end = page->at + commit;
	return commit > 0;
}

static uint32_t trace_word(SptTracePage *page)
{
	uint32_t word;

	memcpy(&word, page->at, sizeof(word));
	page->at += sizeof(word);
	return word;
}

bool spt_trace_page_next(SptTracePage *page, SptTraceEvent *ret)
{
	while ((size_t)(page->end - page->at) >= 2 * sizeof(uint32_t)) {
		uint32_t first = trace_word(page), type = first & 31, bytes = type * 4;
		uint64_t delta = first >> 5, more;

		if (type == TIME_EXTENDS || type == TIME_WHOLE) {
			more = (uint64_t)trace_word(page) << TIME_BITS;
			/* The upper bits of a whole time are those of the page's. */
			page->time = (type == TIME_WHOLE ? page->time >> 59 << 59 : page->time) +
				     more + delta;
			continue;
		}
		/* Padding without a time goes on to the end of the page. */
		if (type == PADDING && !delta)
			break;
		if (type == PADDING || type == LENGTH_FOLLOWS) {
			bytes = trace_word(page);
			bytes = bytes < sizeof(uint32_t) ? 0 : bytes - (uint32_t)sizeof(uint32_t);
		}
		if (bytes > (size_t)(page->end - page->at))
			break;
		page->time += delta;
		*ret = (SptTraceEvent){ page->time, page->at, bytes };
		page->at += (bytes + 3) & ~3u;
		if (page->at > page->end)
			page->at = page->end;
		if (type != PADDING)
			return true;
	}
	page->at = page->end;
	return false;
}

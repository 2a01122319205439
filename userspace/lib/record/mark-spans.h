/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The spans of a thread that have begun and not ended: a stack of at most SPT_MARK_DEPTH. */
#ifndef SPT_MARK_SPANS_H
#define SPT_MARK_SPANS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define SPT_MARK_DEPTH 64

typedef struct SptMarkSpans SptMarkSpans;

typedef struct {
	char *category, *name;
	uint64_t begin_ns;
} SptOpenSpan;

SptMarkSpans *spt_mark_spans_new(void);
void spt_mark_spans_free(SptMarkSpans *spans);
/* Deeper spans are only counted, so that their ends end nothing else. */
void spt_mark_spans_begin(SptMarkSpans *spans, const char *category, const char *name,
			  uint64_t time_ns);
/*
 * Ends the innermost span called @name; those within it, which have no end, are forgotten.  False:
 * none has begun.
 */
bool spt_mark_spans_end(SptMarkSpans *spans, const char *name, SptOpenSpan *ret);
/* Ends the innermost span.  False: none has begun, or it was too deep. */
bool spt_mark_spans_end_last(SptMarkSpans *spans, SptOpenSpan *ret);
/* Takes the innermost span, whatever its name. */
bool spt_mark_spans_pop(SptMarkSpans *spans, SptOpenSpan *ret);
/* How many begins of spans led to nothing, when no more will come; each counts once. */
uint64_t spt_mark_spans_take_forgotten(SptMarkSpans *spans);
void spt_open_span_clear(SptOpenSpan *span);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/mark-spans.h"

#include <string.h>

struct SptMarkSpans {
	SptOpenSpan open[SPT_MARK_DEPTH];
	unsigned n;
	uint64_t n_deeper;		/* spans within the innermost one, without a place here */
	uint64_t n_forgotten;		/* spans without an end, within one that has ended */
};

SptMarkSpans *spt_mark_spans_new(void)
{
	return g_new0(SptMarkSpans, 1);
}

void spt_open_span_clear(SptOpenSpan *span)
{
	g_free(span->category);
	g_free(span->name);
}

void spt_mark_spans_free(SptMarkSpans *spans)
{
	if (!spans)
		return;
	for (unsigned i = 0; i < spans->n; i++)
		spt_open_span_clear(&spans->open[i]);
	g_free(spans);
}

void spt_mark_spans_begin(SptMarkSpans *spans, const char *category, const char *name,
			  uint64_t time_ns)
{
	if (spans->n == SPT_MARK_DEPTH) {
		spans->n_deeper++;
		return;
	}
	spans->open[spans->n++] = (SptOpenSpan){ g_strdup(category), g_strdup(name), time_ns };
}

bool spt_mark_spans_end(SptMarkSpans *spans, const char *name, SptOpenSpan *ret)
{
	unsigned i = spans->n;

	if (spans->n_deeper) {
		spans->n_deeper--;
		return false;
	}
	while (i > 0 && strcmp(spans->open[i - 1].name, name) != 0)
		i--;
	if (i == 0)
		return false;
	while (spans->n > i) {
		spt_open_span_clear(&spans->open[--spans->n]);
		spans->n_forgotten++;
	}
	*ret = spans->open[--spans->n];
	return true;
}

bool spt_mark_spans_end_last(SptMarkSpans *spans, SptOpenSpan *ret)
{
	if (!spans->n_deeper)
		return spt_mark_spans_pop(spans, ret);
	spans->n_deeper--;
	return false;
}

bool spt_mark_spans_pop(SptMarkSpans *spans, SptOpenSpan *ret)
{
	if (spans->n == 0)
		return false;
	*ret = spans->open[--spans->n];
	return true;
}

uint64_t spt_mark_spans_take_forgotten(SptMarkSpans *spans)
{
	uint64_t n = spans->n_forgotten + spans->n_deeper;

	spans->n_forgotten = spans->n_deeper = 0;
	return n;
}

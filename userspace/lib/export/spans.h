/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The waits and events of a recording, one after the other, for formats that show them beside the
 * samples.  They are read from the file block by block.
 */
#ifndef SPT_EXPORT_SPANS_H
#define SPT_EXPORT_SPANS_H

#include "events/event.h"
#include "profile/profile.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t begin_ns, duration_ns;	/* duration 0: an instant */
	uint64_t runnable_ns;		/* of a wait: its last part */
	uint64_t value, weight;		/* of an event, in the units of its kind */
	const SptEventKind *kind;	/* NULL: a wait */
	const char *what;		/* name of the event itself, such as a vector; NULL: none */
	/* other: the waker of a wait, the holder of a lock; 0: not known */
	uint32_t thread, cpu, other;
	uint32_t cpu_before;		/* of a wait: which it left; cpu is where it ran again */
	uint8_t state, context;		/* SPT_STATE_* of a wait; SPT_IN_* of the waker or event */
	uint8_t flags;			/* SPT_WAIT_* of a wait */
} SptSpan;

typedef struct SptSpans SptSpans;

/*
 * Those of the threads, CPUs and time of @filter (NULL: all); its conditions about stacks choose
 * none.  Both must outlive the spans.
 */
SptSpans *spt_spans_new(const SptCapture *capture, const SptFilter *filter);
void spt_spans_free(SptSpans *spans);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSpans, spt_spans_free)

/* Waits, then events, in the order of the file.  False: no more, and the next call begins again. */
bool spt_spans_next(SptSpans *spans, SptSpan *ret);
/* "wait", or the name of its kind of event. */
const char *spt_span_kind_name(const SptEventKind *kind);
/* 0 for waits, else the place of @kind in the list of kinds, from 1 on. */
unsigned spt_span_kind_number(const SptEventKind *kind);
/* The unit of the field "value" of such events. */
SptUnit spt_span_value_unit(const SptEventKind *kind);
/*
 * Appends the fields as members of a JSON object, each after a comma: cpu; of waits state,
 * runnable_ns and waker; of events what, value, context and holder, as far as they are known.
 */
void spt_span_append_fields(const SptCapture *capture, const SptSpan *span, GString *text);

G_END_DECLS

#endif

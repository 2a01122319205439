/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which span of which trace a sample or a wait belongs to, as the program published it.  A
 * recording has these as events of declared kinds, each at the time and with the thread of its
 * sample or wait.  Spans can have attributes, whose keys are numbers at first.
 */
#ifndef SPT_LINKS_H
#define SPT_LINKS_H

#include "capture/capture.h"
#include "profile/metric.h"

G_BEGIN_DECLS

/* Names of the kinds, and of their fields. */
#define SPT_LINKS_OF_CPU   "spans"
#define SPT_LINKS_OF_WAITS "span-waits"
#define SPT_LINKS_TRACE	   "trace_id"
#define SPT_LINKS_SPAN	   "span_id"
/*
 * "0=GET,3=/cart", or with names of keys, as windows that an agent keeps: "method=GET,path=/cart".
 * Recordings of earlier versions have no such field.
 */
#define SPT_LINKS_ATTRIBUTES "attributes"

/* What is beyond is not read. */
#define SPT_LINK_ATTRIBUTES_MAX 32

typedef struct {
	unsigned key;			/* below 256 */
	const char *name;		/* of the key; NULL: its number is all that is known */
	const char *value;
} SptLinkAttribute;

typedef struct {
	const char *trace, *span;	/* hexadecimal digits */
	uint32_t first;			/* the number of the first one with these */
	unsigned n_attributes;
	const SptLinkAttribute *attributes;	/* each key once */
} SptLink;

typedef struct SptLinks SptLinks;

/* Those of a metric's rows; NULL: there are none.  For the caller to free. */
SptLinks *spt_links_new(const SptCapture *capture, const SptMetric *metric);
void spt_links_free(SptLinks *links);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptLinks, spt_links_free)

/* The number of the link of a row, from 1 on; 0: it has none.  @links may be NULL. */
uint32_t spt_links_of(const SptLinks *links, uint64_t time, uint32_t thread);
/* How many there are, and number @n of them, from 1 on. */
uint32_t spt_links_count(const SptLinks *links);
const SptLink *spt_links_get(const SptLinks *links, uint32_t n);

G_END_DECLS

#endif

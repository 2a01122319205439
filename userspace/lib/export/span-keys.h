/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes of a span under names, for exports that label samples with them.  Names and values are
 * the program's: one that is a label of a sample already, or was said before, is skipped.
 */
#ifndef SPT_EXPORT_SPAN_KEYS_H
#define SPT_EXPORT_SPAN_KEYS_H

#include "export/labels.h"
#include "profile/links.h"

G_BEGIN_DECLS

typedef struct {
	unsigned n;
	struct {
		const char *key, *value;
		char number[32];	/* the key of one whose name is not known */
	} pairs[SPT_LINK_ATTRIBUTES_MAX];
} SptSpanPairs;

/*
 * Those of @link, a span of @process.  @taken: keys that a sample has, with a NULL at the end.
 * @labels may be NULL: then, as for keys that nobody has said, they are "span.attribute.7".
 */
void spt_span_pairs(const SptLabels *labels, const SptProcessRow *process, const SptLink *link,
		    const char *const *taken, SptSpanPairs *ret);

/* A recording's text of attributes of a span of @process, with names of keys; to be freed. */
char *spt_span_named(const SptLabels *labels, const SptProcessRow *process, const char *attributes);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/span-keys.h"

#include <string.h>

static bool is_said(const SptSpanPairs *pairs, const char *key)
{
	for (unsigned i = 0; i < pairs->n; i++)
		if (strcmp(pairs->pairs[i].key, key) == 0)
			return true;
	return false;
}

void spt_span_pairs(const SptLabels *labels, const SptProcessRow *process, const SptLink *link,
		    const char *const *taken, SptSpanPairs *ret)
{
	ret->n = 0;
	for (unsigned i = 0; i < link->n_attributes; i++) {
		const SptLinkAttribute *attribute = &link->attributes[i];
		const char *key = spt_labels_span_key(labels, process, attribute->key);
		char *number = ret->pairs[ret->n].number;

		if (!key) {
			g_snprintf(number, sizeof(ret->pairs[0].number), "span.attribute.%u",
				   attribute->key);
			key = number;
		}
		if (g_strv_contains(taken, key) || is_said(ret, key))
			continue;
		ret->pairs[ret->n].key = key;
		ret->pairs[ret->n].value = attribute->value;
		ret->n++;
	}
}

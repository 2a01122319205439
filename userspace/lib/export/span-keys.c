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

/* A name that begins with a digit is no number. */
static void append_name(GString *text, const char *name)
{
	if (g_ascii_isdigit(*name))
		g_string_append_printf(text, "%%%02X", (unsigned)(unsigned char)*name++);
	g_string_append_uri_escaped(text, name, NULL, FALSE);
}

char *spt_span_named(const SptLabels *labels, const SptProcessRow *process, const char *attributes)
{
	g_auto(GStrv) parts = g_strsplit(attributes, ",", 0);
	GString *text = g_string_new(NULL);

	for (char **part = parts; *part; part++) {
		char *end;
		guint64 key = g_ascii_strtoull(*part, &end, 10);
		bool is_key = g_ascii_isdigit(**part) && *end == '=' && key <= UINT8_MAX;
		const char *name =
			is_key ? spt_labels_span_key(labels, process, (unsigned)key) : NULL;

		g_string_append(text, part == parts ? "" : ",");
		if (name && *name)
			append_name(text, name);
		g_string_append(text, name && *name ? end : *part);
	}
	return g_string_free(text, FALSE);
}

void spt_span_pairs(const SptLabels *labels, const SptProcessRow *process, const SptLink *link,
		    const char *const *taken, SptSpanPairs *ret)
{
	ret->n = 0;
	for (unsigned i = 0; i < link->n_attributes; i++) {
		const SptLinkAttribute *attribute = &link->attributes[i];
		const char *key = attribute->name ?
					  attribute->name :
					  spt_labels_span_key(labels, process, attribute->key);
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

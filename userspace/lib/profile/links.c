/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/links.h"

#include <string.h>

#include "base/pairs.h"
#include "capture/declared.h"
#include "capture/stream-rows.h"

struct SptLinks {
	GHashTable *numbers;		/* "TRACE SPAN ATTRIBUTES" -> number */
	GHashTable *firsts;		/* "TRACE SPAN" -> number */
	GPtrArray *links;		/* SptLink */
	GStringChunk *texts;
	uint64_t unit_ns;		/* of the times of rows in a file, which are rounded down */
	struct spt_pairs rows;		/* (time in units, thread) -> number */
};

static void link_free(void *data)
{
	SptLink *link = data;

	g_free((SptLinkAttribute *)link->attributes);
	g_free(link);
}

static bool has_key(const GArray *attributes, const SptLinkAttribute *attribute)
{
	for (guint i = 0; i < attributes->len; i++) {
		const SptLinkAttribute *other = &g_array_index(attributes, SptLinkAttribute, i);

		if (other->key == attribute->key && g_strcmp0(other->name, attribute->name) == 0)
			return true;
	}
	return false;
}

/* "3=/cart" or "path=/cart", changed on the way; false: it is neither. */
static bool read_attribute(SptLinks *links, char *part, SptLinkAttribute *ret)
{
	char *equal = strchr(part, '='), *end;
	g_autofree char *value = equal ? g_uri_unescape_string(equal + 1, NULL) : NULL,
			*name = NULL;
	guint64 key;

	if (!value || equal == part)
		return false;
	*ret = (SptLinkAttribute){ .value = g_string_chunk_insert(links->texts, value) };
	*equal = '\0';
	if (g_ascii_isdigit(*part)) {
		key = g_ascii_strtoull(part, &end, 10);
		ret->key = (unsigned)key;
		return end == equal && key <= UINT8_MAX;
	}
	name = g_uri_unescape_string(part, NULL);
	ret->name = name ? g_string_chunk_insert(links->texts, name) : NULL;
	return name;
}

/* What a file says they are, as records wrote it. */
static void read_attributes(SptLinks *links, const char *text, SptLink *link)
{
	g_auto(GStrv) parts = g_strsplit(text, ",", 0);
	g_autoptr(GArray) attributes = g_array_new(FALSE, FALSE, sizeof(SptLinkAttribute));

	for (char **part = parts; *part && attributes->len < SPT_LINK_ATTRIBUTES_MAX; part++) {
		SptLinkAttribute attribute;

		if (read_attribute(links, *part, &attribute) && !has_key(attributes, &attribute))
			g_array_append_val(attributes, attribute);
	}
	link->n_attributes = attributes->len;
	link->attributes = (SptLinkAttribute *)g_array_steal(attributes, NULL);
}

/* The number of a new one. */
static uint32_t links_append(SptLinks *links, const char *trace, const char *span,
			     const char *attributes)
{
	g_autofree char *ids = g_strconcat(trace, " ", span, NULL);
	uint32_t first = GPOINTER_TO_UINT(g_hash_table_lookup(links->firsts, ids));
	SptLink *link = g_new0(SptLink, 1);

	link->trace = g_string_chunk_insert(links->texts, trace);
	link->span = g_string_chunk_insert(links->texts, span);
	read_attributes(links, attributes, link);
	g_ptr_array_add(links->links, link);
	link->first = first ? first : links->links->len;
	if (!first)
		g_hash_table_insert(links->firsts, g_steal_pointer(&ids),
				    GUINT_TO_POINTER(link->first));
	return links->links->len;
}

static void links_add(SptLinks *links, const SptDeclaredRow *row, const char *trace,
		      const char *span, const char *attributes)
{
	g_autofree char *key = g_strconcat(trace, " ", span, " ", attributes, NULL);
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(links->numbers, key)),
		 *at = spt_pairs_at(&links->rows, row->time / links->unit_ns, row->thread);

	if (!number) {
		number = links_append(links, trace, span, attributes);
		g_hash_table_insert(links->numbers, g_steal_pointer(&key),
				    GUINT_TO_POINTER(number));
	}
	if (*at == UINT32_MAX)
		*at = number;
}

/* Where the values are in a row. */
struct link_fields {
	unsigned trace, span, attributes;
	bool has_attributes;
};

static bool find_text(const SptDeclared *kind, const char *name, unsigned *ret)
{
	return spt_declared_find_field(kind, name, ret) &&
	       kind->fields[*ret].type == SPT_VALUE_TEXT;
}

/* Other programs' recordings may have kinds of these names. */
static bool find_fields(const SptDeclared *kind, struct link_fields *ret)
{
	ret->has_attributes = find_text(kind, SPT_LINKS_ATTRIBUTES, &ret->attributes);
	return find_text(kind, SPT_LINKS_TRACE, &ret->trace) &&
	       find_text(kind, SPT_LINKS_SPAN, &ret->span);
}

static void links_read(SptLinks *links, const SptCapture *capture, const SptDeclared *kind,
		       const struct link_fields *fields)
{
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, kind);
	const SptDeclaredRow *rows;
	uint32_t n;

	while ((rows = spt_declared_reader_next(reader, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			const SptValue *values = rows[i].values;
			const char *attributes =
				fields->has_attributes ? values[fields->attributes].text : NULL;

			if (values[fields->trace].text && values[fields->span].text)
				links_add(links, &rows[i], values[fields->trace].text,
					  values[fields->span].text, attributes ? attributes : "");
		}
	}
}

/* A wait is two rows: until its thread was woken, and until it ran. */
static void links_add_blocked(SptLinks *links, const SptCapture *capture)
{
	g_autoptr(SptStreamReader) reader = spt_stream_reader_new(capture, SPT_ROW_WAIT);
	const SptWaitRow *waits;
	uint32_t n;

	while ((waits = spt_stream_reader_next(reader, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			const SptWaitRow *wait = &waits[i];
			uint64_t runnable_ns = MIN(wait->runnable_ns, wait->duration_ns);
			uint64_t woken = wait->time - MIN(runnable_ns, wait->time);
			uint32_t number = spt_links_of(links, wait->time, wait->thread);

			if (number)
				*spt_pairs_at(&links->rows, woken, wait->thread) = number;
		}
	}
}

SptLinks *spt_links_new(const SptCapture *capture, const SptMetric *metric)
{
	const char *name = metric->is_cpu		      ? SPT_LINKS_OF_CPU :
			   !strcmp(metric->name, "off-cpu") ? SPT_LINKS_OF_WAITS :
							      NULL;
	const SptDeclared *kind = name ? spt_declared_find(capture, name) : NULL;
	struct link_fields fields;
	SptLinks *links;

	if (!kind || !find_fields(kind, &fields))
		return NULL;
	links = g_new0(SptLinks, 1);
	links->numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	links->firsts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	links->links = g_ptr_array_new_with_free_func(link_free);
	links->texts = g_string_chunk_new(4096);
	links->unit_ns = metric->is_cpu ? SPT_CAPTURE_TIME_UNIT_NS : 1;
	links_read(links, capture, kind, &fields);
	if (!metric->is_cpu)
		links_add_blocked(links, capture);
	return links;
}

void spt_links_free(SptLinks *links)
{
	if (!links)
		return;
	g_hash_table_unref(links->numbers);
	g_hash_table_unref(links->firsts);
	g_ptr_array_unref(links->links);
	g_string_chunk_free(links->texts);
	spt_pairs_clear(&links->rows);
	g_free(links);
}

uint32_t spt_links_of(const SptLinks *links, uint64_t time, uint32_t thread)
{
	uint32_t number = links ? spt_pairs_get(&links->rows, time / links->unit_ns, thread) :
				  UINT32_MAX;

	return number == UINT32_MAX ? 0 : number;
}

uint32_t spt_links_count(const SptLinks *links)
{
	return links ? links->links->len : 0;
}

const SptLink *spt_links_get(const SptLinks *links, uint32_t n)
{
	return links->links->pdata[n - 1];
}

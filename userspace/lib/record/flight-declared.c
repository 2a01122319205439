/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each row is one piece of memory: the row without the values that it does not have, and texts. */
#include "record/flight-declared.h"

#include <stddef.h>
#include <string.h>

struct kind {
	SptDeclarationRow row;
	GStringChunk *texts;
};

struct SptFlightDeclared {
	GHashTable *kinds;		/* id -> struct kind */
	GPtrArray *rows;		/* SptDeclaredRow, cut behind its values */
};

static void flight_declared_kind_free(gpointer data)
{
	struct kind *kind = data;

	g_string_chunk_free(kind->texts);
	g_free(kind);
}

SptFlightDeclared *spt_flight_declared_new(void)
{
	SptFlightDeclared *declared = g_new0(SptFlightDeclared, 1);

	declared->kinds = g_hash_table_new_full(NULL, NULL, NULL, flight_declared_kind_free);
	declared->rows = g_ptr_array_new_with_free_func(g_free);
	return declared;
}

void spt_flight_declared_free(SptFlightDeclared *declared)
{
	g_hash_table_unref(declared->kinds);
	g_ptr_array_unref(declared->rows);
	g_free(declared);
}

static const char *flight_declared_keep_name(struct kind *kind, const char *name)
{
	const char *text = name ? name : "";

	return g_string_chunk_insert_len(kind->texts, text,
					 (gssize)strnlen(text, SPT_DECLARED_NAME_BYTES));
}

void spt_flight_declared_declare(SptFlightDeclared *declared, const SptDeclarationRow *row)
{
	struct kind *kind;

	if (g_hash_table_size(declared->kinds) >= SPT_DECLARED_KINDS &&
	    !g_hash_table_contains(declared->kinds, GUINT_TO_POINTER(row->id)))
		return;
	kind = g_new0(struct kind, 1);
	kind->row = *row;
	kind->texts = g_string_chunk_new(64);
	kind->row.name = flight_declared_keep_name(kind, row->name);
	kind->row.title = flight_declared_keep_name(kind, row->title);
	kind->row.n_fields = MIN(row->n_fields, SPT_DECLARED_FIELDS);
	for (unsigned i = 0; i < kind->row.n_fields; i++) {
		kind->row.fields[i].name = flight_declared_keep_name(kind, row->fields[i].name);
		kind->row.fields[i].unit = flight_declared_keep_name(kind, row->fields[i].unit);
	}
	g_hash_table_replace(declared->kinds, GUINT_TO_POINTER(row->id), kind);
}

static size_t flight_declared_text_bytes(const SptDeclarationRow *kind, const SptDeclaredRow *row,
					 unsigned field)
{
	const char *text = row->values[field].text;

	return kind->fields[field].type == SPT_VALUE_TEXT && text ?
		       strnlen(text, SPT_DECLARED_TEXT_BYTES) + 1 :
		       0;
}

void spt_flight_declared_put(SptFlightDeclared *declared, const SptDeclaredRow *row)
{
	const struct kind *kind =
		g_hash_table_lookup(declared->kinds, GUINT_TO_POINTER(row->kind));
	size_t bytes, at;
	SptDeclaredRow *kept;

	if (!kind)
		return;
	at = bytes = offsetof(SptDeclaredRow, values) + kind->row.n_fields * sizeof(SptValue);
	for (unsigned i = 0; i < kind->row.n_fields; i++)
		bytes += flight_declared_text_bytes(&kind->row, row, i);
	kept = g_malloc0(bytes);
	memcpy(kept, row, at);
	for (unsigned i = 0; i < kind->row.n_fields; i++) {
		size_t n = flight_declared_text_bytes(&kind->row, row, i);

		if (n == 0)
			continue;
		memcpy((char *)kept + at, row->values[i].text, n - 1);
		kept->values[i].text = (char *)kept + at;
		at += n;
	}
	g_ptr_array_add(declared->rows, kept);
}

void spt_flight_declared_forget(SptFlightDeclared *declared, uint64_t begin)
{
	GPtrArray *rows = declared->rows;
	unsigned n = 0;

	for (unsigned i = 0; i < rows->len; i++) {
		SptDeclaredRow *row = rows->pdata[i];

		if (row->time >= begin || row->duration_ns >= begin - row->time)
			rows->pdata[n++] = row;
		else
			g_free(row);
	}
	/* Those behind are freed, or in front. */
	for (unsigned i = n; i < rows->len; i++)
		rows->pdata[i] = NULL;
	g_ptr_array_set_size(rows, (int)n);
}

void spt_flight_declared_add_threads(const SptFlightDeclared *declared, GHashTable *threads)
{
	for (unsigned i = 0; i < declared->rows->len; i++) {
		const SptDeclaredRow *row = declared->rows->pdata[i];

		g_hash_table_add(threads, GUINT_TO_POINTER(row->thread));
	}
}

void spt_flight_declared_move_nodes(SptFlightDeclared *declared,
				    uint32_t (*move)(uint32_t node, void *data), void *data)
{
	for (unsigned i = 0; i < declared->rows->len; i++) {
		SptDeclaredRow *row = declared->rows->pdata[i];

		row->node = move(row->node, data);
	}
}

void spt_flight_declared_give(const SptFlightDeclared *declared, SptSink *to)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, declared->kinds);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		spt_sink_put(to, SPT_ROW_DECLARATION, &((struct kind *)value)->row);
	for (unsigned i = 0; i < declared->rows->len; i++) {
		const SptDeclaredRow *kept = declared->rows->pdata[i];
		const struct kind *kind =
			g_hash_table_lookup(declared->kinds, GUINT_TO_POINTER(kept->kind));
		SptDeclaredRow row = { 0 };

		memcpy(&row, kept,
		       offsetof(SptDeclaredRow, values) + kind->row.n_fields * sizeof(SptValue));
		spt_sink_put(to, SPT_ROW_DECLARED, &row);
	}
}

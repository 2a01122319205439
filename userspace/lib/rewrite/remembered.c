/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two generations: places that are used again move to the young one.  When that is full it becomes
 * the old one, and what was in the old one is forgotten.
 */
#include "rewrite/remembered.h"

#include <string.h>

struct place {
	uint64_t object[2];		/* sum of what identifies it */
	uint64_t offset;
};

struct facts {
	struct place place;
	unsigned n;
	SptBundledRow rows[];		/* object and offset are those of a capture, set later */
};

struct generation {
	GHashTable *facts;		/* its own struct facts */
	GStringChunk *texts;
};

struct SptRemembered {
	unsigned most;
	struct generation young, old;
};

static guint hash_remembered(gconstpointer key)
{
	const struct place *place = key;

	return (guint)((place->object[0] ^ place->offset * 0x9e3779b97f4a7c15u) >> 16);
}

static gboolean equal_remembered(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct place)) == 0;
}

static void remembered_begin(struct generation *generation)
{
	generation->facts = g_hash_table_new_full(hash_remembered, equal_remembered, NULL, g_free);
	generation->texts = g_string_chunk_new(4096);
}

static void remembered_end(struct generation *generation)
{
	g_hash_table_unref(generation->facts);
	g_string_chunk_free(generation->texts);
}

SptRemembered *spt_remembered_new(unsigned most_places)
{
	SptRemembered *remembered = g_new0(SptRemembered, 1);

	remembered->most = most_places;
	remembered_begin(&remembered->young);
	remembered_begin(&remembered->old);
	return remembered;
}

void spt_remembered_free(SptRemembered *remembered)
{
	if (!remembered)
		return;
	remembered_end(&remembered->young);
	remembered_end(&remembered->old);
	g_free(remembered);
}

unsigned spt_remembered_count(const SptRemembered *remembered)
{
	return g_hash_table_size(remembered->young.facts) +
	       g_hash_table_size(remembered->old.facts);
}

/* What stays the same while the file does. */
static void remembered_identify(const SptObjectRow *row, uint64_t ret[2])
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	const uint64_t facts[] = { row->kind,	    row->dev_major, row->dev_minor, row->inode,
				   row->generation, row->bytes,	    row->mtime_ns };
	uint64_t digest[4];
	gsize bytes = sizeof(digest);

	g_checksum_update(sum, (const guchar *)facts, sizeof(facts));
	g_checksum_update(sum, row->build_id, row->build_id_bytes);
	g_checksum_update(sum, (const guchar *)row->path, (gssize)strlen(row->path) + 1);
	g_checksum_get_digest(sum, (guint8 *)digest, &bytes);
	memcpy(ret, digest, 2 * sizeof(digest[0]));
}

static bool is_in_files(const SptObjectRow *row)
{
	return row->id && (row->kind == SPT_OBJECT_FILE || row->kind == SPT_OBJECT_KERNEL ||
			   row->kind == SPT_OBJECT_MODULES);
}

/* The facts in the young generation; NULL: there are none. */
static struct facts *remembered_recall(SptRemembered *remembered, const struct place *place)
{
	struct facts *facts = g_hash_table_lookup(remembered->young.facts, place);

	if (facts)
		return facts;
	facts = g_hash_table_lookup(remembered->old.facts, place);
	if (!facts)
		return NULL;
	g_hash_table_steal(remembered->old.facts, place);
	for (unsigned i = 0; i < facts->n; i++) {
		SptBundledRow *row = &facts->rows[i];
		GStringChunk *texts = remembered->young.texts;

		row->function = g_string_chunk_insert_const(texts, row->function);
		row->directory = g_string_chunk_insert_const(texts, row->directory);
		row->file = g_string_chunk_insert_const(texts, row->file);
	}
	g_hash_table_insert(remembered->young.facts, &facts->place, facts);
	return facts;
}

/* Each frame of @capture once that files can say something about. */
static GArray *list_places(const SptCapture *capture)
{
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(SptFrame));
	g_autofree bool *seen = g_new0(bool, MAX(capture->n_frames, 1));

	for (uint32_t i = 1; i < capture->n_nodes; i++) {
		const SptNode *node = &capture->nodes[i];

		if (!seen[node->key] && node->frame.object < capture->n_objects &&
		    is_in_files(&capture->objects[node->frame.object]))
			g_array_append_val(frames, node->frame);
		seen[node->key] = true;
	}
	return frames;
}

typedef void (*TakePlace)(SptRemembered *remembered, const SptFrame *frame,
			  const struct place *place, void *data);

static void each_place(SptRemembered *remembered, const SptCapture *capture, TakePlace take,
		       void *data)
{
	g_autoptr(GArray) frames = list_places(capture);
	g_autofree struct place *objects = g_new0(struct place, MAX(capture->n_objects, 1));
	g_autofree bool *known = g_new0(bool, MAX(capture->n_objects, 1));

	for (guint i = 0; i < frames->len; i++) {
		const SptFrame *frame = &g_array_index(frames, SptFrame, i);
		struct place *place = &objects[frame->object];

		if (!known[frame->object])
			remembered_identify(&capture->objects[frame->object], place->object);
		known[frame->object] = true;
		place->offset = frame->offset;
		take(remembered, frame, place, data);
	}
}

static void remembered_put_place(SptRemembered *remembered, const SptFrame *frame,
				 const struct place *place, void *data)
{
	const struct facts *facts = remembered_recall(remembered, place);
	GArray *rows = data;

	for (unsigned i = 0; facts && i < facts->n; i++) {
		SptBundledRow row = facts->rows[i];

		row.object = frame->object;
		row.offset = frame->offset;
		g_array_append_val(rows, row);
	}
}

void spt_remembered_put(SptRemembered *remembered, SptCapture *capture)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(SptBundledRow));

	if (g_hash_table_size(remembered->young.facts) >= remembered->most) {
		remembered_end(&remembered->old);
		remembered->old = remembered->young;
		remembered_begin(&remembered->young);
	}
	each_place(remembered, capture, remembered_put_place, rows);
	g_free(capture->bundled);
	capture->n_bundled = rows->len;
	capture->bundled = (SptBundledRow *)g_array_free(rows, FALSE);
}

struct learning {
	const SptCapture *capture;
	SptSymbols *symbols;
};

static const char *remembered_keep(SptRemembered *remembered, const char *text)
{
	return text && *text ? g_string_chunk_insert_const(remembered->young.texts, text) : "";
}

/* Of a file of which nothing is known the place's name is what it is shown as. */
static void complete_function(SptRemembered *remembered, const struct learning *learning,
			      const SptFrame *frame, const SptSymbol *symbol, SptBundledRow *row)
{
	SptName name;

	row->distance = symbol->distance;
	row->symbol_bytes = symbol->bytes;
	row->is_symbol = symbol->name != NULL;
	if (symbol->name)
		row->function = remembered_keep(remembered, symbol->name);
	if (symbol->name || symbol->bytes || *row->function ||
	    learning->capture->objects[frame->object].kind != SPT_OBJECT_FILE)
		return;
	name = spt_symbols_name(learning->symbols, frame);
	if (name.source == SPT_SOURCE_CAPTURE)
		return;
	row->function = remembered_keep(remembered, name.function);
	row->is_symbol = true;
}

static void learn_place(SptRemembered *remembered, const SptFrame *frame,
			const struct place *place, void *data)
{
	const struct learning *learning = data;
	SptPlace places[SPT_INLINES_MAX];
	SptSymbol symbol;
	struct facts *facts;
	unsigned n;

	if (remembered_recall(remembered, place) ||
	    g_hash_table_size(remembered->young.facts) >= remembered->most)
		return;
	n = spt_symbols_raw(learning->symbols, frame, places, &symbol);
	if (n == 0)
		places[n++] = (SptPlace){ 0 };
	facts = g_malloc0(sizeof(*facts) + n * sizeof(facts->rows[0]));
	facts->place = *place;
	facts->n = n;
	for (unsigned i = 0; i < n; i++)
		facts->rows[i] = (SptBundledRow){
			.level = n - 1 - i,
			.function = remembered_keep(remembered, places[i].function),
			.directory = remembered_keep(remembered, places[i].directory),
			.file = remembered_keep(remembered, places[i].file),
			.line = places[i].line,
			.is_all = true,
		};
	complete_function(remembered, learning, frame, &symbol, &facts->rows[n - 1]);
	g_hash_table_insert(remembered->young.facts, &facts->place, facts);
}

void spt_remembered_learn(SptRemembered *remembered, const SptCapture *capture,
			  SptSymbols *symbols)
{
	each_place(remembered, capture, learn_place, &(struct learning){ capture, symbols });
}

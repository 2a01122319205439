/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two generations: what is used again moves to the young one.  When that is full it becomes the old
 * one, and what was in the old one is forgotten.
 *
 * Most new places are in functions that are known: where symbols alone are asked for, all places of
 * a function have the same answer, and its file is not read again for each of them.
 */
#include "rewrite/remembered.h"

#include <string.h>

/* What is known of the places from @first on, before @end. */
struct facts {
	uint64_t first, end;
	uint64_t base;			/* of the symbol's distances */
	unsigned n;
	SptBundledRow rows[];		/* object, offset and distance are set later */
};

/* By what identifies it, in any capture. */
struct object {
	uint64_t identity[2];
	GPtrArray *facts;		/* ascending; they do not overlap */
};

struct generation {
	GHashTable *objects;		/* struct object, by itself */
	GStringChunk *texts;
	unsigned n;			/* facts */
};

struct SptRemembered {
	unsigned most;
	struct generation young, old;
};

static guint hash_remembered(gconstpointer key)
{
	return (guint)((const struct object *)key)->identity[0];
}

static gboolean equal_remembered(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(((struct object *)NULL)->identity)) == 0;
}

static void remembered_free_object(void *data)
{
	struct object *object = data;

	g_ptr_array_unref(object->facts);
	g_free(object);
}

static void remembered_begin(struct generation *generation)
{
	generation->objects = g_hash_table_new_full(hash_remembered, equal_remembered, NULL,
						    remembered_free_object);
	generation->texts = g_string_chunk_new(4096);
	generation->n = 0;
}

static void remembered_end(struct generation *generation)
{
	g_hash_table_unref(generation->objects);
	g_string_chunk_free(generation->texts);
}

SptRemembered *spt_remembered_new(unsigned most)
{
	SptRemembered *remembered = g_new0(SptRemembered, 1);

	remembered->most = most;
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
	return remembered->young.n + remembered->old.n;
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

/* A place of a capture; its object in both generations, NULL: it is not there so far. */
struct place {
	uint64_t identity[2];
	uint64_t offset;
	struct object *young, *old;
};

static struct object *object_in(const struct generation *generation, const struct place *place)
{
	return g_hash_table_lookup(generation->objects, place->identity);
}

/* The number of facts of @object that begin at @offset or before. */
static unsigned facts_until(const struct object *object, uint64_t offset)
{
	unsigned low = 0, high = object->facts->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (((const struct facts *)object->facts->pdata[middle])->first <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The index of the facts around @offset; UINT_MAX: there are none. */
static unsigned facts_around(const struct object *object, uint64_t offset)
{
	unsigned n = object ? facts_until(object, offset) : 0;

	return n > 0 && offset < ((const struct facts *)object->facts->pdata[n - 1])->end ?
		       n - 1 :
		       UINT_MAX;
}

/* Takes @facts, which hold at @place, as far as others leave room. */
static struct facts *add_facts(SptRemembered *remembered, struct place *place, struct facts *facts)
{
	struct generation *young = &remembered->young;
	GPtrArray *all;
	unsigned at;

	if (!place->young) {
		place->young = g_new(struct object, 1);
		memcpy(place->young->identity, place->identity, sizeof(place->identity));
		place->young->facts = g_ptr_array_new_with_free_func(g_free);
		g_hash_table_add(young->objects, place->young);
	}
	all = place->young->facts;
	at = facts_until(place->young, place->offset);
	if (at > 0)
		facts->first = MAX(facts->first, ((struct facts *)all->pdata[at - 1])->end);
	if (at < all->len)
		facts->end = MIN(facts->end, ((struct facts *)all->pdata[at])->first);
	g_ptr_array_insert(all, (gint)at, facts);
	young->n++;
	return facts;
}

static bool is_in_files(const SptObjectRow *row)
{
	return row->id && (row->kind == SPT_OBJECT_FILE || row->kind == SPT_OBJECT_KERNEL ||
			   row->kind == SPT_OBJECT_MODULES);
}

/* The facts, in the young generation; NULL: there are none. */
static struct facts *remembered_recall(SptRemembered *remembered, struct place *place)
{
	unsigned at = facts_around(place->young, place->offset);
	struct facts *facts;

	if (at != UINT_MAX)
		return place->young->facts->pdata[at];
	at = facts_around(place->old, place->offset);
	if (at == UINT_MAX)
		return NULL;
	facts = g_ptr_array_steal_index(place->old->facts, at);
	remembered->old.n--;
	for (unsigned i = 0; i < facts->n; i++) {
		SptBundledRow *row = &facts->rows[i];
		GStringChunk *texts = remembered->young.texts;

		row->function = g_string_chunk_insert_const(texts, row->function);
		row->directory = g_string_chunk_insert_const(texts, row->directory);
		row->file = g_string_chunk_insert_const(texts, row->file);
	}
	return add_facts(remembered, place, facts);
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

typedef void (*TakePlace)(SptRemembered *remembered, const SptFrame *frame, struct place *place,
			  void *data);

static void each_place(SptRemembered *remembered, const SptCapture *capture, TakePlace take,
		       void *data)
{
	g_autoptr(GArray) frames = list_places(capture);
	g_autofree struct place *objects = g_new0(struct place, MAX(capture->n_objects, 1));
	g_autofree bool *known = g_new0(bool, MAX(capture->n_objects, 1));

	for (guint i = 0; i < frames->len; i++) {
		const SptFrame *frame = &g_array_index(frames, SptFrame, i);
		struct place *place = &objects[frame->object];

		if (!known[frame->object]) {
			remembered_identify(&capture->objects[frame->object], place->identity);
			place->young = object_in(&remembered->young, place);
			place->old = object_in(&remembered->old, place);
		}
		known[frame->object] = true;
		place->offset = frame->offset;
		take(remembered, frame, place, data);
	}
}

static void remembered_put_place(SptRemembered *remembered, const SptFrame *frame,
				 struct place *place, void *data)
{
	const struct facts *facts = remembered_recall(remembered, place);
	GArray *rows = data;

	for (unsigned i = 0; facts && i < facts->n; i++) {
		SptBundledRow row = facts->rows[i];

		row.object = frame->object;
		row.offset = frame->offset;
		if (row.level == 0)
			row.distance = frame->offset - facts->base;
		g_array_append_val(rows, row);
	}
}

void spt_remembered_put(SptRemembered *remembered, SptCapture *capture)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(SptBundledRow));

	if (remembered->young.n >= remembered->most) {
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

/* Which places have the same answer.  The file says so, which may be hostile, of itself alone. */
static void set_extent(const SptFrame *frame, const SptSymbol *symbol, struct facts *facts)
{
	uint64_t left = symbol->bytes - MIN(symbol->distance, symbol->bytes);

	facts->base = frame->offset - symbol->distance;
	facts->first = frame->offset;
	facts->end = frame->offset + 1;
	if (symbol->behind && symbol->distance <= frame->offset &&
	    left <= UINT64_MAX - frame->offset) {
		facts->first -= MIN(symbol->before, symbol->distance);
		facts->end = frame->offset + MAX(MIN(symbol->behind, left), 1);
	}
}

static void learn_place(SptRemembered *remembered, const SptFrame *frame, struct place *place,
			void *data)
{
	const struct learning *learning = data;
	SptPlace places[SPT_INLINES_MAX];
	SptSymbol symbol;
	struct facts *facts;
	unsigned n;

	if (remembered->young.n >= remembered->most || remembered_recall(remembered, place))
		return;
	n = spt_symbols_raw(learning->symbols, frame, places, &symbol);
	if (n == 0)
		places[n++] = (SptPlace){ 0 };
	facts = g_malloc0(sizeof(*facts) + n * sizeof(facts->rows[0]));
	facts->n = n;
	set_extent(frame, &symbol, facts);
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
	add_facts(remembered, place, facts);
}

void spt_remembered_learn(SptRemembered *remembered, const SptCapture *capture,
			  SptSymbols *symbols)
{
	each_place(remembered, capture, learn_place, &(struct learning){ capture, symbols });
}

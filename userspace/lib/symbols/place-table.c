/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A header, a row for each offset, frames of functions for the rows, and strings, each of them
 * once.
 */
#include "symbols/place-table.h"

#include <string.h>

#include "base/words.h"
#include "symbols/unnamed.h"

#define MAGIC 0x32707073
#define STRINGS_MAX_BYTES (1u << 30)
#define NAME_MAX_BYTES (64u << 10)

struct head {
	uint32_t magic, n_rows;
	uint32_t n_frames, string_bytes;
	uint32_t problem;			/* string; 0: none */
	uint32_t reserved[3];
};

struct row {
	uint64_t distance, bytes;		/* of the symbol */
	uint64_t before, behind;		/* as in SptSymbol */
	uint32_t name, source;			/* 0: it has none */
	uint32_t first_frame, n_frames;
};

/* As SptPlace, by string. */
struct frame {
	uint32_t function, file, directory, line;
};

struct SptPlaceTable {
	GByteArray *bytes;
	struct head head;
	const struct row *rows;			/* these point into the bytes */
	const struct frame *frames;
	const char *strings;
	uint64_t *offsets;
	/* index of the last result: the next one is likely to follow it */
	uint32_t last;
};

G_STATIC_ASSERT(sizeof(struct head) == SPT_PLACE_TABLE_HEAD_BYTES);

/* Writing. */

struct writing {
	GArray *rows, *frames;
	GByteArray *strings;
	GHashTable *by_address, *by_text;	/* -> position in the strings, from 1 */
};

static void place_table_begin(struct writing *writing, uint32_t n)
{
	writing->rows = g_array_sized_new(FALSE, TRUE, sizeof(struct row), n);
	writing->frames = g_array_new(FALSE, FALSE, sizeof(struct frame));
	writing->strings = g_byte_array_new();
	writing->by_address = g_hash_table_new(NULL, NULL);
	writing->by_text = g_hash_table_new(g_str_hash, g_str_equal);
	g_byte_array_append(writing->strings, (const uint8_t *)"", 1);
}

/*
 * Strings of debug information stay at their addresses while it is read, and many are used again
 * and again.
 */
static uint32_t add_string(struct writing *writing, const char *text)
{
	uint32_t at;
	size_t bytes;

	if (!text || !*text)
		return 0;
	at = GPOINTER_TO_UINT(g_hash_table_lookup(writing->by_address, text));
	if (at)
		return at;
	at = GPOINTER_TO_UINT(g_hash_table_lookup(writing->by_text, text));
	bytes = strnlen(text, NAME_MAX_BYTES);
	if (!at && writing->strings->len + bytes < STRINGS_MAX_BYTES) {
		at = writing->strings->len;
		g_byte_array_append(writing->strings, (const uint8_t *)text, bytes);
		g_byte_array_append(writing->strings, (const uint8_t *)"", 1);
		g_hash_table_insert(writing->by_text, (gpointer)text, GUINT_TO_POINTER(at));
	}
	g_hash_table_insert(writing->by_address, (gpointer)text, GUINT_TO_POINTER(at));
	return at;
}

static GByteArray *place_table_finish(struct writing *writing, uint32_t problem)
{
	struct head head = {
		.magic = MAGIC,
		.n_rows = writing->rows->len,
		.n_frames = writing->frames->len,
		.string_bytes = writing->strings->len,
		.problem = problem,
	};
	GByteArray *bytes = g_byte_array_new();

	g_byte_array_append(bytes, (const uint8_t *)&head, sizeof(head));
	g_byte_array_append(bytes, (const uint8_t *)writing->rows->data,
			    writing->rows->len * sizeof(struct row));
	g_byte_array_append(bytes, (const uint8_t *)writing->frames->data,
			    writing->frames->len * sizeof(struct frame));
	g_byte_array_append(bytes, writing->strings->data, writing->strings->len);
	g_array_unref(writing->rows);
	g_array_unref(writing->frames);
	g_byte_array_unref(writing->strings);
	g_hash_table_unref(writing->by_address);
	g_hash_table_unref(writing->by_text);
	return bytes;
}

static void place_table_add_frames(struct writing *writing, SptPlaceFinder find, void *data,
				   uint64_t offset, struct row *row)
{
	SptPlace places[SPT_INLINES_MAX];

	row->first_frame = writing->frames->len;
	row->n_frames = writing->frames->len < SPT_PLACES_MAX ? find(data, offset, places) : 0;
	for (uint32_t i = 0; i < row->n_frames; i++) {
		struct frame frame = {
			.function = add_string(writing, places[i].function),
			.file = add_string(writing, places[i].file),
			.directory = add_string(writing, places[i].directory),
			.line = places[i].line,
		};

		g_array_append_val(writing->frames, frame);
	}
}

static unsigned find_in_debug_info(void *info, uint64_t offset, SptPlace ret[SPT_INLINES_MAX])
{
	return spt_debug_info_find(info, offset, ret);
}

static void place_table_add_symbols(struct writing *writing, const SptSymtab *symtab,
				    SptFunctions *functions, const SptObject *image,
				    const uint64_t *offsets, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct row row = { 0 };
		SptSymbol symbol;

		if (spt_unnamed_find(symtab, functions, image, offsets[i], &symbol))
			row = (struct row){ .distance = symbol.distance,
					    .bytes = symbol.bytes,
					    .before = symbol.before,
					    .behind = symbol.behind,
					    .source = symbol.source,
					    .name = add_string(writing, symbol.name) };
		g_array_append_val(writing->rows, row);
	}
}

static uint32_t add_problem(struct writing *writing, const SptSymtab *symtab)
{
	return spt_symtab_is_empty(symtab) ? add_string(writing, SPT_WORDS("has no symbols")) : 0;
}

GByteArray *spt_place_table_write(SptObject *image, const char *const *debug_dirs,
				  const uint64_t *offsets, uint32_t n, SptReadDepth depth)
{
	g_autoptr(SptSymtab) symtab = spt_symtab_new(image, debug_dirs);
	g_autoptr(SptFunctions) functions = spt_functions_new();
	g_autoptr(SptDebugInfo) info = NULL;
	struct writing writing;

	place_table_begin(&writing, n);
	place_table_add_symbols(&writing, symtab, functions, image, offsets, n);
	if (depth >= SPT_READ_FUNCTIONS)
		info = spt_debug_info_new(image, debug_dirs, depth >= SPT_READ_LINES);
	else
		spt_object_free(image);
	for (uint32_t i = 0; info && i < n; i++)
		place_table_add_frames(&writing, find_in_debug_info, info, offsets[i],
				       &g_array_index(writing.rows, struct row, i));
	return place_table_finish(&writing, info ? 0 : add_problem(&writing, symtab));
}

GByteArray *spt_place_table_write_symbols(const SptSymtab *symtab, SptFunctions *functions,
					  const SptObject *image, const uint64_t *offsets,
					  uint32_t n)
{
	struct writing writing;

	place_table_begin(&writing, n);
	place_table_add_symbols(&writing, symtab, functions, image, offsets, n);
	return place_table_finish(&writing, add_problem(&writing, symtab));
}

GByteArray *spt_place_table_write_places(SptPlaceFinder find, void *data, const uint64_t *offsets,
					 uint32_t n)
{
	struct writing writing;

	place_table_begin(&writing, n);
	for (uint32_t i = 0; i < n; i++) {
		struct row row = { 0 };

		place_table_add_frames(&writing, find, data, offsets[i], &row);
		g_array_append_val(writing.rows, row);
	}
	return place_table_finish(&writing, 0);
}

GByteArray *spt_place_table_write_problem(const char *problem, uint32_t n)
{
	struct writing writing;

	place_table_begin(&writing, n);
	g_array_set_size(writing.rows, n);
	return place_table_finish(&writing, add_string(&writing, problem));
}

/* Reading. */

uint64_t spt_place_table_bytes(const uint8_t bytes[SPT_PLACE_TABLE_HEAD_BYTES])
{
	struct head head;

	memcpy(&head, bytes, sizeof(head));
	if (head.magic != MAGIC || head.n_rows > SPT_PLACES_MAX ||
	    head.n_frames > SPT_PLACES_MAX + SPT_INLINES_MAX || head.string_bytes == 0 ||
	    head.string_bytes > STRINGS_MAX_BYTES)
		return 0;
	return sizeof(head) + head.n_rows * sizeof(struct row) +
	       head.n_frames * sizeof(struct frame) + head.string_bytes;
}

static bool is_consistent(const SptPlaceTable *table)
{
	const struct head *head = &table->head;

	if (table->strings[0] || table->strings[head->string_bytes - 1] ||
	    head->problem >= head->string_bytes)
		return false;
	for (uint32_t i = 0; i < head->n_rows; i++) {
		const struct row *row = &table->rows[i];

		if (row->name >= head->string_bytes || row->source > SPT_SOURCE_PLT ||
		    row->n_frames > SPT_INLINES_MAX || row->first_frame > head->n_frames ||
		    row->n_frames > head->n_frames - row->first_frame)
			return false;
	}
	for (uint32_t i = 0; i < head->n_frames; i++) {
		const struct frame *frame = &table->frames[i];

		if (frame->function >= head->string_bytes || frame->file >= head->string_bytes ||
		    frame->directory >= head->string_bytes)
			return false;
	}
	return true;
}

SptPlaceTable *spt_place_table_new(GByteArray *bytes, const uint64_t *offsets, uint32_t n)
{
	g_autoptr(SptPlaceTable) table = g_new0(SptPlaceTable, 1);

	table->bytes = bytes;
	if (bytes->len < sizeof(table->head) || spt_place_table_bytes(bytes->data) != bytes->len)
		return NULL;
	memcpy(&table->head, bytes->data, sizeof(table->head));
	table->rows = (const struct row *)(bytes->data + sizeof(table->head));
	table->frames = (const struct frame *)(table->rows + table->head.n_rows);
	table->strings = (const char *)(table->frames + table->head.n_frames);
	if (table->head.n_rows != n || !is_consistent(table))
		return NULL;
	table->offsets = g_memdup2(offsets, n * sizeof(*offsets));
	return g_steal_pointer(&table);
}

void spt_place_table_free(SptPlaceTable *table)
{
	if (!table)
		return;
	g_byte_array_unref(table->bytes);
	g_free(table->offsets);
	g_free(table);
}

static const char *string_at(const SptPlaceTable *table, uint32_t at)
{
	return at ? table->strings + at : NULL;
}

const char *spt_place_table_problem(const SptPlaceTable *table)
{
	return string_at(table, table->head.problem);
}

uint32_t spt_place_table_find(SptPlaceTable *table, uint64_t offset)
{
	uint32_t low = 0, high = table->head.n_rows;

	for (uint32_t i = table->last; i < table->head.n_rows && i < table->last + 2; i++)
		if (table->offsets[i] == offset)
			return table->last = i;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (table->offsets[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->head.n_rows || table->offsets[low] != offset)
		return UINT32_MAX;
	return table->last = low;
}

bool spt_place_table_symbol(const SptPlaceTable *table, uint32_t index, SptSymbol *ret)
{
	const struct row *row = &table->rows[index];

	if (!row->name && !row->bytes)
		return false;
	*ret = (SptSymbol){ .name = string_at(table, row->name),
			    .distance = row->distance,
			    .bytes = row->bytes,
			    .before = row->before,
			    .behind = row->behind,
			    .source = row->source };
	return true;
}

unsigned spt_place_table_places(const SptPlaceTable *table, uint32_t index,
				SptPlace ret[SPT_INLINES_MAX])
{
	const struct row *row = &table->rows[index];

	for (uint32_t i = 0; i < row->n_frames; i++) {
		const struct frame *frame = &table->frames[row->first_frame + i];

		ret[i] = (SptPlace){ .function = string_at(table, frame->function),
				     .file = string_at(table, frame->file),
				     .directory = string_at(table, frame->directory),
				     .line = frame->line };
	}
	return row->n_frames;
}

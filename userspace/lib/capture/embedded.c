/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A piece counts if it begins where the one before it ended: what is missing ends the file. */
#include "capture/embedded.h"

#include <string.h>

#include "base/words.h"
#include "capture/events.h"
#include "capture/format.h"

#define OBJECT_COLUMN	1
#define POSITION_COLUMN 2
#define DATA_COLUMN	3
#define KIND_COLUMN	4

/* Receives a piece.  False: no more are wanted. */
typedef bool (*take_piece)(uint32_t object, uint64_t position, const SptBytes *piece, void *data);

/* A column that may be missing, for its values are 0 then. */
struct embedded_column {
	SptColumnCursor cursor;
	bool is_there;
};

static bool embedded_begin(struct embedded_column *column, const SptTable *table, unsigned id)
{
	const SptColumn *found = spt_table_column(table, id);

	column->is_there = found;
	return !found || spt_column_begin(&column->cursor, found, table->rows);
}

static bool embedded_number(struct embedded_column *column, uint64_t *ret)
{
	*ret = 0;
	return !column->is_there || spt_column_next_numbers(&column->cursor, ret, 1);
}

static bool each_row(const SptTable *table, take_piece take, void *data)
{
	struct embedded_column objects, positions, pieces, kinds;
	uint64_t object, position, kind;

	if (!embedded_begin(&objects, table, OBJECT_COLUMN) ||
	    !embedded_begin(&positions, table, POSITION_COLUMN) ||
	    !embedded_begin(&pieces, table, DATA_COLUMN) ||
	    !embedded_begin(&kinds, table, KIND_COLUMN))
		return false;
	for (uint32_t i = 0; i < table->rows; i++) {
		SptBytes piece = { "", 0 };

		if (!embedded_number(&objects, &object) ||
		    !embedded_number(&positions, &position) || !embedded_number(&kinds, &kind) ||
		    (pieces.is_there && !spt_column_next_bytes(&pieces.cursor, &piece)))
			return false;
		if (kind == 0 && object <= UINT32_MAX &&
		    !take((uint32_t)object, position, &piece, data))
			break;
	}
	return true;
}

static bool each_piece(const SptCapture *capture, take_piece take, void *data, GError **error)
{
	g_autoptr(SptEvents) events = spt_events_new(capture, SPT_BLOCK_FILE, 0);
	g_autoptr(GError) why = NULL;
	const SptTable *table;

	while ((table = spt_events_next(events, &why)))
		if (!each_row(table, take, data)) {
			spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED,
				      "The embedded files of %s are damaged", capture->path);
			return false;
		}
	if (why)
		g_propagate_error(error, g_steal_pointer(&why));
	return !why;
}

struct listing {
	const SptCapture *capture;
	GArray *files;
	GHashTable *known;		/* object -> index, plus one */
};

static bool list_piece(uint32_t object, uint64_t position, const SptBytes *piece, void *data)
{
	struct listing *listing = data;
	const SptCapture *capture = listing->capture;
	unsigned at = GPOINTER_TO_UINT(
		g_hash_table_lookup(listing->known, GUINT_TO_POINTER(object)));
	SptEmbedded *file;

	if (!at && (object >= capture->n_objects || !capture->objects[object].id ||
		    !*capture->objects[object].path || listing->files->len >= SPT_EMBEDDED_MOST))
		return true;
	if (!at) {
		SptEmbedded next = { object, capture->objects[object].path, 0 };

		g_array_append_val(listing->files, next);
		at = listing->files->len;
		g_hash_table_insert(listing->known, GUINT_TO_POINTER(object), GUINT_TO_POINTER(at));
	}
	file = &g_array_index(listing->files, SptEmbedded, at - 1);
	if (position == file->bytes)
		file->bytes += MIN(piece->bytes, SPT_EMBEDDED_MOST_BYTES - file->bytes);
	return true;
}

GArray *spt_embedded_list(const SptCapture *capture, GError **error)
{
	g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
	g_autoptr(GArray) files = g_array_new(FALSE, FALSE, sizeof(SptEmbedded));
	struct listing listing = { capture, files, known };

	return each_piece(capture, list_piece, &listing, error) ? g_steal_pointer(&files) : NULL;
}

const SptEmbedded *spt_embedded_find(const GArray *list, const char *name)
{
	const SptEmbedded *found = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < list->len; i++) {
		const SptEmbedded *file = &g_array_index(list, SptEmbedded, i);
		const char *slash = strrchr(file->name, '/');

		if (strcmp(file->name, name) == 0)
			return file;
		if (slash && strcmp(slash + 1, name) == 0) {
			found = file;
			n++;
		}
	}
	return n == 1 ? found : NULL;
}

struct reading {
	uint32_t object;
	GByteArray *data;
	uint64_t bytes;			/* that are wanted */
};

static bool read_piece(uint32_t object, uint64_t position, const SptBytes *piece, void *data)
{
	struct reading *reading = data;
	uint64_t left = reading->bytes - reading->data->len;

	if (object == reading->object && position == reading->data->len)
		g_byte_array_append(reading->data, piece->data, (guint)MIN(piece->bytes, left));
	return reading->data->len < reading->bytes;
}

GByteArray *spt_embedded_read(const SptCapture *capture, const SptEmbedded *file, GError **error)
{
	g_autoptr(GByteArray) data = g_byte_array_new();
	struct reading reading = { file->object, data, MIN(file->bytes, SPT_EMBEDDED_MOST_BYTES) };

	return each_piece(capture, read_piece, &reading, error) ? g_steal_pointer(&data) : NULL;
}

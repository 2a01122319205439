/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One file at a time.  The helper keeps its data: there will be more addresses in the same files.
 */
#include "record/file-names.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/helpers.h"

#define PATIENCE_MS 10000		/* until the helper counts as hung */
#define WAIT_MS 1000			/* in one flush; not again while it is late */
#define LAST_WAIT_MS 20000		/* at the end, for all files */

struct file {
	uint32_t object;
	const SptObject *image;
	GArray *offsets;		/* uint64_t, not requested yet */
	GArray *asked;			/* NULL: none; empty: no longer wanted */
	bool is_unreadable;
};

struct SptFileNames {
	GHashTable *files;		/* object -> struct file */
	SptHelpers *helpers;		/* once there is something to read */
	bool is_late;
};

static void file_free(void *data)
{
	struct file *file = data;

	g_array_unref(file->offsets);
	g_clear_pointer(&file->asked, g_array_unref);
	g_free(file);
}

SptFileNames *spt_file_names_new(void)
{
	SptFileNames *names = g_new0(SptFileNames, 1);

	names->files = g_hash_table_new_full(NULL, NULL, NULL, file_free);
	return names;
}

void spt_file_names_free(SptFileNames *names)
{
	if (!names)
		return;
	spt_helpers_free(names->helpers);
	g_hash_table_unref(names->files);
	g_free(names);
}

void spt_file_names_want(SptFileNames *names, uint32_t object, const SptObject *image,
			 uint64_t offset)
{
	struct file *file = g_hash_table_lookup(names->files, GUINT_TO_POINTER(object));

	if (!file) {
		file = g_new0(struct file, 1);
		*file = (struct file){ .object = object,
				       .image = image,
				       .offsets = g_array_new(FALSE, FALSE, sizeof(uint64_t)) };
		g_hash_table_insert(names->files, GUINT_TO_POINTER(object), file);
	}
	g_array_append_val(file->offsets, offset);
}

void spt_file_names_forget(SptFileNames *names)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, names->files);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct file *file = value;

		g_array_set_size(file->offsets, 0);
		if (file->asked)
			g_array_set_size(file->asked, 0);
	}
}

static void file_names_ask(SptFileNames *names, struct file *file)
{
	spt_helper_sort(file->offsets);
	file->asked = file->offsets;
	file->offsets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	spt_helpers_begin(names->helpers, file->object,
			  &(SptReadRequest){
				  .fd = spt_object_fd(file->image),
				  .path = spt_object_name(file->image),
				  .offsets = (const uint64_t *)(void *)file->asked->data,
				  .n = file->asked->len,
				  .depth = SPT_READ_SYMBOLS,
				  .keep = true,
			  });
}

static void file_names_put(const struct file *file, const SptPlaceTable *table, SptSink *to)
{
	for (unsigned i = 0; i < file->asked->len; i++) {
		SptNameRow row = { .object = file->object,
				   .offset = g_array_index(file->asked, uint64_t, i),
				   .module = "" };
		SptSymbol symbol;

		if (!spt_place_table_symbol(table, i, &symbol))
			continue;
		row.symbol = symbol.name ? symbol.name : "";
		row.distance = symbol.distance;
		row.symbol_bytes = symbol.bytes;
		spt_sink_put(to, SPT_ROW_NAME, &row);
	}
}

/* False: no answer came until then. */
static bool file_names_take(SptFileNames *names, SptSink *to, int64_t until_us)
{
	int64_t left_us = MAX(until_us - g_get_monotonic_time(), 0);
	uint32_t object;
	g_autoptr(SptPlaceTable) table =
		spt_helpers_wait_for(names->helpers, (int)(left_us / 1000), &object);
	struct file *file =
		table ? g_hash_table_lookup(names->files, GUINT_TO_POINTER(object)) : NULL;
	const char *problem = table ? spt_place_table_problem(table) : NULL;

	names->is_late = !table;
	if (!table)
		return false;
	file->is_unreadable = problem && g_str_has_prefix(problem, SPT_HELPER_FAILED);
	file_names_put(file, table, to);
	g_clear_pointer(&file->asked, g_array_unref);
	return true;
}

void spt_file_names_flush(SptFileNames *names, SptSink *to, bool last)
{
	int64_t until_us = g_get_monotonic_time() + 1000ll * (last	     ? LAST_WAIT_MS :
							      names->is_late ? 0 :
									       WAIT_MS);
	GHashTableIter iter;
	void *value;

	if (!names->helpers && g_hash_table_size(names->files) > 0)
		names->helpers = spt_helpers_new(NULL, 1, PATIENCE_MS, NULL);
	/* Answers to earlier requests. */
	while (names->helpers && !spt_helpers_has_room(names->helpers))
		if (!file_names_take(names, to, until_us))
			return;
	g_hash_table_iter_init(&iter, names->files);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct file *file = value;

		if (file->offsets->len == 0 || file->is_unreadable)
			continue;
		file_names_ask(names, file);
		if (!file_names_take(names, to, until_us))
			return;
	}
}

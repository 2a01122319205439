/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source lines of addresses in the function, and their files. */
#include "annotate/annotate-private.h"

#include <string.h>

#include "profile/glob.h"

static bool lines_is_wanted(const struct spt_annotator *annotator, const SptName *name)
{
	return (annotator->is_pattern ? spt_glob_match(annotator->function, name->function) :
					spt_glob_is_called(name->function, annotator->function)) &&
	       (!annotator->object || spt_glob_match(annotator->object, name->object));
}

/* A path from debug information, which may be relative. */
static char *full_path(const SptNamedPlace *place)
{
	bool has_root = place->directory && g_path_is_absolute(place->directory);

	if (g_path_is_absolute(place->file) || has_root)
		return g_canonicalize_filename(place->file, has_root ? place->directory : NULL);
	return g_build_filename(place->directory ? place->directory : "", place->file, NULL);
}

static uint32_t lines_file_of(struct spt_annotator *annotator, const SptNamedPlace *place)
{
	GPtrArray *files = annotator->annotation->files;
	uint32_t *number = spt_pairs_at(&annotator->file_numbers, (uintptr_t)place->file,
					(uintptr_t)place->directory);
	g_autofree char *path = NULL;

	if (*number != UINT32_MAX)
		return *number;
	path = full_path(place);
	*number = GPOINTER_TO_UINT(g_hash_table_lookup(annotator->files, path));
	if (!*number) {
		SptAnnotatedFile *file = g_new0(SptAnnotatedFile, 1);

		file->lines = g_array_new(FALSE, TRUE, sizeof(SptAnnotatedLine));
		file->path = g_steal_pointer(&path);
		g_ptr_array_add(files, file);
		g_hash_table_insert(annotator->files, file->path, GUINT_TO_POINTER(files->len));
		*number = files->len;
	}
	*number -= 1;
	return *number;
}

static uint32_t lines_line_of(struct spt_annotator *annotator, const SptNamedPlace *place)
{
	struct spt_line line = { .file = lines_file_of(annotator, place), .number = place->line };
	uint32_t *index = spt_pairs_at(&annotator->line_numbers, line.file, line.number);

	if (*index == UINT32_MAX) {
		*index = annotator->lines->len;
		g_array_append_val(annotator->lines, line);
	}
	return *index;
}

bool spt_annotator_lines(struct spt_annotator *annotator, const SptNamedPlace *places, unsigned n,
			 GArray *ret, bool *ret_innermost)
{
	bool found = false;

	*ret_innermost = false;
	for (unsigned i = 0; i < n; i++) {
		uint32_t line;

		if (!lines_is_wanted(annotator, &places[i].name))
			continue;
		found = true;
		*ret_innermost |= i == 0;
		if (!places[i].file || places[i].line == 0)
			continue;
		line = lines_line_of(annotator, &places[i]);
		g_array_append_val(ret, line);
	}
	return found;
}

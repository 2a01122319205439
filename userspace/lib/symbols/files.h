/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a capture's objects, if they still are what was recorded, and what they say of all
 * places that the capture has in them.
 */
#ifndef SPT_SYMBOLS_FILES_H
#define SPT_SYMBOLS_FILES_H

#include "symbols/place-table.h"
#include "symbols/symbols.h"

G_BEGIN_DECLS

typedef struct SptFiles SptFiles;

/* @debug_dirs as in dwarf/symtab.h.  @capture must outlive it. */
SptFiles *spt_files_new(const SptCapture *capture, const char *const *debug_dirs);
void spt_files_free(SptFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptFiles, spt_files_free)

/* As spt_symbols_set_servers() and spt_symbols_set_download(). */
void spt_files_set_servers(SptFiles *files, const char *servers);
void spt_files_set_download(SptFiles *files, SptDownloadProgress progress, void *data);

/* As spt_symbols_set_opener(). */
void spt_files_set_opener(SptFiles *files, SptObjectOpener opener, void *data);

/*
 * The table that has @offset of file object @object, and its row there.  Reads the file when it is
 * first asked for, and others beside it: what is asked for next.  Tables live as long as @files.
 * It is read as far as @depth at least.  NULL: the file says nothing.
 */
const SptPlaceTable *spt_files_find(SptFiles *files, uint32_t object, uint64_t offset,
				    SptReadDepth depth, uint32_t *ret_row);
/* Reads what @object's file says of more places, lines included: ascending, each once. */
void spt_files_prepare(SptFiles *files, uint32_t object, const uint64_t *offsets, uint32_t n);
/* The file itself, if it is what was recorded; NULL, and in @ret_problem (to be freed) why not. */
SptObject *spt_files_open(const SptFiles *files, uint32_t object, char **ret_problem);
/* Why @object's file says nothing, or NULL. */
const char *spt_files_problem(SptFiles *files, uint32_t object);
/* If it was read and what read it failed: why.  Else NULL. */
const char *spt_files_failure(const SptFiles *files, uint32_t object);

G_END_DECLS

#endif

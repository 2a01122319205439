/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a capture's objects, if they are unchanged since the recording, and their names and
 * lines for all places of the capture.
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
 * The table that has @offset of file object @object, and its row there.  The first call for a file
 * reads it, and others in parallel that will be needed next.  It reads at least as much as @depth.
 * Tables are valid as long as @files.  NULL: the file has no information.
 */
const SptPlaceTable *spt_files_find(SptFiles *files, uint32_t object, uint64_t offset,
				    SptReadDepth depth, uint32_t *ret_row);
/* Reads the information of @object's file about more places, with lines: ascending, each once. */
void spt_files_prepare(SptFiles *files, uint32_t object, const uint64_t *offsets, uint32_t n);
/* The file itself, if it is unchanged.  NULL: @ret_problem (the caller frees it) says why. */
SptObject *spt_files_open(const SptFiles *files, uint32_t object, char **ret_problem);
/* Why @object's file has no information, or NULL. */
const char *spt_files_problem(SptFiles *files, uint32_t object);
/* Why the reader of the file failed, or NULL. */
const char *spt_files_failure(const SptFiles *files, uint32_t object);

G_END_DECLS

#endif

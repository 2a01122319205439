/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of places in files that only the recorder still holds.  A helper process reads them, so
 * that a hostile file only harms the helper.  The recorder waits for it a short time; later names
 * are taken later.
 */
#ifndef SPT_FILE_NAMES_H
#define SPT_FILE_NAMES_H

#include "capture/sink.h"
#include "object/object.h"

G_BEGIN_DECLS

typedef struct SptFileNames SptFileNames;

SptFileNames *spt_file_names_new(void);
void spt_file_names_free(SptFileNames *names);
/* Requests the name of a place in @object.  Its open @file outlives this. */
void spt_file_names_want(SptFileNames *names, uint32_t object, const SptObject *file,
			 uint64_t offset);
/* Puts the names that are known by now into @to; the @last time, all of them. */
void spt_file_names_flush(SptFileNames *names, SptSink *to, bool last);
/* Drops all requests. */
void spt_file_names_forget(SptFileNames *names);

G_END_DECLS

#endif

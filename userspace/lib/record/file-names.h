/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of places in files that only the recorder still holds.  A helper reads them, so that
 * whatever is in such a file costs that one; the recorder waits for it a short time, and otherwise
 * goes on and takes what it says later.
 */
#ifndef SPT_FILE_NAMES_H
#define SPT_FILE_NAMES_H

#include "capture/capture.h"
#include "object/object.h"

G_BEGIN_DECLS

typedef struct SptFileNames SptFileNames;

SptFileNames *spt_file_names_new(void);
void spt_file_names_free(SptFileNames *names);
/* A place in @object, which is @file, to be named; the file outlives this. */
void spt_file_names_want(SptFileNames *names, uint32_t object, const SptObject *file,
			 uint64_t offset);
/* Puts what is known by now into @writer; if it is the @last time, all. */
void spt_file_names_flush(SptFileNames *names, SptCaptureWriter *writer, bool last);
/* Nothing is wanted any more. */
void spt_file_names_forget(SptFileNames *names);

G_END_DECLS

#endif

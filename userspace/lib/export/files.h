/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which places are in programs and libraries, for formats of tools that work on those. */
#ifndef SPT_EXPORT_FILES_H
#define SPT_EXPORT_FILES_H

#include "export/export.h"

G_BEGIN_DECLS

/* The file of a frame, which has a path; NULL: it is in none. */
const SptObjectRow *spt_export_file_of(const SptCapture *capture, const SptFrame *frame);
/* The same, but NULL also where the filter is for another object.  With SPT_EXPORT_NEEDS_STACKS. */
const SptObjectRow *spt_export_wanted_file_of(const SptExportInput *input, const SptFrame *frame);

G_END_DECLS

#endif

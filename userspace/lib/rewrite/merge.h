/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several captures as one. */
#ifndef SPT_MERGE_H
#define SPT_MERGE_H

#include "capture/capture.h"

G_BEGIN_DECLS

#define SPT_MERGE_ERROR (spt_merge_error_quark())
GQuark spt_merge_error_quark(void);
enum {
	SPT_MERGE_ERROR_PERIODS,	/* of some it is not known what a period is worth */
};

/*
 * Writes the samples of all @captures to @path, with all they refer to under new ids, at their own
 * times and in the order of time.  Files that are the same by identity become one object; a kernel
 * and all that has no identity of its own stays apart.  Accounts of one CPU number are added up, so
 * that the loss law still holds.  Where periods differ, all weights and accounts count the greatest
 * period that divides them.  Streams that are declared alike become one, embedded files stay.  An
 * id in them that leads nowhere becomes 0.  What a reader cannot know the meaning of stays behind:
 * blocks of unknown types, columns that were not declared, and of the samples those of an unknown
 * role.
 */
bool spt_merge_captures(const SptCapture *const *captures, unsigned n, const char *path,
			GError **error);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merges several captures into one. */
#ifndef SPT_MERGE_H
#define SPT_MERGE_H

#include "capture/capture.h"

G_BEGIN_DECLS

#define SPT_MERGE_ERROR (spt_merge_error_quark())
GQuark spt_merge_error_quark(void);
enum {
	SPT_MERGE_ERROR_PERIODS,	/* the length of a period is not known for some */
};

/*
 * Writes the samples of all @captures to @path in the order of time, with everything that they
 * refer to under new ids.  Files with the same identity become one object; a kernel, and objects
 * without an identity, stay separate.  Accounts of the same CPU number are added up, so the loss
 * law still holds.  If periods differ, all weights and accounts count the greatest period that
 * divides them.  Streams with equal declarations become one, and embedded files stay.  An id in
 * them that leads nowhere becomes 0.  Data that a reader cannot understand is dropped: blocks of
 * unknown types, columns that were not declared, and columns of samples with an unknown role.
 */
bool spt_merge_captures(const SptCapture *const *captures, unsigned n, const char *path,
			GError **error);

G_END_DECLS

#endif

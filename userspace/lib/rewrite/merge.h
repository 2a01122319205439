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

/* What fields of declared events say in the result. */
typedef struct {
	/* @text of a @field, of an event of @thread; NULL: it stays.  The caller frees it. */
	char *(*say)(const SptCapture *capture, const char *kind, const char *field,
		     uint32_t thread, const char *text, void *data);
	void *data;
} SptMergeTexts;
/* The same with other texts. */
bool spt_merge_captures_saying(const SptCapture *const *captures, unsigned n, const char *path,
			       const SptMergeTexts *texts, GError **error);

G_END_DECLS

#endif

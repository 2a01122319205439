/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are embedded in a capture (FILE in format.md), read from it when they are wanted. */
#ifndef SPT_CAPTURE_EMBEDDED_H
#define SPT_CAPTURE_EMBEDDED_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* Those beyond are not listed, and bytes beyond are not read. */
#define SPT_EMBEDDED_MOST	4096u
#define SPT_EMBEDDED_MOST_BYTES (64u << 20)

typedef struct {
	uint32_t object;
	const char *name;		/* of the object, valid as long as the capture */
	uint64_t bytes;			/* that are there */
} SptEmbedded;

/* An array of SptEmbedded in the order of the file, without nameless ones.  NULL: error. */
GArray *spt_embedded_list(const SptCapture *capture, GError **error);
/* The file of @list called @name, or the only one whose last part is called so; NULL: none is. */
const SptEmbedded *spt_embedded_find(const GArray *list, const char *name);
/* Its content. */
GByteArray *spt_embedded_read(const SptCapture *capture, const SptEmbedded *file, GError **error);

G_END_DECLS

#endif

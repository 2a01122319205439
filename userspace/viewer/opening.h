/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a file in a thread: its recording, and the document that is shown first. */
#ifndef SPT_OPENING_H
#define SPT_OPENING_H

#include "document.h"

void spt_opening_start(const char *path, GCancellable *cancellable, GAsyncReadyCallback callback,
		       gpointer data);
/* Progress, 0 to 1, by its cancellable. */
double spt_opening_done(GCancellable *cancellable);
/* What takes the time, if it is worth a word, or NULL; the caller frees it. */
char *spt_opening_doing(GCancellable *cancellable);
/* From now on nothing more is fetched for it, and what is being fetched is given up. */
void spt_opening_skip_downloads(GCancellable *cancellable);
/* Whether that was said; for any thread. */
bool spt_opening_skips_downloads(GCancellable *cancellable);
SptDocument *spt_opening_finish(GAsyncResult *result, GError **error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of systemd's journal as rows of the declared kind "log" (said.h): those that come during
 * the recording, and that the user may read.  journalctl reads them, as a child.
 */
#ifndef SPT_JOURNAL_H
#define SPT_JOURNAL_H

#include "record/said.h"
#include "record/thread-ids.h"

G_BEGIN_DECLS

typedef struct SptJournal SptJournal;

/* @said and @threads outlive it.  NULL: journalctl is not there, or does not run. */
SptJournal *spt_journal_new(SptSaid *said, const SptThreadIds *threads, GError **error);
/* Lines from now on count. */
void spt_journal_begin(SptJournal *journal);
void spt_journal_free(SptJournal *journal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptJournal, spt_journal_free)
/* Takes what there is; @has_kernel: the kernel's own lines come from elsewhere.  Their number. */
uint64_t spt_journal_step(SptJournal *journal, bool has_kernel);
/* The same for the last time: waits a moment for lines that are on their way. */
uint64_t spt_journal_finish(SptJournal *journal, bool has_kernel);
/* The first line that journalctl has written to its standard error; "": none. */
const char *spt_journal_complaint(const SptJournal *journal);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what "journalctl --output=export" prints, piece by piece.  Any program writes to
 * the journal: a field may have any bytes and any length, and what is kept of it is bounded.
 */
#ifndef SPT_JOURNAL_EXPORT_H
#define SPT_JOURNAL_EXPORT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define SPT_JOURNAL_TEXT 1024

/* An entry; texts are "" if it has none, and cut where they have a nul. */
typedef struct {
	uint64_t time_ns;		/* CLOCK_MONOTONIC of its boot; 0: it has none */
	uint32_t pid;			/* 0: not known */
	unsigned severity;		/* as in syslog(3) */
	bool is_kernel;			/* /dev/kmsg has it, too */
	const char *source, *text, *boot;
} SptJournalEntry;

typedef void (*SptJournalFunc)(const SptJournalEntry *entry, void *data);

typedef struct SptJournalExport SptJournalExport;

SptJournalExport *spt_journal_export_new(SptJournalFunc func, void *data);
void spt_journal_export_free(SptJournalExport *export);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptJournalExport, spt_journal_export_free)
/* Takes the next bytes, and calls the function for each entry that they end. */
void spt_journal_export_feed(SptJournalExport *export, const char *data, size_t bytes);

G_END_DECLS

#endif

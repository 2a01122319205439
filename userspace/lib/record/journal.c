/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A journal has times of CLOCK_MONOTONIC, in microseconds, as the recording has.  Entries of other
 * boots have the same clock's times of then: journalctl is asked for this boot's alone.
 */
#include "record/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"
#include "record/journal-export.h"
#include "trace/trace.h"

#define PART_BYTES	65536
/* At a step; the rest is for the next one, and journalctl waits. */
#define STEP_BYTES	(1u << 20)
#define LAST_BYTES	(16u << 20)
#define LAST_MS		100
#define COMPLAINT_BYTES 256

struct SptJournal {
	SptSaid *said;
	const SptThreadIds *threads;
	SptJournalExport *export;
	GPid child;
	int lines, complaints;		/* pipes; -1: at their end */
	uint64_t begin_ns;		/* 0: not yet */
	bool has_kernel;
	uint64_t n;
	char complaint[COMPLAINT_BYTES];
	unsigned complaint_bytes;
};

/* A line that a process of no recorded thread has written keeps its pid in the source. */
static void journal_take_entry(const SptJournalEntry *entry, void *data)
{
	SptJournal *journal = data;
	uint32_t thread;
	g_autofree char *source = NULL;

	if (!journal->begin_ns || entry->time_ns < journal->begin_ns || !*entry->text ||
	    (entry->is_kernel && journal->has_kernel))
		return;
	thread = entry->pid ? spt_thread_ids_find(journal->threads, entry->pid, entry->time_ns) : 0;
	source = thread || !entry->pid ?
			 g_strdup(*entry->source ? entry->source : "journal") :
			 g_strdup_printf("%s[%u]", entry->source, entry->pid);
	spt_said_line(journal->said, entry->time_ns, thread, entry->severity, source, entry->text);
	journal->n++;
}

/* It ends with the recorder, however that ends. */
static void in_child(gpointer data)
{
	(void)data;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}

SptJournal *spt_journal_new(SptSaid *said, const SptThreadIds *threads, GError **error)
{
	static const char *const words[] = { "journalctl", "--follow",	   "--lines=0",
					     "--boot",	   "--output=export", NULL };
	g_autoptr(SptJournal) journal = g_new0(SptJournal, 1);
	g_autoptr(GError) why = NULL;

	journal->lines = journal->complaints = -1;
	journal->said = said;
	journal->threads = threads;
	if (!g_spawn_async_with_pipes(NULL, (char **)words, NULL,
				      G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, in_child,
				      NULL, &journal->child, NULL, &journal->lines,
				      &journal->complaints, &why)) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Cannot read the journal: %s", why->message);
		return NULL;
	}
	fcntl(journal->lines, F_SETFL, O_NONBLOCK);
	fcntl(journal->complaints, F_SETFL, O_NONBLOCK);
	journal->export = spt_journal_export_new(journal_take_entry, journal);
	return g_steal_pointer(&journal);
}

void spt_journal_begin(SptJournal *journal)
{
	journal->begin_ns = spt_clock_ns(CLOCK_MONOTONIC);
}

void spt_journal_free(SptJournal *journal)
{
	if (!journal)
		return;
	if (journal->lines >= 0)
		close(journal->lines);
	if (journal->complaints >= 0)
		close(journal->complaints);
	if (journal->child) {
		kill(journal->child, SIGKILL);
		while (waitpid(journal->child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	spt_journal_export_free(journal->export);
	g_free(journal);
}

/* Up to @bytes of a pipe; closes it at its end.  Returns how many there were. */
static size_t read_pipe(int *fd, char *data, size_t bytes)
{
	ssize_t got = *fd < 0 ? -1 : read(*fd, data, bytes);

	if (*fd >= 0 && (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))) {
		close(*fd);
		*fd = -1;
	}
	return got > 0 ? (size_t)got : 0;
}

static void take_complaint(SptJournal *journal)
{
	char part[COMPLAINT_BYTES];
	size_t got = read_pipe(&journal->complaints, part, sizeof(part));
	size_t room = COMPLAINT_BYTES - 1 - journal->complaint_bytes;

	memcpy(journal->complaint + journal->complaint_bytes, part, MIN(got, room));
	journal->complaint_bytes += (unsigned)MIN(got, room);
	journal->complaint[strcspn(journal->complaint, "\n")] = '\0';
}

static uint64_t journal_take(SptJournal *journal, size_t most, bool has_kernel)
{
	uint64_t before = journal->n;
	char part[PART_BYTES];
	size_t taken = 0, got;

	journal->has_kernel = has_kernel;
	take_complaint(journal);
	while (taken < most && (got = read_pipe(&journal->lines, part, sizeof(part)))) {
		spt_journal_export_feed(journal->export, part, got);
		taken += got;
	}
	return journal->n - before;
}

uint64_t spt_journal_step(SptJournal *journal, bool has_kernel)
{
	return journal_take(journal, STEP_BYTES, has_kernel);
}

uint64_t spt_journal_finish(SptJournal *journal, bool has_kernel)
{
	struct pollfd wait = { .fd = journal->lines, .events = POLLIN };

	poll(&wait, 1, LAST_MS);
	return journal_take(journal, LAST_BYTES, has_kernel);
}

const char *spt_journal_complaint(const SptJournal *journal)
{
	return journal->complaint;
}

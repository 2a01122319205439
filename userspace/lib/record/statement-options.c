/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/statement-options.h"

#include <inttypes.h>

#include "base/words.h"
#include "trace/points/point.h"
#include "trace/trace.h"

static bool can_read_journal(GError **error)
{
	g_autofree char *program = g_find_program_in_path("journalctl");

	if (!program)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Cannot read the journal: %s", spt_words("there is no journalctl"));
	return program;
}

static const SptStatementOption options[SPT_STATEMENT_N_OPTIONS] = {
	[SPT_STATEMENT_MARKS] = {
		.name = "marks",
		.flag = "--marks",
		.key = "marks",
		.title = SPT_WORDS("Marks"),
		.note = SPT_WORDS("What programs say that they do: by spt/mark.h, GTK, GLib, ITT or NVTX"),
		.help = "Also record marks of programs that run already (spt/mark.h, and GNOME Shell or Mutter on the session's bus); and marks, counters and log lines of a command that offers them to GNOME's profiler (GTK 4, GLib), to ITT or NVTX.  What a command says by spt/mark.h is recorded anyway",
		.member = offsetof(SptRecorderOptions, running_marks),
		.of_command = true,
	},
	[SPT_STATEMENT_COUNTERS] = {
		.name = "counters",
		.flag = "--counters",
		.key = "counters",
		.title = SPT_WORDS("Counters"),
		.note = SPT_WORDS("CPUs, memory, pressure, disks, network and the recorded processes, once a second"),
		.help = "Also record counters once a second: CPUs, memory, pressure, disks, network, and the recorded processes",
		.member = offsetof(SptRecorderOptions, counters.has_sources),
	},
	[SPT_STATEMENT_LOGS] = {
		.name = "logs",
		.flag = "--logs",
		.key = "logs",
		.title = SPT_WORDS("Logs"),
		.note = SPT_WORDS("The command's standard error, and the kernel's log where it may be read"),
		.help = "Also record lines of logs: the command's standard error, and the kernel's log where it may be read",
		.member = offsetof(SptRecorderOptions, logs),
		.of_command = true,
	},
	[SPT_STATEMENT_JOURNAL] = {
		.name = "journal",
		.flag = "--journal",
		.key = "journal",
		.title = SPT_WORDS("Journal"),
		.note = SPT_WORDS("Lines that come to systemd's journal, as far as you may read it"),
		.help = "Also record the lines that come to systemd's journal, as far as you may read it",
		.member = offsetof(SptRecorderOptions, journal),
		.is_possible = can_read_journal,
	},
	[SPT_STATEMENT_DBUS] = {
		.name = "dbus",
		.flag = "--dbus",
		.key = "dbus",
		.title = SPT_WORDS("D-Bus"),
		.note = SPT_WORDS("Calls and signals: the session's bus, and the system's for root"),
		.help = "Also record calls and signals on D-Bus: the session's bus, and the system's for root",
		.member = offsetof(SptRecorderOptions, dbus),
	},
	[SPT_STATEMENT_TRACE_MARKER] = {
		.name = "trace-marker",
		.flag = "--trace-marker",
		.key = "trace-marker",
		.title = SPT_WORDS("Trace Marker"),
		.note = SPT_WORDS("What programs write into tracefs's trace_marker, in systrace's form"),
		.help = "Also record what programs write into tracefs's trace_marker (systrace's form), for root",
		.member = offsetof(SptRecorderOptions, trace_marker),
		.is_possible = spt_point_can_trace,
	},
};

const SptStatementOption *spt_statement_option(SptStatement statement)
{
	return &options[statement];
}

void spt_statements_request(unsigned statements, SptRecorderOptions *recorder)
{
	for (unsigned i = 0; i < SPT_STATEMENT_N_OPTIONS; i++)
		if (statements & 1u << i)
			*(bool *)((char *)recorder + options[i].member) = true;
}

/* Of programs of other users. */
static void add_notes_of_users(GPtrArray *notes, const SptMarksStatus *status)
{
	if (status->users_lost)
		g_ptr_array_add(
			notes,
			g_strdup_printf(
				spt_words("Note: programs of other users say that %" PRIu64 " of their marks were lost."),
				status->users_lost));
	if (status->roomless)
		g_ptr_array_add(
			notes,
			g_strdup_printf(
				spt_words("Note: there was no memory left for the marks of %" PRIu64 " more users."),
				status->roomless));
	if (status->refused)
		g_ptr_array_add(
			notes,
			g_strdup_printf(
				spt_words("Note: marks of %" PRIu64 " threads of other users were dropped: they named a process or thread that is not that user's, or that had exited before it was looked at."),
				status->refused));
	if (status->others == 1)
		g_ptr_array_add(
			notes,
			g_strdup(spt_words(
				"Note: marks of one user were taken by a recorder of that user.")));
	else if (status->others)
		g_ptr_array_add(
			notes,
			g_strdup_printf(
				spt_words("Note: marks of %" PRIu64 " users were taken by recorders of their own."),
				status->others));
}

GPtrArray *spt_statements_notes(const SptMarksStatus *status)
{
	GPtrArray *notes = g_ptr_array_new_with_free_func(g_free);

	if (status->unreachable)
		g_ptr_array_add(notes, g_strdup_printf(spt_words("Note: marks: %s"), status->unreachable));
	if (status->unwatched)
		g_ptr_array_add(notes, g_strdup_printf(spt_words("Note: D-Bus: %s"), status->unwatched));
	if (status->journal_complaint && *status->journal_complaint) {
		g_autofree char *line = spt_one_line(status->journal_complaint);

		g_ptr_array_add(notes, g_strdup_printf(spt_words("Note: the journal: %s"), line));
	}
	if (status->broken)
		g_ptr_array_add(
			notes,
			g_strdup_printf(
				spt_words("Note: %" PRIu64 " threads wrote invalid marks into their rings; their later marks are lost."),
				status->broken));
	if (status->invalid == 1)
		g_ptr_array_add(
			notes,
			g_strdup(spt_words(
				"Note: one mark was dropped: a begin or end without the other, a counter without a number, or one more counter, flow or open span than is kept.")));
	else if (status->invalid)
		g_ptr_array_add(
			notes,
			g_strdup_printf(
				spt_words("Note: %" PRIu64 " marks were dropped: begins and ends without the other, counters without a number, or more counters, flows and open spans than are kept."),
				status->invalid));
	add_notes_of_users(notes, status);
	return notes;
}

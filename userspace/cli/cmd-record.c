/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli record: records the whole system while a command runs, for a time, or until Ctrl-C. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd.h"
#include "record-child.h"
#include "record-options.h"
#include "record/recorder.h"

#define STEP_MS 100
#define PROGRESS_NS 250000000ULL

static volatile sig_atomic_t interrupts, child_ended;

static void on_interrupt(int number)
{
	(void)number;
	interrupts++;
}

static void on_child(int number)
{
	(void)number;
	child_ended = 1;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_interrupt };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	action.sa_handler = on_child;
	action.sa_flags = SA_NOCLDSTOP;
	sigaction(SIGCHLD, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void show_progress(const SptRecorderStatus *status)
{
	g_autofree char *samples = spt_format_count(status->samples);
	g_autofree char *lost = spt_format_count(status->lost);

	fprintf(stderr, "\r%s samples, %s lost, %.1f s ", samples, lost, (double)status->elapsed_ns / 1e9);
}

static void show_summary(const SptRecorderStatus *status, const char *output)
{
	g_autofree char *samples = spt_format_count(status->samples);
	g_autofree char *lost = spt_format_count(status->lost);
	g_autofree char *cost = spt_format_ns(status->ticks ? status->cost_ns / status->ticks : 0);
	g_autofree char *costs = status->ticks ? g_strdup_printf("; a sample costs %s", cost) : NULL;
	g_autofree char *bytes = spt_format_bytes(status->file_bytes);

	fprintf(stderr, "Recorded %s samples of %u threads in %.1f s (source: %s), %s lost%s. %s: %s\n", samples,
		status->threads, (double)status->elapsed_ns / 1e9, status->source, lost, costs ? costs : "", output, bytes);
}

/* Until the command has ended, the time is over, or the user says so. */
static bool record(SptRecorder *recorder, struct spt_child *child, double duration, GError **error)
{
	bool is_shown = isatty(STDERR_FILENO);
	uint64_t shown_ns = 0;
	SptRecorderStatus status;

	do {
		if (!spt_recorder_step(recorder, STEP_MS, error))
			return false;
		if (child_ended)
			spt_child_look_after(child);
		spt_recorder_status(recorder, &status);
		if (is_shown && status.elapsed_ns - shown_ns >= PROGRESS_NS) {
			show_progress(&status);
			shown_ns = status.elapsed_ns;
		}
		if (duration > 0 && (double)status.elapsed_ns >= duration * 1e9)
			break;
		/* Ctrl-C also reaches the command, whose end is waited for; twice means it. */
	} while (child->pid ? !child->ended && interrupts < 2 : !interrupts);
	if (is_shown && shown_ns)
		fprintf(stderr, "\r%*s\r", 60, "");
	return true;
}

static int run_recording(const struct spt_record_options *options)
{
	struct spt_child child = SPT_CHILD_NONE;
	g_autoptr(SptRecorder) recorder = NULL;
	g_autoptr(GError) error = NULL;
	SptRecorderStatus status;
	bool ok;

	recorder = spt_recorder_new(&options->recorder, &error);
	if (!recorder) {
		spt_cli_complain("%s", error->message);
		return SPT_EXIT_FAILURE;
	}
	if (options->command[0] && !spt_child_prepare(&child, options->command))
		return SPT_EXIT_FAILURE;
	catch_signals();
	ok = spt_recorder_start(recorder, &error);
	if (ok) {
		spt_child_let_go(&child);
		ok = record(recorder, &child, options->duration, &error);
		if (child.ended) {
			g_autofree char *text = g_strdup_printf("%d", spt_child_exit_status(&child));

			spt_recorder_note(recorder, "exit_status", text);
		}
		ok = ok && spt_recorder_finish(recorder, &error);
	}
	if (child.go >= 0)
		close(child.go);
	if (!ok) {
		spt_cli_complain("%s", error->message);
		return SPT_EXIT_FAILURE;
	}
	spt_recorder_status(recorder, &status);
	if (status.notice)
		fprintf(stderr, "Note: %s.\n", status.notice);
	show_summary(&status, options->output);
	spt_child_wait(&child);
	return spt_child_exit_status(&child);
}

static int run_record(int argc, char **argv)
{
	struct spt_record_options options;
	int status = SPT_EXIT_USAGE;

	if (spt_record_options_parse(&options, argc, argv))
		status = run_recording(&options);
	spt_record_options_clear(&options);
	return status;
}

const struct spt_command cmd_record = {
	.name = "record",
	.usage = "[-- COMMAND ARG...]",
	.help = "Record the whole system: while a command runs, for a time, or until Ctrl-C",
	.run = run_record,
};

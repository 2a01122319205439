/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli record: records the whole system while a command runs, for a time, or until Ctrl-C. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "record/recorder.h"

#define STEP_MS 100
#define PROGRESS_NS 250000000ULL

enum { EXIT_CANNOT_RUN = 127, EXIT_SIGNAL_BASE = 128 };

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

struct child {
	pid_t pid;		/* 0: there is none */
	int go;			/* closed: it may run */
	int status;
	bool ended;
};

/* Forks @command, which waits until it is let go: nothing of it runs before the recording does. */
static bool prepare_child(struct child *child, char **command)
{
	int go[2], number;

	if (pipe2(go, O_CLOEXEC) < 0) {
		spt_cli_complain("Cannot run %s: %s", command[0], g_strerror(errno));
		return false;
	}
	child->pid = fork();
	if (child->pid == 0) {
		char byte;

		prctl(PR_SET_PDEATHSIG, SIGTERM);
		close(go[1]);
		/* A byte: go.  End of file: the recorder gave up. */
		if (read(go[0], &byte, 1) != 1)
			_exit(EXIT_CANNOT_RUN);
		prctl(PR_SET_PDEATHSIG, 0);
		execvp(command[0], command);
		number = errno;
		spt_cli_complain("Cannot run %s: %s", command[0], g_strerror(number));
		_exit(EXIT_CANNOT_RUN);
	}
	close(go[0]);
	child->go = go[1];
	if (child->pid > 0)
		return true;
	spt_cli_complain("Cannot run %s: %s", command[0], g_strerror(errno));
	close(go[1]);
	return false;
}

static void let_go(struct child *child)
{
	if (child->pid && write(child->go, "", 1) != 1)
		kill(child->pid, SIGKILL);
}

static void look_after(struct child *child)
{
	if (child->pid && !child->ended && child_ended)
		child->ended = waitpid(child->pid, &child->status, WNOHANG) == child->pid;
}

/* The exit status of a shell that ran it. */
static int exit_status(const struct child *child)
{
	if (!child->pid)
		return SPT_EXIT_OK;
	if (WIFSIGNALED(child->status))
		return EXIT_SIGNAL_BASE + WTERMSIG(child->status);
	return WEXITSTATUS(child->status);
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
static bool record(SptRecorder *recorder, struct child *child, double duration, GError **error)
{
	bool is_shown = isatty(STDERR_FILENO);
	uint64_t shown_ns = 0;
	SptRecorderStatus status;

	do {
		if (!spt_recorder_step(recorder, STEP_MS, error))
			return false;
		look_after(child);
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

/* A command that outlives the recording goes on; its status is waited for. */
static void wait_for(struct child *child)
{
	while (child->pid && !child->ended) {
		if (waitpid(child->pid, &child->status, 0) == child->pid)
			child->ended = true;
		else if (errno != EINTR)
			break;
	}
}

static int run_recording(const SptRecorderOptions *options, double duration, char **command)
{
	struct child child = { .go = -1 };
	g_autoptr(SptRecorder) recorder = NULL;
	g_autoptr(GError) error = NULL;
	SptRecorderStatus status;
	bool ok;

	recorder = spt_recorder_new(options, &error);
	if (!recorder) {
		spt_cli_complain("%s", error->message);
		return SPT_EXIT_FAILURE;
	}
	if (command[0] && !prepare_child(&child, command))
		return SPT_EXIT_FAILURE;
	catch_signals();
	ok = spt_recorder_start(recorder, &error);
	if (ok) {
		let_go(&child);
		ok = record(recorder, &child, duration, &error);
		if (child.ended) {
			g_autofree char *text = g_strdup_printf("%d", exit_status(&child));

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
	wait_for(&child);
	return exit_status(&child);
}

static bool check_options(double rate, double duration, int ring_bytes, int pid, const char *stacks, const char *source,
			  SptTraceSource *ret_source)
{
	if (!(rate >= 1 && rate <= 50000))
		spt_cli_complain("A rate of %g samples per second is not possible: 1 to 50000 are (-F)", rate);
	else if (duration < 0)
		spt_cli_complain("A recording cannot last %g seconds (--duration)", duration);
	else if (ring_bytes < 0)
		spt_cli_complain("A ring cannot have %d bytes (--ring-bytes)", ring_bytes);
	else if (pid < 0)
		spt_cli_complain("There is no process %d (--pid)", pid);
	else if (strcmp(stacks, "fp") && strcmp(stacks, "none"))
		spt_cli_complain("There are no stacks \"%s\" (--stacks): fp walks along frame pointers, none leaves user "
				 "stacks out", stacks);
	else if (!spt_cli_parse_source(source, ret_source))
		spt_cli_complain("There is no source \"%s\" (--source): module is the kernel module, perf the kernel's perf "
				 "events, auto the module if its device is there, else perf", source);
	else
		return true;
	return false;
}

/* Cuts the command off: what follows "--".  Returns the number of arguments before it. */
static int split_command(int argc, char **argv, char ***ret_command)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			*ret_command = argv + i + 1;
			argv[i] = NULL;
			return i;
		}
	}
	*ret_command = argv + argc;
	return argc;
}

static int run_record(int argc, char **argv)
{
	g_autofree char *output = g_strdup("sysprof.capture"), *stacks = g_strdup("fp"), *source = g_strdup("auto");
	g_autofree char *text = NULL;
	double rate = 1000, duration = 0;
	int ring_bytes = 0, pid = 0, parsed_argc;
	char **command, **parsed_argv;
	g_autofree char **arguments = NULL;
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Where to (sysprof.capture)", "FILE" },
		{ "frequency", 'F', 0, G_OPTION_ARG_DOUBLE, &rate, "Samples per second and CPU (1000)", "HZ" },
		{ "pid", 'p', 0, G_OPTION_ARG_INT, &pid, "Only this process and what it starts", "PID" },
		{ "duration", 0, 0, G_OPTION_ARG_DOUBLE, &duration, "End after so many seconds", "S" },
		{ "stacks", 0, 0, G_OPTION_ARG_STRING, &stacks, "User stacks: fp (frame pointers) or none", "KIND" },
		{ "source", 0, 0, G_OPTION_ARG_STRING, &source, "Where samples come from: auto, module or perf", "SOURCE" },
		{ "ring-bytes", 0, 0, G_OPTION_ARG_INT, &ring_bytes, "Ring per CPU, a power of two (1048576)", "N" },
		{ NULL },
	};
	SptRecorderOptions options = { 0 };

	parsed_argc = split_command(argc, argv, &command);
	arguments = g_memdup2(argv, ((size_t)parsed_argc + 1) * sizeof(*argv));
	arguments[parsed_argc] = NULL;
	parsed_argv = arguments;
	if (!spt_cli_parse(&cmd_record, entries, &parsed_argc, &parsed_argv))
		return SPT_EXIT_USAGE;
	if (parsed_argc > 1) {
		spt_cli_complain("\"%s\" is no option; put \"--\" in front of the command to run", parsed_argv[1]);
		return SPT_EXIT_USAGE;
	}
	if (!check_options(rate, duration, ring_bytes, pid, stacks, source, &options.source))
		return SPT_EXIT_USAGE;
	text = g_strjoinv(" ", command);
	options = (SptRecorderOptions){
		.source = options.source,
		.output = output,
		.period_ns = (uint64_t)(1e9 / rate + 0.5),
		.ring_bytes = (uint32_t)ring_bytes,
		.no_user = strcmp(stacks, "none") == 0,
		.pid = (uint32_t)pid,
		.command = *text ? text : NULL,
	};
	return run_recording(&options, duration, command);
}

const struct spt_command cmd_record = {
	.name = "record",
	.usage = "[-- COMMAND ARG...]",
	.help = "Record the whole system: while a command runs, for a time, or until Ctrl-C",
	.run = run_record,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-cli record: records the whole system while a command runs, for a time, or until Ctrl-C.
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"
#include "cmd.h"
#include "profile/command.h"
#include "record-child.h"
#include "record/memory.h"
#include "record-options.h"
#include "base/heap.h"
#include "record/recorder.h"
#include "record/relay.h"
#include "record/statement-options.h"

#define STEP_MS 100
/* Characters that shells leave alone. */
#define PLAIN "-./0123456789=ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
#define PROGRESS_NS 250000000ULL

/* A trigger that fires again and again must not fill the disk. */
#define TRIGGERED_FILES 16

static volatile sig_atomic_t interrupts, child_ended, asked;
/* SIGTERM or SIGHUP, which end the recording while the command runs, and how many of them. */
static volatile sig_atomic_t ended_by, endings;
/* The command, and when it ended: a flush may delay the check for a while. */
static volatile pid_t command;
static volatile int64_t command_ended_us;

static void cmd_record_on_interrupt(int number)
{
	(void)number;
	interrupts++;
}

static void cmd_record_on_end(int number)
{
	ended_by = number;
	endings++;
}

static void on_child(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (info->si_pid == command)
		command_ended_us = g_get_monotonic_time();
	child_ended = 1;
}

static void on_ask(int number)
{
	(void)number;
	asked = 1;
}

static void catch_signals(bool is_flight)
{
	struct sigaction action = { .sa_handler = cmd_record_on_interrupt }, before;

	sigaction(SIGINT, &action, NULL);
	action.sa_handler = cmd_record_on_end;
	sigaction(SIGTERM, &action, NULL);
	/* nohup has it ignored. */
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	sigaction(SIGCHLD,
		  &(struct sigaction){ .sa_sigaction = on_child,
				       .sa_flags = SA_NOCLDSTOP | SA_SIGINFO },
		  NULL);
	action.sa_handler = is_flight ? on_ask : SIG_IGN;
	sigaction(SIGUSR1, &action, NULL);
	/* Full disks, files and pipes are reported by the writes themselves. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static void cmd_record_show_progress(const SptRecorderStatus *status)
{
	g_autofree char *samples = spt_format_count(status->samples);
	g_autofree char *lost = spt_format_count(status->lost);

	fprintf(stderr, "\r%s samples, %s lost, %.1f s ", samples, lost,
		(double)status->elapsed_ns / 1e9);
}

/* "1 wait" or "2 waits". */
static char *amount_of(uint64_t n, const char *one)
{
	g_autofree char *count = spt_format_count(n);

	return g_strdup_printf("%s %s%s", count, one, n == 1 ? "" : "s");
}

static void show_summary(const SptRecorderStatus *status, const char *output, bool is_flight)
{
	g_autofree char *samples = amount_of(status->samples, "sample");
	g_autofree char *waits = amount_of(status->waits, "wait");
	g_autofree char *events = amount_of(status->events, "event");
	g_autofree char *threads = amount_of(status->threads, "thread");
	g_autofree char *lost = spt_format_count(status->lost);
	g_autofree char *cost = spt_format_ns(status->ticks ? status->cost_ns / status->ticks : 0);
	g_autofree char *costs =
		status->ticks ? g_strdup_printf("; a sample costs %s", cost) : NULL;
	g_autofree char *bytes = spt_format_bytes(status->file_bytes);

	fprintf(stderr, "Recorded %s%s%s%s%s of %s in %.1f s (source: %s), %s lost%s. %s: %s%s\n",
		samples, status->waits ? ", " : "", status->waits ? waits : "",
		status->events ? ", " : "", status->events ? events : "", threads,
		(double)status->elapsed_ns / 1e9, status->source, lost, costs ? costs : "",
		output, is_flight ? "the last seconds, " : "", bytes);
}

/*
 * What a program that hardly ran waited for is in no report of this recording.  Who was ready was
 * kept from running.
 */
static void show_waits(const struct spt_record_options *options, const SptRecorderStatus *status,
		       const struct spt_child *child)
{
	uint64_t wall_ns = child->ended_ns - child->begun_ns,
		 ready_ns = child->ready_ns - MIN(child->ready_before_ns, child->ready_ns);
	g_autoptr(GString) line = g_string_new(NULL);

	if (!child->ended || status->waits || options->recorder.filter.n_pids ||
	    child->ran_ns + ready_ns > wall_ns / 2)
		return;
	for (char **word = options->command; *word; word++) {
		g_autofree char *quoted = g_shell_quote(*word);

		bool is_plain = **word && strspn(*word, PLAIN) == strlen(*word);

		g_string_append_printf(line, " %s", is_plain ? *word : quoted);
	}
	fprintf(stderr, "Next: %s record --waits --%s   (it ran for %.2f s of %.2f s)\n",
		spt_cli_called(), line->str, (double)child->ran_ns / 1e9,
		(double)wall_ns / 1e9);
}

/* What to do with it, for a person; scripts know. */
static void show_next(const struct spt_record_options *options, const SptRecorderStatus *status,
		      const struct spt_child *child, const char *output)
{
	g_autofree char *file = g_shell_quote(output);
	bool is_default = strcmp(output, SPT_CLI_CAPTURE) == 0;

	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "Next: %s report --summary%s%s\n", spt_cli_called(),
		is_default ? "" : " ", is_default ? "" : file);
	show_waits(options, status, child);
}

/* A flight recorder has to write its last seconds, because of a request or a late tick. */
static bool write_last(SptRecorder *recorder, const SptRecorderStatus *status, const char *why,
		       GError **error)
{
	g_autofree char *path = NULL, *late = spt_format_ns(status->late_ns);

	if (!spt_recorder_write_last(recorder, &path, error)) {
		if (!g_error_matches(*error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY))
			return false;
		spt_cli_complain("%s", (*error)->message);
		g_clear_error(error);
		return true;
	}
	if (why)
		fprintf(stderr, "%s: the last seconds, %s\n", path, why);
	else
		fprintf(stderr, "%s: the last seconds, because a tick of CPU %u came %s late\n",
			path, status->late_cpu, late);
	return true;
}

/*
 * Whether the recording ends because of a signal.  Ctrl-C also reaches the command, and the
 * recorder waits for its end; a second Ctrl-C stops waiting.  Others are sent to the recorder
 * alone.
 */
static bool cmd_record_is_ended(const struct spt_child *child)
{
	return ended_by || interrupts >= (child->pid ? 2 : 1);
}

static void pass_on(struct spt_child *child)
{
	static bool is_passed;

	if (ended_by && !is_passed)
		spt_child_signal(child, ended_by);
	is_passed |= ended_by != 0;
}

/*
 * Until the command or the recorded processes have ended, the time is over, or the user interrupts.
 */
static bool cmd_record_record(SptRecorder *recorder, const struct spt_record_options *options,
			      struct spt_child *child, GError **error)
{
	/* What a command prints on the same screen would begin in the middle of a line. */
	bool is_shown = isatty(STDERR_FILENO) && !(child->pid && isatty(STDOUT_FILENO));
	uint64_t shown_ns = 0, written_ns = 0;
	unsigned n_triggered = 0;
	uint64_t n_slow = 0;
	g_autofree char *took = spt_format_ns(options->recorder.when_mark_ns),
			*slow = g_strdup_printf("because a mark \"%s\" took more than %s",
						options->recorder.when_mark, took);
	SptRecorderStatus status;

	do {
		if (!spt_recorder_step(recorder, STEP_MS, error))
			return false;
		if (child_ended)
			spt_child_look_after(child);
		spt_recorder_status(recorder, &status);
		if (is_shown && status.elapsed_ns - shown_ns >= PROGRESS_NS) {
			cmd_record_show_progress(&status);
			shown_ns = status.elapsed_ns;
		}
		if (asked) {
			asked = 0;
			if (!write_last(recorder, &status, "as asked", error))
				return false;
		} else if ((status.late_ns || status.marks.slow > n_slow) &&
			   n_triggered < TRIGGERED_FILES &&
			   (!n_triggered ||
			    status.elapsed_ns - written_ns >= options->recorder.last_ns)) {
			if (!write_last(recorder, &status, status.late_ns ? NULL : slow, error))
				return false;
			written_ns = status.elapsed_ns;
			n_triggered++;
			n_slow = status.marks.slow;
		}
		if (options->duration_ns && status.elapsed_ns >= options->duration_ns)
			break;
		if (status.marks.has_stopped || (!child->pid && status.has_ended))
			break;
	} while (!(child->pid && child->ended) && !cmd_record_is_ended(child));
	pass_on(child);
	if (is_shown && shown_ns)
		fprintf(stderr, "\r%*s\r", 60, "");
	return true;
}

/* After a failure, for example of a full disk. */
static void tell_what_is_left(const struct spt_record_options *options)
{
	g_autofree char *part = g_strconcat(options->output, ".part", NULL);
	g_autoptr(SptCapture) capture =
		options->to || options->recorder.last_ns ? NULL : spt_capture_open(part, NULL);

	if (capture && capture->n_samples)
		fprintf(stderr,
			"The recording has stopped.  What it was until then, %" PRIu64
			" samples, is in %s\n",
			capture->n_samples, part);
}

static bool is_of_processes(const SptRecorderOptions *options)
{
	const SptTraceFilter *filter = &options->filter;

	return filter->n_pids && !filter->n_uids && !filter->cpus && !filter->cgroup &&
	       !filter->only_user && !filter->only_kernel;
}

/*
 * How long it took, and how much of that it ran: for a command by the kernel's count, for processes
 * that existed before by the samples.
 */
static void note_wall(SptRecorder *recorder, const struct spt_record_options *options,
		      const struct spt_child *child)
{
	uint64_t ran_ns = child->ran_ns, wall_ns = child->ended_ns - child->begun_ns;
	g_autofree char *ran = NULL, *wall = NULL, *ready = NULL;
	SptRecorderStatus status;

	if (options->recorder.last_ns)
		return;
	if (is_of_processes(&options->recorder) && options->recorder.clock != SPT_TRACE_PMU) {
		spt_recorder_status(recorder, &status);
		ran_ns = status.weight * status.period_ns;
		if (status.delivered)
			ran_ns = (uint64_t)((double)ran_ns *
					    (double)(status.delivered + status.budget) /
					    (double)status.delivered);
		wall_ns = status.elapsed_ns;
	} else if (!child->ended || options->recorder.filter.n_pids) {
		return;
	}
	ran = g_strdup_printf("%" PRIu64, ran_ns);
	wall = g_strdup_printf("%" PRIu64, wall_ns);
	spt_recorder_note(recorder, "ran_ns", ran);
	spt_recorder_note(recorder, "wall_ns", wall);
	if (child->ended && child->ready_ns > child->ready_before_ns)
		ready = g_strdup_printf("%" PRIu64, child->ready_ns - child->ready_before_ns);
	if (ready)
		spt_recorder_note(recorder, "ready_ns", ready);
}

/* At the start: a recording may end before its command does, or be killed. */
static void note_command(SptRecorder *recorder, const struct spt_record_options *options,
			 const struct spt_child *child)
{
	g_autofree char *pid = g_strdup_printf("%d", (int)child->pid),
			*name = child->pid ? g_path_get_basename(options->command[0]) : NULL;

	if (!child->pid || options->recorder.filter.n_pids)
		return;
	spt_recorder_note(recorder, "command_name", name);
	spt_recorder_note(recorder, "command_pid", pid);
	if (options->all_cpus)
		spt_recorder_note(recorder, "leads", "system");
}

/* The command may outlive the recording.  A second signal ends the waiting for it, too. */
static void cmd_record_wait_for(struct spt_child *child)
{
	while (child->pid && !child->ended && endings < 2) {
		pass_on(child);
		spt_child_look_after(child);
		if (!child->ended)
			poll(NULL, 0, STEP_MS);
	}
}

/* The recording has not everything that was requested. */
static void discard(const struct spt_record_options *options, SptRecorder *recorder)
{
	g_autofree char *part = g_strconcat(options->output, ".part", NULL);

	/* While it is locked it is this recording's, unless the last seconds were never written. */
	if (!options->to && !options->recorder.last_ns)
		g_unlink(part);
	spt_recorder_free(recorder);
}

static int open_held(uint32_t object, void *recorder)
{
	return spt_recorder_file(recorder, object);
}

/* Called while deleted files are still held. */
static bool cmd_record_bundle(SptRecorder *recorder, const char *path)
{
	g_autoptr(SptCapture) capture = spt_cli_open(path);
	g_autoptr(SptSymbols) symbols = capture ? spt_symbols_new(capture, NULL) : NULL;

	if (!symbols)
		return false;
	spt_symbols_set_opener(symbols, open_held, recorder);
	return spt_cli_bundle(capture, symbols, SPT_SHARE_ALL, path);
}

static void expect(SptRecorder *recorder, const char *name)
{
	g_autofree char *program = g_find_program_in_path(name);

	if (program)
		spt_recorder_expect(recorder, program);
}

/*
 * Reports what was lowered because the recorder itself took too much CPU time, or what would help.
 */
static void tell_self_limit(const SptSelfLimitStatus *limit)
{
	if (limit->copy_bytes)
		fprintf(stderr,
			"To take less than %d %% of a CPU the recorder copied no more than %u bytes of a stack.\n",
			SPT_SELF_LIMIT_PCT, limit->copy_bytes);
	if (limit->rate_part > 1)
		fprintf(stderr,
			"To take less than %d %% of a CPU the recorder sampled one tick in %u.  -F HZ insists on a rate.\n",
			SPT_SELF_LIMIT_PCT, limit->rate_part);
	if (limit->over_limit_pct > 0)
		fprintf(stderr,
			"Note: the recorder itself took %.1f %% of a CPU; a lower rate (-F) or --stacks fp takes less.\n",
			limit->over_limit_pct);
}

static SptTraceFilter only_child(const SptTraceFilter *others, const struct spt_child *child)
{
	SptTraceFilter filter = *others;

	filter.pids[0] = (uint32_t)child->pid;
	filter.n_pids = 1;
	return filter;
}

/* The command has not begun, and will not begin. */
static int give_up(struct spt_child *child)
{
	if (child->go >= 0)
		close(child->go);
	spt_child_wait(child);
	return SPT_EXIT_FAILURE;
}

/* "mt failed with status 1.", so that nobody takes it for a recording of what should have run. */
static void tell_failure(const struct spt_record_options *options, const struct spt_child *child)
{
	int status = child->ended ? spt_child_exit_status(child) : 0;
	g_autofree char *failure = status ? spt_command_failed_with((unsigned)status) : NULL;

	if (failure)
		fprintf(stderr, "%s %s.\n", options->command[0], failure);
}

/* Whether the libraries that are needed, or would help, can be loaded.  False: complained. */
static bool check_program(const char *name, SptRecorderOptions *options)
{
	g_autofree char *program = g_find_program_in_path(name);
	g_autoptr(GError) error = NULL;

	if (!program || (!options->memory && options->calls == SPT_CALLS_NEVER) ||
	    spt_memory_check_program(program, &error))
		return true;
	if (!options->memory && options->calls == SPT_CALLS_IF_NEEDED) {
		options->calls = SPT_CALLS_NEVER;
		return true;
	}
	spt_cli_complain("%s", error->message);
	return false;
}

#define SPT_CLI_CANNOT_LOAD \
	"programs that are linked statically, are for another processor, or run with other rights " \
	"or in a sandbox cannot load the library that records them"

/* Why calls were lost, and what could not be recorded at all. */
static void tell_unseen(const SptMemoryStatus *memory)
{
	static const char *const reasons[SPT_UNSEEN_REASONS] = {
		[SPT_UNSEEN_SLOTS] = "of threads for which there was no room: 2,048 are recorded at a time, fewer where memory is locked or scarce",
		[SPT_UNSEEN_MEMORY] = "of threads whose process had no memory left for a record",
		[SPT_UNSEEN_SANDBOX] = "in a sandbox that does not let the record be written",
		[SPT_UNSEEN_HANDLER] = "of signal handlers that interrupted the first call of a thread",
		[SPT_UNSEEN_SHARED] = "of processes that share a thread's memory and ran beside it",
	};
	static const char *const notes[SPT_NOTES][2] = {
		[SPT_NOTE_OWN_ALLOCATOR] = {
			"%s has an allocator of its own inside: what it allocates there is not seen",
			"programs with such an allocator" },
		[SPT_NOTE_OWN_NEW] = {
			"operator new of %s does not call malloc(): what C++ code allocates with it is not seen",
			"programs with such a library" },
		[SPT_NOTE_NAMESPACE] = {
			"%s has loaded libraries by dlmopen(): what they call is not seen",
			"programs that do so" },
		[SPT_NOTE_LOCKED] = {
			"%s was not recorded once it locked all of its memory (mlockall): it may not lock as much as a record takes",
			"programs that do so" },
	};

	if (memory->nameless)
		fprintf(stderr, "Note: %" PRIu64
				" threads had ended before they could be named: their calls are those of [unknown] (report --all).\n",
			memory->nameless);
	if (memory->unread)
		fprintf(stderr, "Note: the last calls of %" PRIu64
				" threads are missing: they took too long to read.\n",
			memory->unread);
	for (unsigned i = 0; i < SPT_UNSEEN_REASONS; i++) {
		g_autofree char *calls = spt_format_count(memory->unseen[i]);

		if (memory->unseen[i])
			fprintf(stderr, "Note: not seen: %s calls %s.\n", calls, reasons[i]);
	}
	if (memory->unconnected == 1)
		fprintf(stderr, "Note: %s was not seen: " SPT_CLI_CANNOT_LOAD ".\n",
			memory->unconnected_name);
	else if (memory->unconnected)
		fprintf(stderr, "Note: %s and %" PRIu64 " other programs were not seen: " SPT_CLI_CANNOT_LOAD
				".\n",
			memory->unconnected_name, memory->unconnected - 1);
	for (unsigned i = 0; i < SPT_NOTES; i++) {
		if (!memory->noted[i].programs)
			continue;
		fputs("Note: ", stderr);
		fprintf(stderr, notes[i][0], memory->noted[i].name);
		fputs(".\n", stderr);
		if (memory->noted[i].programs > 1)
			fprintf(stderr, "Note: %s were started %" PRIu64 " times in all.\n",
				notes[i][1], memory->noted[i].programs);
	}
}

static void tell_memory(const SptMemoryStatus *memory, uint64_t mean_bytes)
{
	g_autofree char *calls = spt_format_count(memory->calls);
	g_autofree char *bytes = spt_format_bytes(memory->bytes);
	g_autofree char *frees = spt_format_count(memory->frees);
	g_autofree char *waits = spt_format_count(memory->waits);
	g_autofree char *waited = spt_format_ns(memory->waited_ns);
	g_autofree char *lost = spt_format_count(memory->lost);
	g_autofree char *mapped = spt_format_bytes(memory->mapped_bytes);
	g_autofree char *unmapped = spt_format_bytes(memory->unmapped_bytes);

	g_autofree char *mean = spt_format_bytes(mean_bytes);

	if (mean_bytes)
		fprintf(stderr, "Allocations picked, one for each %s: ", mean);
	else
		fprintf(stderr, "Allocations: ");
	fprintf(stderr, "%s of %s, %s frees, %s lost", calls, bytes, frees, lost);
	if (mean_bytes)
		fprintf(stderr, "; reports estimate all of them");
	if (memory->waits)
		fprintf(stderr, "; threads waited %s times for the recorder, %s", waits, waited);
	fprintf(stderr, "\n");
	if (memory->broken)
		fprintf(stderr, "Note: %" PRIu64 " threads wrote invalid records into their "
				"rings; their later records are lost.\n",
			memory->broken);
	/* A lost call may have been the allocation. */
	if (memory->frees_unknown && !memory->lost) {
		g_autofree char *unknown = spt_format_count(memory->frees_unknown);

		fprintf(stderr, "Note: %s frees are of blocks whose allocation was not seen: libraries loaded with RTLD_DEEPBIND allocate and free unseen.\n",
			unknown);
	}
	if (memory->mappings)
		fprintf(stderr, "Mappings: %" PRIu64 " of %s, %s unmapped\n", memory->mappings, mapped,
			unmapped);
	if (!memory->calls && !memory->mappings)
		fprintf(stderr, "Note: no allocation was seen; programs with an allocator of their own, and those that "
				"are linked statically, cannot be recorded this way.\n");
}

/* What the command said of itself. */
static void tell_marks(const SptMarksStatus *status)
{
	g_autofree char *marks = spt_format_count(status->marks);
	g_autofree char *lost = spt_format_count(status->lost);
	g_autoptr(GPtrArray) notes = spt_statements_notes(status);

	if (status->marks || status->counts || status->lines || status->lost)
		fprintf(stderr, "Marks: %s, %s lost\n", marks, lost);
	for (unsigned i = 0; i < notes->len; i++)
		fprintf(stderr, "%s\n", (const char *)notes->pdata[i]);
}

/* False: the command has ended without the mark, or the user does not wait for it. */
static bool wait_for_start(SptRecorder *recorder, const struct spt_record_options *options,
			   struct spt_child *child)
{
	spt_child_let_go(child, spt_recorder_environment(recorder));
	while (!child->ended && !interrupts && !ended_by) {
		if (spt_recorder_wait_for_start(recorder, STEP_MS))
			return true;
		spt_child_look_after(child);
	}
	pass_on(child);
	spt_child_wait(child);
	if (!spt_child_has_failed(child))
		spt_cli_complain("%s made no mark \"%s\" (--start-at), so nothing was recorded",
				 options->command[0], options->start_at);
	return false;
}

/* Makes what the command and the recorder need of each other.  0, or the status to end with. */
static int prepare_recording(const struct spt_record_options *options,
			     SptRecorderOptions *recorder_options, struct spt_child *child,
			     struct spt_relay *relay)
{
	if (options->command[0] && !spt_child_check(options->command))
		return SPT_CHILD_CANNOT_RUN;
	if (options->to) {
		recorder_options->stream_fd = spt_cli_connect(options->to);
		if (recorder_options->stream_fd < 0)
			return SPT_EXIT_FAILURE;
	}
	if (options->command[0] && !check_program(options->command[0], recorder_options))
		return SPT_EXIT_FAILURE;
	if (options->command[0] && options->recorder.logs && !spt_relay_begin(relay)) {
		spt_cli_complain("Cannot run %s: %s", options->command[0], g_strerror(errno));
		return SPT_EXIT_FAILURE;
	}
	child->standard_error = relay->writer;
	if (options->command[0] &&
	    !spt_child_prepare(child, options->command, options->recorder.running_marks))
		return SPT_EXIT_FAILURE;
	command = child->pid;
	recorder_options->command_pid = (uint32_t)child->pid;
	recorder_options->marks = child->pid > 0;
	recorder_options->control_fd = child->control;
	recorder_options->lines_fd = relay->lines;
	if (options->only_command)
		recorder_options->filter = only_child(&recorder_options->filter, child);
	return 0;
}

static void tell_lost(const SptRecorderStatus *status)
{
	g_autofree char *switches = spt_format_count(status->waits_lost);
	g_autofree char *events = spt_format_count(status->events_lost);

	if (status->waits_lost == 1)
		fprintf(stderr, "One switch was lost for lack of room: the times of threads are incomplete.\n");
	else if (status->waits_lost)
		fprintf(stderr, "%s switches were lost for lack of room: the times of threads are incomplete.\n",
			switches);
	if (status->events_lost == 1)
		fprintf(stderr, "One event was lost: \"%s info --json\" says of which source.\n",
			spt_cli_called());
	else if (status->events_lost)
		fprintf(stderr, "%s events were lost: \"%s info --json\" says of which source.\n",
			events, spt_cli_called());
}

/* What was recorded, and what was not. */
static void tell_recorded(const struct spt_record_options *options, const SptRecorderStatus *status,
			  const struct spt_child *child, const char *path)
{
	if (status->notice)
		fprintf(stderr, "Note: %s.\n", status->notice);
	if (status->limited)
		fprintf(stderr, "Note: %s.\n", status->limited);
	show_summary(status, path, options->recorder.last_ns > 0);
	tell_failure(options, child);
	if (options->recorder.memory)
		tell_memory(&status->memory, options->recorder.memory_options.mean_bytes);
	tell_marks(&status->marks);
	if (options->recorder.points)
		spt_record_events_tell(status, options->recorder.points);
	if (options->recorder.memory || status->has_calls)
		tell_unseen(&status->memory);
	if (status->has_calls)
		fprintf(stderr, "Note: %s.\n", SPT_CLI_CALLS_NOTE);
	tell_lost(status);
	if (status->budget)
		fprintf(stderr,
			"To keep to the budget of CPU time the rate was lowered: %.1f %% of %.0f Hz were sampled.  -F HZ insists on a "
			"rate.\n",
			spt_percent(status->delivered, status->delivered + status->budget),
			1e9 / (double)status->period_ns);
	tell_self_limit(&status->self_limit);
}

static int run_recording(const struct spt_record_options *options)
{
	struct spt_child child = SPT_CHILD_NONE;
	struct spt_relay relay = SPT_RELAY_NONE;
	g_autoptr(SptRecorder) recorder = NULL;
	g_autoptr(GError) error = NULL;
	SptRecorderOptions recorder_options = options->recorder;
	g_autofree char *path = NULL;
	SptRecorderStatus status;
	int exit_status;
	bool ok;

	exit_status = prepare_recording(options, &recorder_options, &child, &relay);
	if (exit_status)
		return exit_status;
	recorder = spt_recorder_new(&recorder_options, &error);
	if (!recorder) {
		spt_cli_complain("%s", error->message);
		return give_up(&child);
	}
	spt_recorder_status(recorder, &status);
	if (options->recorder.late_ns && !status.reports_delays) {
		spt_cli_complain(SPT_RECORD_NO_DELAYS);
		return give_up(&child);
	}
	catch_signals(options->recorder.last_ns > 0);
	note_command(recorder, options, &child);
	if (options->start_at && !wait_for_start(recorder, options, &child)) {
		discard(options, g_steal_pointer(&recorder));
		return SPT_EXIT_FAILURE;
	}
	ok = spt_recorder_start(recorder, &error);
	if (ok) {
		if (child.pid && !options->start_at) {
			expect(recorder, options->command[0]);
			spt_recorder_command_begins(recorder);
			spt_child_let_go(&child, spt_recorder_environment(recorder));
		}
		ok = cmd_record_record(recorder, options, &child, &error);
		if (spt_child_has_failed(&child)) {
			discard(options, g_steal_pointer(&recorder));
			return SPT_CHILD_CANNOT_RUN;
		}
		if (child.ended) {
			g_autofree char *text =
				g_strdup_printf("%d", spt_child_exit_status(&child));

			spt_recorder_note(recorder, "exit_status", text);
		}
		if (child.ended && command_ended_us)
			child.ended_ns = (uint64_t)command_ended_us * 1000;
		note_wall(recorder, options, &child);
		ok = ok && spt_recorder_finish(recorder, &path, &error);
	}
	if (child.go >= 0)
		close(child.go);
	if (!ok) {
		spt_cli_complain("%s", error->message);
		tell_what_is_left(options);
		g_clear_pointer(&recorder, spt_recorder_free);
		cmd_record_wait_for(&child);
		return SPT_EXIT_FAILURE;
	}
	spt_recorder_status(recorder, &status);
	tell_recorded(options, &status, &child, path);
	if (options->bundle && !cmd_record_bundle(recorder, path)) {
		cmd_record_wait_for(&child);
		return SPT_EXIT_FAILURE;
	}
	cmd_record_wait_for(&child);
	if (child.pid && !child.ended)
		return SPT_SIGNAL_STATUS + ended_by;
	show_next(options, &status, &child, path);
	return spt_child_exit_status(&child);
}

static int run_record(int argc, char **argv)
{
	struct spt_record_options options;
	int status = SPT_EXIT_USAGE;

	spt_heap_give_back();
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

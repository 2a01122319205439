/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/statements.h"

#include <errno.h>

#include "record/compositor.h"
#include "record/control.h"
#include "record/counters.h"
#include "record/dbus.h"
#include "record/journal.h"
#include "record/logs.h"
#include "record/mark-door.h"
#include "record/mark-users.h"
#include "record/marks.h"
#include "record/program-library.h"
#include "record/trace-marker.h"
#include "rings/marks-reader.h"

/* Once a program marks; until then its first marks have to find room. */
#define USED_MS 5
/* Where somebody waits for a line or a mark.  Each look costs, so others find out as they may. */
#define AWAITED_MS 20
#define N_INTERFACES 2

struct SptStatements {
	SptOutput *output;
	const SptThreadIds *threads;
	uint32_t command_pid;
	char *unreachable;		/* see SptMarksStatus */
	bool are_awaited;		/* marks that begin or end the recording */
	SptSaid *said;
	SptMarks *marks;		/* these NULL: not requested */
	SptMarkUsers *users;
	SptControl *control;
	SptCompositor *compositor;
	bool wants_compositor;
	SptCounters *counters;
	SptLogs *logs;
	SptJournal *journal;
	SptDbus *dbus;
	SptTraceMarker *trace_marker;
	SptMarksStatus others;		/* what came by control and logs */
	char *libraries[N_INTERFACES];	/* of marks; NULL: not wanted */
};

/* A program that speaks one of these loads the library that its variable names. */
static const struct {
	const char *library, *variable, *also, *value;
} interfaces[N_INTERFACES] = {
	{ "libspt-itt.so", "INTEL_LIBITTNOTIFY64", "INTEL_ITTNOTIFY_GROUPS", "all" },
	{ "libspt-nvtx.so", "NVTX_INJECTION64_PATH", NULL, NULL },
};

/*
 * Where the user has named another collector, that one is loaded.  A program of ours that was
 * copied without its libraries records all the same.
 */
static void find_interfaces(SptStatements *statements)
{
	for (unsigned i = 0; i < N_INTERFACES; i++)
		if (!g_getenv(interfaces[i].variable))
			statements->libraries[i] = spt_program_library_find(interfaces[i].library,
									    "--marks", NULL);
}

/*
 * Where they cannot be reached, what the recorder starts is recorded all the same.  Programs that
 * run for longer than the module is loaded, or are older than its node, have the other way.
 */
static void reach_running(SptStatements *statements, const SptTraceFilter *filter)
{
	bool is_command = filter->n_pids == 1 && filter->pids[0] == statements->command_pid;
	g_autoptr(GError) error = NULL;

	/* A command has the memory already, and others would fill it for nothing. */
	if (!is_command)
		statements->users = spt_mark_users_new(statements->marks, statements->said,
						       statements->threads, filter);
	if (!spt_marks_reach_running(statements->marks, filter, &error))
		statements->unreachable = g_strdup(error->message);
	statements->are_awaited |= statements->users || !statements->unreachable;
}

/* One way is enough, but if there is somebody else at the other one. */
static void begin_marks(SptStatements *statements)
{
	g_autoptr(GError) error = NULL;

	spt_marks_begin(statements->marks);
	if (!statements->users)
		return;
	if (spt_mark_users_begin(statements->users)) {
		g_clear_pointer(&statements->unreachable, g_free);
		return;
	}
	if (errno == EBUSY) {
		g_free(statements->unreachable);
		spt_mark_door_set_taken(&error);
		statements->unreachable = g_strdup(error->message);
	}
	g_clear_pointer(&statements->users, spt_mark_users_free);
}

static bool begin_parts(SptStatements *statements, const SptRecorderOptions *options,
			GError **error)
{
	SptSaid *said = statements->said;
	const SptThreadIds *threads = statements->threads;
	bool has_counters = options->counters.has_sources || options->counters.files;

	if (options->control_fd > 0)
		statements->control = spt_control_new(options->control_fd, said, threads);
	if (options->logs)
		statements->logs =
			spt_logs_new(said, threads, options->lines_fd > 0 ? options->lines_fd : -1,
				     statements->command_pid);
	if (options->journal) {
		statements->journal = spt_journal_new(said, threads, error);
		if (!statements->journal)
			return false;
	}
	if (options->dbus) {
		statements->dbus = spt_dbus_new(said, threads, error);
		if (!statements->dbus)
			return false;
	}
	if (options->trace_marker) {
		statements->trace_marker = spt_trace_marker_new(said, threads, error);
		if (!statements->trace_marker)
			return false;
	}
	if (options->marks || options->running_marks)
		statements->marks = spt_marks_new(said, threads, error);
	if (statements->marks && options->running_marks)
		reach_running(statements, &options->filter);
	/* It is none of the processes that somebody chose. */
	statements->wants_compositor = options->running_marks && !options->filter.n_pids &&
				       !options->filter.n_uids && !options->filter.cgroup;
	if (statements->marks && options->marks)
		find_interfaces(statements);
	if (statements->marks)
		spt_marks_watch(statements->marks, options->start_at, options->stop_at);
	if (statements->marks && options->when_mark)
		spt_marks_watch_slow(statements->marks, options->when_mark, options->when_mark_ns);
	if (statements->users && options->when_mark)
		spt_mark_users_watch_slow(statements->users, options->when_mark,
					  options->when_mark_ns);
	if (!statements->marks && (options->marks || options->running_marks))
		return false;
	if (has_counters)
		statements->counters = spt_counters_new(said, &options->counters, error);
	return statements->counters || !has_counters;
}

SptStatements *spt_statements_new(const SptRecorderOptions *options, const SptThreadIds *threads,
				  SptOutput *output, GError **error)
{
	g_autoptr(SptStatements) statements = g_new0(SptStatements, 1);

	statements->output = output;
	statements->threads = threads;
	statements->command_pid = options->command_pid;
	statements->are_awaited = options->start_at || options->stop_at;
	statements->said = spt_said_new(output);
	return begin_parts(statements, options, error) ? g_steal_pointer(&statements) : NULL;
}

void spt_statements_free(SptStatements *statements)
{
	if (!statements)
		return;
	spt_mark_users_free(statements->users);
	spt_marks_free(statements->marks);
	spt_control_free(statements->control);
	spt_compositor_free(statements->compositor);
	spt_counters_free(statements->counters);
	spt_logs_free(statements->logs);
	spt_journal_free(statements->journal);
	spt_dbus_free(statements->dbus);
	spt_trace_marker_free(statements->trace_marker);
	spt_said_free(statements->said);
	for (unsigned i = 0; i < N_INTERFACES; i++)
		g_free(statements->libraries[i]);
	g_free(statements->unreachable);
	g_free(statements);
}

void spt_statements_add_environment(const SptStatements *statements, GPtrArray *environment)
{
	if (!statements->marks)
		return;
	g_ptr_array_add(environment, (gpointer)SPT_MARKS_VARIABLE);
	g_ptr_array_add(environment, (gpointer)spt_marks_path(statements->marks));
	for (unsigned i = 0; i < N_INTERFACES; i++) {
		if (!statements->libraries[i])
			continue;
		g_ptr_array_add(environment, (gpointer)interfaces[i].variable);
		g_ptr_array_add(environment, statements->libraries[i]);
		if (!interfaces[i].also || g_getenv(interfaces[i].also))
			continue;
		g_ptr_array_add(environment, (gpointer)interfaces[i].also);
		g_ptr_array_add(environment, (gpointer)interfaces[i].value);
	}
}

bool spt_statements_want_processes(const SptStatements *statements)
{
	return statements->counters;
}

static void statements_process(void *part, const SptProcess *process)
{
	SptStatements *statements = part;

	if (statements->counters && process->is_measured)
		spt_counters_process(statements->counters, process);
}

static void statements_begin(void *part)
{
	SptStatements *statements = part;

	if (statements->marks)
		begin_marks(statements);
	if (statements->wants_compositor)
		statements->compositor = spt_compositor_new(statements->said, statements->threads);
	if (statements->journal)
		spt_journal_begin(statements->journal);
	if (statements->dbus)
		spt_dbus_begin(statements->dbus);
	if (statements->trace_marker)
		spt_trace_marker_begin(statements->trace_marker);
}

int spt_statements_step_ms(const SptStatements *statements, int timeout_ms)
{
	if (statements->are_awaited || statements->control || statements->logs ||
	    statements->journal || statements->dbus || statements->trace_marker ||
	    statements->compositor)
		timeout_ms = MIN(timeout_ms, AWAITED_MS);
	if ((statements->marks && spt_marks_is_used(statements->marks)) ||
	    (statements->users && spt_mark_users_are_used(statements->users)) ||
	    (statements->control && spt_control_is_used(statements->control)))
		timeout_ms = MIN(timeout_ms, USED_MS);
	return timeout_ms;
}

/* The kernel's lines are taken from itself, if they may be. */
static bool has_kernel_lines(const SptStatements *statements)
{
	return statements->logs && spt_logs_has_kernel(statements->logs);
}

static void take_statements(SptStatements *statements)
{
	if (statements->marks)
		spt_marks_step(statements->marks);
	if (statements->control)
		spt_control_step(statements->control, &statements->others);
	if (statements->compositor)
		spt_compositor_step(statements->compositor, &statements->others);
	if (statements->journal)
		statements->others.lines += spt_journal_step(statements->journal,
							     has_kernel_lines(statements));
	if (statements->dbus)
		statements->others.marks += spt_dbus_step(statements->dbus);
	if (statements->trace_marker)
		statements->others.marks += spt_trace_marker_step(statements->trace_marker);
	if (statements->logs)
		statements->others.lines += spt_logs_step(statements->logs);
}

void spt_statements_step(SptStatements *statements, const SptTasks *tasks, uint64_t now_ns)
{
	if (statements->marks)
		spt_marks_admit(statements->marks, tasks);
	if (statements->users)
		spt_mark_users_step(statements->users, tasks);
	take_statements(statements);
	if (statements->counters)
		spt_counters_step(statements->counters, tasks, now_ns);
}

static void note_status(SptStatements *statements, const char *key, uint64_t value)
{
	g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, value);

	if (value)
		spt_output_host(statements->output, key, text);
}

static bool statements_finish(void *part, G_GNUC_UNUSED GError **error)
{
	SptStatements *statements = part;
	SptMarksStatus status;

	take_statements(statements);
	if (statements->logs)
		spt_logs_finish(statements->logs);
	if (statements->compositor)
		spt_compositor_finish(statements->compositor, &statements->others);
	if (statements->journal)
		statements->others.lines += spt_journal_finish(statements->journal,
							       has_kernel_lines(statements));
	if (statements->dbus)
		statements->others.marks += spt_dbus_finish(statements->dbus);
	if (statements->trace_marker)
		statements->others.marks += spt_trace_marker_finish(statements->trace_marker);
	if (statements->users)
		spt_mark_users_finish(statements->users);
	if (statements->marks)
		spt_marks_finish(statements->marks);
	spt_statements_status(statements, &status);
	note_status(statements, "marks_lost", status.lost);
	note_status(statements, "marks_broken", status.broken);
	note_status(statements, "marks_invalid", status.invalid);
	note_status(statements, "marks_refused", status.refused);
	return true;
}

void spt_statements_status(const SptStatements *statements, SptMarksStatus *ret)
{
	const SptMarksStatus *others = &statements->others;

	*ret = (SptMarksStatus){ 0 };
	if (statements->marks)
		spt_marks_status(statements->marks, ret);
	if (statements->users)
		spt_mark_users_status(statements->users, ret);
	if (statements->journal)
		ret->journal_complaint = spt_journal_complaint(statements->journal);
	if (statements->dbus) {
		ret->unwatched = spt_dbus_unwatched(statements->dbus);
		ret->lost += spt_dbus_lost(statements->dbus);
	}
	if (statements->trace_marker) {
		ret->lost += spt_trace_marker_lost(statements->trace_marker);
		ret->invalid += spt_trace_marker_invalid(statements->trace_marker);
	}
	ret->unreachable = statements->unreachable;
	ret->marks += others->marks;
	ret->counts += others->counts;
	ret->lines += others->lines;
	ret->broken += others->broken;
	ret->invalid += others->invalid;
}

static int statements_step_ms(const void *part, int timeout_ms)
{
	return spt_statements_step_ms(part, timeout_ms);
}

static bool statements_step(void *part, const SptStageStep *step, G_GNUC_UNUSED GError **error)
{
	spt_statements_step(part, step->tasks, step->time_ns);
	return true;
}

const SptStage spt_statements_stage = {
	.begin = statements_begin,
	.process = statements_process,
	.step_ms = statements_step_ms,
	.step = statements_step,
	.finish = statements_finish,
	.free = (GDestroyNotify)spt_statements_free,
};

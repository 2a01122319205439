/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread drives the recorder; the window looks at a copy of its counts.  A command is started
 * first but waits until the recording runs, so that nothing of it is missed: a shell reads one line
 * before it executes the command.
 */
#include "record-run.h"

#include <glib/gi18n.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "profile/command.h"
#include "record/control.h"
#include "record/memory.h"
#include "record/relay.h"
#include "trace/points/point.h"

#define STEP_MS	  100
#define RAW_BYTES 16384
/* What the command has its end of GNOME's control socket as. */
#define CONTROL_FD 3

enum request { GO_ON, RESET, STOP, DISCARD };

struct _SptRecordRun {
	GObject parent_instance;
	char *path, *command;
	char *names;	   /* of events; NULL: none */
	GPtrArray *points; /* SptPoint *: what they come to */
	uint64_t period_ns;
	SptStacksChoice stacks;
	bool no_command_lines, everything;
	char *program;	      /* the command's path; NULL: none */
	GSubprocess *process; /* NULL: the whole system */
	GThread *thread;
	GMutex mutex; /* protects the rest */
	SptRecorderStatus status;
	SptLive *live;
	bool is_running;
	bool has_ended;	      /* the command */
	uint32_t command_pid; /* 0: none */
	bool only_command, only_count;
	bool waits, memory;
	bool can_load; /* the command can load what reports its calls */
	unsigned kernel, event;
	uint32_t pid; /* process to record alone; or 0 */
	unsigned statements;
	char *start_at, *stop_at; /* NULL: none */
	int control, lines; /* our sides of its sockets, until a recorder has them */
	char *notes;
	enum request request;
	GError *error; /* owned by the thread until it has ended */
};

G_DEFINE_FINAL_TYPE(SptRecordRun, spt_record_run, G_TYPE_OBJECT)

static unsigned ended;

static void record_run_finalize(GObject *object)
{
	SptRecordRun *self = SPT_RECORD_RUN(object);

	g_clear_object(&self->process);
	if (self->control > 0)
		close(self->control);
	if (self->lines > 0)
		close(self->lines);
	g_free(self->start_at);
	g_free(self->stop_at);
	g_free(self->notes);
	g_clear_pointer(&self->live, spt_live_unref);
	g_clear_error(&self->error);
	g_mutex_clear(&self->mutex);
	g_free(self->path);
	g_free(self->command);
	g_free(self->names);
	g_clear_pointer(&self->points, g_ptr_array_unref);
	g_free(self->program);
	G_OBJECT_CLASS(spt_record_run_parent_class)->finalize(object);
}

static void spt_record_run_class_init(SptRecordRunClass *class)
{
	G_OBJECT_CLASS(class)->finalize = record_run_finalize;
	ended = g_signal_new("ended", SPT_TYPE_RECORD_RUN, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
			     G_TYPE_NONE, 0);
}

static void spt_record_run_init(SptRecordRun *self)
{
	g_mutex_init(&self->mutex);
}

static gboolean emit_ended(gpointer data)
{
	SptRecordRun *self = data;

	g_clear_pointer(&self->thread, g_thread_join);
	g_signal_emit(self, ended, 0);
	return G_SOURCE_REMOVE;
}

/* Reports its progress, and takes requests; a reset request is taken once. */
static enum request record_run_publish(SptRecordRun *self, SptRecorder *recorder)
{
	enum request request;

	g_mutex_lock(&self->mutex);
	spt_recorder_status(recorder, &self->status);
	self->is_running = true;
	if (self->status.marks.has_stopped)
		self->request = MAX(self->request, STOP);
	request = self->request;
	if (request == RESET)
		self->request = GO_ON;
	g_mutex_unlock(&self->mutex);
	return request;
}

/*
 * The waiting command: a line lets it run, and has its environment, as the shell reads it; end of
 * file without a line ends it.
 */
static bool open_gate(SptRecordRun *self, const char *const *environment, GError **error)
{
	GOutputStream *gate = self->process ? g_subprocess_get_stdin_pipe(self->process) : NULL;
	g_autoptr(GString) line = g_string_new(":");

	for (; environment && environment[0]; environment += 2) {
		g_autofree char *value = g_shell_quote(environment[1]);

		g_string_append_printf(line, "; export %s=%s", environment[0], value);
	}
	g_string_append_c(line, '\n');
	return !gate || g_output_stream_is_closed(gate) ||
	       (g_output_stream_write_all(gate, line->str, line->len, NULL, NULL, error) &&
		g_output_stream_close(gate, NULL, error));
}

/*
 * The process @pid and its descendants up to now, which a recording that begins anew would not
 * know.
 */
static void want_family(SptTraceFilter *filter, uint32_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/task/%u/children", pid, pid),
			*text = NULL;
	g_auto(GStrv) children = NULL;

	if (filter->n_pids == G_N_ELEMENTS(filter->pids))
		return;
	filter->pids[filter->n_pids++] = pid;
	if (!g_file_get_contents(path, &text, NULL, NULL))
		return;
	children = g_strsplit(g_strchomp(text), " ", 0);
	for (unsigned i = 0; children[i]; i++)
		if (*children[i])
			want_family(filter, (uint32_t)g_ascii_strtoull(children[i], NULL, 10));
}

static SptLive *begin_live(SptRecordRun *self)
{
	g_mutex_lock(&self->mutex);
	g_clear_pointer(&self->live, spt_live_unref);
	self->live = spt_live_new();
	g_mutex_unlock(&self->mutex);
	return self->live;
}

/* Anew for each recorder. */
static bool find_points(SptRecordRun *self, GError **error)
{
	g_auto(GStrv) names = g_strsplit(self->names ? self->names : "", ",", -1);

	g_clear_pointer(&self->points, g_ptr_array_unref);
	for (char **name = names; *name; name++) {
		if (!*g_strstrip(*name))
			continue;
		if (!self->points)
			self->points = g_ptr_array_new_with_free_func(spt_point_free_it);
		if (!spt_point_find(self->points, *name, NULL, error))
			return false;
	}
	return true;
}

static SptRecorder *record_run_begin(SptRecordRun *self, GError **error)
{
	SptRecorderOptions options = {
		.output = self->path,
		.command = self->command,
		.no_command_lines = self->no_command_lines,
		.source = self->everything ? SPT_TRACE_SYSTEM : SPT_TRACE_AUTO,
		.period_ns = self->period_ns,
		.no_user = self->stacks == SPT_STACKS_NONE,
		.raw_bytes = self->stacks == SPT_STACKS_AUTO ? RAW_BYTES : 0,
		.raw_most_bytes = self->stacks == SPT_STACKS_AUTO ? SPT_TRACE_RAW_MAX_BYTES : 0,
		.by_tables = self->stacks == SPT_STACKS_AUTO,
		.waits = { .is_on = self->waits, .period_ns = SPT_TRACE_WAITS_NS },
		.kernel = self->kernel,
		.kmem_bytes = SPT_TRACE_KMEM_BYTES,
		.calls = self->can_load ? SPT_CALLS_IF_NEEDED : SPT_CALLS_NEVER,
		.memory = self->memory,
		.clock = self->event ? SPT_TRACE_PMU : SPT_TRACE_TIMER,
		.event_config = self->event ? self->event - 1 : 0,
		.raw_if_needed = true,
		.embed = { .has_system = true },
		.live = begin_live(self),
		.command_pid = self->command_pid,
		.marks = self->command_pid && (self->start_at || self->stop_at ||
					       self->statements & 1u << SPT_STATEMENT_MARKS),
		.start_at = self->start_at,
		.stop_at = self->stop_at,
	};

	if (!find_points(self, error))
		return NULL;
	options.points = self->points;
	options.only_counts_points = self->points && self->only_count;
	spt_statements_request(self->statements, &options);
	options.control_fd = self->control;
	options.lines_fd = self->lines;
	self->control = self->lines = 0;
	if (self->command_pid && self->only_command)
		want_family(&options.filter, self->command_pid);
	else if (self->pid)
		options.filter.pids[options.filter.n_pids++] = self->pid;
	return spt_recorder_new(&options, error);
}

/* As shells report it; the command has ended. */
static unsigned exit_status(SptRecordRun *self)
{
	return g_subprocess_get_if_signaled(self->process) ?
		       SPT_SIGNAL_STATUS + (unsigned)g_subprocess_get_term_sig(self->process) :
		       (unsigned)g_subprocess_get_exit_status(self->process);
}

/* What reports need to know of the command: which process it is, as soon as the file begins. */
static void note_pid(SptRecordRun *self, SptRecorder *recorder)
{
	g_autofree char *pid = g_strdup_printf("%u", self->command_pid),
			*name = self->command_pid ? g_path_get_basename(self->program) : NULL;

	if (!self->command_pid)
		return;
	spt_recorder_note(recorder, "command_name", name);
	spt_recorder_note(recorder, "command_pid", pid);
}

static void note_end(SptRecordRun *self, SptRecorder *recorder)
{
	g_autofree char *status = NULL;

	if (!self->command_pid || !self->has_ended)
		return;
	status = g_strdup_printf("%u", exit_status(self));
	spt_recorder_note(recorder, "exit_status", status);
}

/* What is to be said at the end; the recorder has the texts. */
static void keep_notes(SptRecordRun *self)
{
	g_autoptr(GPtrArray) notes = spt_statements_notes(&self->status.marks);

	if (!notes->len)
		return;
	g_ptr_array_add(notes, NULL);
	self->notes = g_strjoinv("\n", (char **)notes->pdata);
}

static enum request record_run_wait_for_start(SptRecordRun *self, SptRecorder *recorder,
					     GError **error)
{
	g_autofree char *name = g_path_get_basename(self->program);
	enum request request;

	do {
		if (spt_recorder_wait_for_start(recorder, STEP_MS))
			return GO_ON;
		g_mutex_lock(&self->mutex);
		request = self->request;
		g_mutex_unlock(&self->mutex);
	} while (request < STOP);
	if (request == STOP)
		g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED,
			    _("%s made no mark \"%s\" (Start at a mark), so nothing was recorded"),
			    name, self->start_at);
	return DISCARD;
}

/* Until something else is requested; STOP if it failed. */
static enum request record_run_record(SptRecordRun *self, GError **error)
{
	g_autoptr(SptRecorder) recorder = record_run_begin(self, error);
	enum request request;

	if (!recorder)
		return STOP;
	note_pid(self, recorder);
	if (self->start_at) {
		if (!open_gate(self, spt_recorder_environment(recorder), error))
			return STOP;
		if (record_run_wait_for_start(self, recorder, error) != GO_ON)
			return DISCARD;
	}
	if (!spt_recorder_start(recorder, error))
		return STOP;
	if (self->program && !self->start_at)
		spt_recorder_expect(recorder, self->program);
	if (!open_gate(self, spt_recorder_environment(recorder), error))
		return STOP;
	while ((request = record_run_publish(self, recorder)) == GO_ON) {
		if (!spt_recorder_step(recorder, STEP_MS, error))
			return STOP;
	}
	if (request == STOP)
		note_end(self, recorder);
	if (request == STOP && spt_recorder_finish(recorder, NULL, error)) {
		record_run_publish(self, recorder);
		keep_notes(self);
	}
	return request;
}

static void remove_part(SptRecordRun *self)
{
	g_autofree char *part = g_strconcat(self->path, ".part", NULL);

	g_unlink(part);
}

/* The idle call takes over its reference to the recording. */
static gpointer record_run_drive(gpointer data)
{
	SptRecordRun *self = data;
	enum request request;

	while ((request = record_run_record(self, &self->error)) != STOP) {
		remove_part(self);
		if (request == DISCARD)
			break;
	}
	if (self->process)
		g_output_stream_close(g_subprocess_get_stdin_pipe(self->process), NULL, NULL);
	g_idle_add_full(G_PRIORITY_DEFAULT, emit_ended, self, g_object_unref);
	return NULL;
}

static void request_for(SptRecordRun *self, enum request request)
{
	g_mutex_lock(&self->mutex);
	/* A request to end it cannot be replaced. */
	self->request = MAX(self->request, request);
	g_mutex_unlock(&self->mutex);
}

static void on_command_ended(G_GNUC_UNUSED GObject *source, GAsyncResult *result, gpointer data)
{
	g_autoptr(SptRecordRun) self = data;

	self->has_ended = g_subprocess_wait_finish(self->process, result, NULL);
	spt_record_run_stop(self);
}

/* "NAME=VALUE" of each word; false: a word has another form. */
static bool record_run_set_environment(GSubprocessLauncher *launcher, const char *line,
				       GError **error)
{
	g_auto(GStrv) words = NULL;

	if (!line || !*line)
		return true;
	if (!g_shell_parse_argv(line, NULL, &words, error))
		return false;
	for (unsigned i = 0; words[i]; i++) {
		char *equals = strchr(words[i], '=');

		if (!equals || equals == words[i]) {
			g_set_error(
				error, G_SHELL_ERROR, G_SHELL_ERROR_FAILED,
				_("Cannot run the command: \"%s\" in its environment is not of the form NAME=VALUE"),
				words[i]);
			return false;
		}
		*equals = '\0';
		g_subprocess_launcher_setenv(launcher, words[i], equals + 1, TRUE);
	}
	return true;
}

/* What the command says by other ways than marks in memory that it shares with the recorder. */
static bool listen_to_command(SptRecordRun *self, GSubprocessLauncher *launcher, GError **error)
{
	struct spt_relay relay = SPT_RELAY_NONE;
	int control[2];

	if (self->statements & 1u << SPT_STATEMENT_LOGS) {
		if (!spt_relay_begin(&relay))
			goto failed;
		self->lines = relay.lines;
		g_subprocess_launcher_take_stderr_fd(launcher, relay.writer);
	}
	if (self->statements & 1u << SPT_STATEMENT_MARKS) {
		g_autofree char *number = g_strdup_printf("%d", CONTROL_FD);

		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) < 0)
			goto failed;
		self->control = control[0];
		g_subprocess_launcher_take_fd(launcher, control[1], CONTROL_FD);
		g_subprocess_launcher_setenv(launcher, SPT_CONTROL_VARIABLE, number, TRUE);
	}
	return true;
failed:
	g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED, _("Cannot run %s: %s"),
		    self->program, g_strerror(errno));
	return false;
}

static GSubprocess *start_command(SptRecordRun *self, const SptRecordOptions *options,
				  GError **error)
{
	static const char *const gate[] = { "/bin/sh", "-c",
					    "read -r go && eval \"$go\" && exec \"$@\" </dev/null",
					    "sh" };
	g_autoptr(GSubprocessLauncher) launcher =
		g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDIN_PIPE);
	g_autofree char *directory = g_canonicalize_filename(
		options->directory && *options->directory ? options->directory : ".", NULL);
	g_auto(GStrv) words = NULL;
	g_autofree char *program = NULL;
	g_autoptr(GPtrArray) argv = g_ptr_array_new();

	if (!g_shell_parse_argv(options->command, NULL, &words, error) ||
	    !record_run_set_environment(launcher, options->environment, error))
		return NULL;
	if (!g_file_test(directory, G_FILE_TEST_IS_DIR)) {
		g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_CHDIR,
			    _("Cannot run %s in %s: there is no such directory"), words[0],
			    directory);
		return NULL;
	}
	/* Relative paths start from there. */
	program = strchr(words[0], '/') ? g_canonicalize_filename(words[0], directory) :
					  g_find_program_in_path(words[0]);
	if (!program || !g_file_test(program, G_FILE_TEST_IS_EXECUTABLE)) {
		g_set_error(
			error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT,
			strchr(words[0], '/') ?
				_("Cannot run %s: there is no such program") :
				_("Cannot run %s: there is no such program in the directories of $PATH"),
			words[0]);
		return NULL;
	}
	if (options->memory && !spt_memory_check_program(program, error))
		return NULL;
	g_subprocess_launcher_set_cwd(launcher, directory);
	for (unsigned i = 0; i < G_N_ELEMENTS(gate); i++)
		g_ptr_array_add(argv, (void *)gate[i]);
	for (unsigned i = 0; words[i]; i++)
		g_ptr_array_add(argv, words[i]);
	g_ptr_array_add(argv, NULL);
	self->program = g_steal_pointer(&program);
	if (!listen_to_command(self, launcher, error))
		return NULL;
	return g_subprocess_launcher_spawnv(launcher, (const char *const *)argv->pdata, error);
}

void spt_record_options_clear(SptRecordOptions *options)
{
	g_clear_pointer(&options->command, g_free);
	g_clear_pointer(&options->directory, g_free);
	g_clear_pointer(&options->environment, g_free);
	g_clear_pointer(&options->names, g_free);
	g_clear_pointer(&options->start_at, g_free);
	g_clear_pointer(&options->stop_at, g_free);
}

/* Without its arguments: it has been run. */
static char *record_run_name_of(const char *command)
{
	g_auto(GStrv) words = NULL;

	g_shell_parse_argv(command, NULL, &words, NULL);
	return g_strdup(words[0]);
}

static char *record_run_name_of_mark(const char *name)
{
	return name && *name ? g_strdup(name) : NULL;
}

SptRecordRun *spt_record_run_start(const char *path, const SptRecordOptions *options,
				   GError **error)
{
	g_autoptr(SptRecordRun) self = g_object_new(SPT_TYPE_RECORD_RUN, NULL);

	self->path = g_strdup(path);
	self->period_ns = options->rate_hz ? 1000000000ULL / options->rate_hz : 0;
	self->stacks = options->stacks;
	self->no_command_lines = options->no_command_lines;
	self->everything = options->everything;
	self->waits = options->waits;
	self->kernel = options->kernel;
	self->memory = options->memory;
	self->event = options->event;
	self->pid = options->pid;
	self->only_command = options->only_command;
	self->only_count = options->only_count;
	self->names = g_strdup(options->names);
	self->statements = options->statements;
	if (options->command && *options->command) {
		self->start_at = record_run_name_of_mark(options->start_at);
		self->stop_at = record_run_name_of_mark(options->stop_at);
		self->process = start_command(self, options, error);
		if (!self->process)
			return NULL;
		self->command_pid =
			(uint32_t)g_ascii_strtoull(g_subprocess_get_identifier(self->process), NULL,
						   10);
		self->can_load = spt_memory_check_program(self->program, NULL);
		self->command = options->no_command_lines ? record_run_name_of(options->command) :
							    g_strdup(options->command);
		g_subprocess_wait_async(self->process, NULL, on_command_ended, g_object_ref(self));
	}
	self->thread = g_thread_new("recorder", record_run_drive, g_object_ref(self));
	return g_steal_pointer(&self);
}

void spt_record_run_stop(SptRecordRun *self)
{
	request_for(self, STOP);
}

void spt_record_run_reset(SptRecordRun *self)
{
	request_for(self, RESET);
}

void spt_record_run_discard(SptRecordRun *self)
{
	request_for(self, DISCARD);
}

bool spt_record_run_can_reset(SptRecordRun *self)
{
	bool tells = self->start_at || self->stop_at;

	for (unsigned i = 0; i < SPT_STATEMENT_N_OPTIONS; i++)
		tells |= self->statements & 1u << i && spt_statement_option(i)->of_command;
	return !self->memory && !(self->waits && self->can_load) && !(self->process && tells);
}

const char *spt_record_run_awaited(SptRecordRun *self)
{
	return self->start_at;
}

void spt_record_run_wait(SptRecordRun *self)
{
	g_clear_pointer(&self->thread, g_thread_join);
}

bool spt_record_run_status(SptRecordRun *self, SptRecorderStatus *ret)
{
	bool is_running;

	g_mutex_lock(&self->mutex);
	*ret = self->status;
	is_running = self->is_running;
	g_mutex_unlock(&self->mutex);
	return is_running;
}

SptLive *spt_record_run_live(SptRecordRun *self)
{
	SptLive *live;

	g_mutex_lock(&self->mutex);
	live = self->live ? spt_live_ref(self->live) : spt_live_new();
	g_mutex_unlock(&self->mutex);
	return live;
}

const GError *spt_record_run_error(SptRecordRun *self)
{
	return self->error;
}

char *spt_record_run_how_it_ended(SptRecordRun *self)
{
	g_autofree char *name = NULL, *failure = NULL;

	if (!self->has_ended || !self->program)
		return g_strdup(self->notes);
	name = g_path_get_basename(self->program);
	failure = spt_command_failed_with(exit_status(self));
	if (!failure)
		return g_strdup(self->notes);
	return g_strdup_printf("%s %s.%s%s", name, failure, self->notes ? "\n" : "",
			       self->notes ? self->notes : "");
}

const char *spt_record_run_path(SptRecordRun *self)
{
	return self->path;
}

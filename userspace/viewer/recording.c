/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread drives the recorder; the window looks at a copy of its counts.  A command is started first but waits at a
 * gate until the recording runs, so that nothing of it is missed: a shell reads one line before it becomes the command.
 */
#include "recording.h"

#define STEP_MS 100

struct _SptRecording {
	GObject parent_instance;
	char *path, *command;
	GSubprocess *process;		/* NULL: the whole system */
	GThread *thread;
	GMutex mutex;			/* of what follows */
	SptRecorderStatus status;
	bool is_running, is_stopping;
	GError *error;			/* the thread's until it has ended */
};

G_DEFINE_FINAL_TYPE(SptRecording, spt_recording, G_TYPE_OBJECT)

static unsigned ended;

static void finalize(GObject *object)
{
	SptRecording *self = SPT_RECORDING(object);

	g_clear_object(&self->process);
	g_clear_error(&self->error);
	g_mutex_clear(&self->mutex);
	g_free(self->path);
	g_free(self->command);
	G_OBJECT_CLASS(spt_recording_parent_class)->finalize(object);
}

static void spt_recording_class_init(SptRecordingClass *class)
{
	G_OBJECT_CLASS(class)->finalize = finalize;
	ended = g_signal_new("ended", SPT_TYPE_RECORDING, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void spt_recording_init(SptRecording *self)
{
	g_mutex_init(&self->mutex);
}

static gboolean emit_ended(gpointer data)
{
	SptRecording *self = data;

	g_clear_pointer(&self->thread, g_thread_join);
	g_signal_emit(self, ended, 0);
	return G_SOURCE_REMOVE;
}

static bool publish(SptRecording *self, SptRecorder *recorder)
{
	bool go_on;

	g_mutex_lock(&self->mutex);
	spt_recorder_status(recorder, &self->status);
	self->is_running = true;
	go_on = !self->is_stopping;
	g_mutex_unlock(&self->mutex);
	return go_on;
}

/* At the gate: a line lets the command run; the end of the file without one would end it. */
static bool open_gate(SptRecording *self, GError **error)
{
	GOutputStream *gate = self->process ? g_subprocess_get_stdin_pipe(self->process) : NULL;

	return !gate || (g_output_stream_write_all(gate, "\n", 1, NULL, NULL, error) &&
			 g_output_stream_close(gate, NULL, error));
}

static bool record(SptRecording *self, SptRecorder *recorder, GError **error)
{
	if (!spt_recorder_start(recorder, error) || !open_gate(self, error))
		return false;
	while (publish(self, recorder)) {
		if (!spt_recorder_step(recorder, STEP_MS, error))
			return false;
	}
	if (!spt_recorder_finish(recorder, NULL, error))
		return false;
	publish(self, recorder);
	return true;
}

/* Its reference to the recording goes over to the idle call. */
static gpointer run(gpointer data)
{
	SptRecording *self = data;
	SptRecorderOptions options = { .output = self->path, .command = self->command };
	const char *pid = self->process ? g_subprocess_get_identifier(self->process) : NULL;
	SptRecorder *recorder;

	if (pid)
		options.filter.pids[options.filter.n_pids++] = (uint32_t)g_ascii_strtoull(pid, NULL, 10);
	recorder = spt_recorder_new(&options, &self->error);
	if (!recorder || !record(self, recorder, &self->error)) {
		if (self->process)
			g_output_stream_close(g_subprocess_get_stdin_pipe(self->process), NULL, NULL);
	}
	spt_recorder_free(recorder);
	g_idle_add_full(G_PRIORITY_DEFAULT, emit_ended, self, g_object_unref);
	return NULL;
}

static void on_command_ended(G_GNUC_UNUSED GObject *source, GAsyncResult *result, gpointer data)
{
	g_autoptr(SptRecording) self = data;

	g_subprocess_wait_finish(self->process, result, NULL);
	spt_recording_stop(self);
}

static GSubprocess *start_command(const char *line, GError **error)
{
	static const char *const gate[] = { "/bin/sh", "-c", "read -r go && exec \"$@\" </dev/null", "sh" };
	g_auto(GStrv) words = NULL;
	g_autofree char *program = NULL;
	g_autoptr(GPtrArray) argv = g_ptr_array_new();

	if (!g_shell_parse_argv(line, NULL, &words, error))
		return NULL;
	program = g_find_program_in_path(words[0]);
	if (!program) {
		g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT,
			    "Cannot run %s: there is no such program in the directories of $PATH", words[0]);
		return NULL;
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(gate); i++)
		g_ptr_array_add(argv, (void *)gate[i]);
	for (unsigned i = 0; words[i]; i++)
		g_ptr_array_add(argv, words[i]);
	g_ptr_array_add(argv, NULL);
	return g_subprocess_newv((const char *const *)argv->pdata, G_SUBPROCESS_FLAGS_STDIN_PIPE, error);
}

SptRecording *spt_recording_start(const char *path, const char *command, GError **error)
{
	g_autoptr(SptRecording) self = g_object_new(SPT_TYPE_RECORDING, NULL);

	self->path = g_strdup(path);
	self->command = g_strdup(command);
	if (command) {
		self->process = start_command(command, error);
		if (!self->process)
			return NULL;
		g_subprocess_wait_async(self->process, NULL, on_command_ended, g_object_ref(self));
	}
	self->thread = g_thread_new("recorder", run, g_object_ref(self));
	return g_steal_pointer(&self);
}

void spt_recording_stop(SptRecording *self)
{
	g_mutex_lock(&self->mutex);
	self->is_stopping = true;
	g_mutex_unlock(&self->mutex);
}

void spt_recording_wait(SptRecording *self)
{
	g_clear_pointer(&self->thread, g_thread_join);
}

bool spt_recording_status(SptRecording *self, SptRecorderStatus *ret)
{
	bool is_running;

	g_mutex_lock(&self->mutex);
	*ret = self->status;
	is_running = self->is_running;
	g_mutex_unlock(&self->mutex);
	return is_running;
}

const GError *spt_recording_error(SptRecording *self)
{
	return self->error;
}

const char *spt_recording_path(SptRecording *self)
{
	return self->path;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/scripts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/realtime.h"
#include "base/words.h"
#include "record/tables.h"
#include "scripts/interpreter.h"

#define THREAD_CONTEXTS "OpenTelemetry thread contexts"
#define SETTLE_US      500000
#define SETTLE_STEP_US 5000
#define JOBS_MAX       64
#define FILES_MAX      64 /* of root, and of others: as many as the module takes */

/* A file that is looked at by the thread, and what came of it. */
struct job {
	SptObject *file;
	uint32_t object;
	char *said;
	GBytes *chain;
	bool is_known;
};

/* A file that is no interpreter, but may say what threads are at work for. */
struct other {
	uint32_t object;
	char *path;
};

struct SptScripts {
	SptOutput *output;
	SptScriptsTo to;
	SptHelpers *helpers; /* of the thread */
	GThread *thread;
	GAsyncQueue *waiting, *done; /* struct job */
	unsigned n_jobs, n_done;
	GQueue others; /* struct other: not jobs yet */
	unsigned n_of_root, n_of_others;
	uid_t owner[FILES_MAX]; /* whose those of others are */
	GPtrArray *known, *unknown; /* sentences */
	gint stop;
};

static void scripts_job_free(void *data)
{
	struct job *job = data;

	spt_object_free(job->file);
	g_free(job->said);
	g_clear_pointer(&job->chain, g_bytes_unref);
	g_free(job);
}

SptScripts *spt_scripts_new(SptOutput *output, const SptScriptsTo *to)
{
	SptScripts *scripts = g_new0(SptScripts, 1);

	scripts->output = output;
	scripts->to = *to;
	scripts->waiting = g_async_queue_new_full(scripts_job_free);
	scripts->done = g_async_queue_new_full(scripts_job_free);
	scripts->known = g_ptr_array_new_with_free_func(g_free);
	scripts->unknown = g_ptr_array_new_with_free_func(g_free);
	return scripts;
}

static void scripts_other_free(void *data)
{
	struct other *other = data;

	g_free(other->path);
	g_free(other);
}

void spt_scripts_free(SptScripts *scripts)
{
	if (!scripts)
		return;
	g_queue_clear_full(&scripts->others, scripts_other_free);
	g_atomic_int_set(&scripts->stop, 1);
	if (scripts->thread) {
		g_async_queue_push(scripts->waiting, g_new0(struct job, 1));
		g_thread_join(scripts->thread);
	}
	g_async_queue_unref(scripts->waiting);
	g_async_queue_unref(scripts->done);
	g_ptr_array_unref(scripts->known);
	g_ptr_array_unref(scripts->unknown);
	spt_helpers_free(scripts->helpers);
	g_free(scripts);
}

static const char *refusal(int problem)
{
	return problem == ENODATA ? "without a build-id" :
	       problem == EPERM	  ? "of a file that others than root could have written" :
	       problem == EINVAL  ? "for which the module that is loaded is too old" :
				    g_strerror(problem);
}

/* For this file alone, or for all with its build-id, which a file states itself. */
static int scripts_give_chain(SptTrace *trace, const SptObject *file, GBytes *chain)
{
	gsize bytes;
	const void *data = g_bytes_get_data(chain, &bytes);
	unsigned n;
	const uint8_t *build_id = spt_object_build_id(file, &n);
	int problem = EOPNOTSUPP;

	if (spt_tables_are_of_file(file))
		problem = spt_trace_give_chain_of_file(trace, spt_object_fd(file), data, bytes);
	if (problem == EOPNOTSUPP) {
		problem = spt_tables_may_give(file);
		if (!problem)
			problem = spt_trace_give_chain(trace, build_id, n, data, bytes);
	}
	return problem == EEXIST ? 0 : problem;
}

static bool scripts_ask_for_contexts(const SptScriptsTo *to)
{
	return to->trace && spt_trace_has_thread_chains(to->trace);
}

bool spt_scripts_have(SptHelpers *helpers, const SptScriptsTo *to, const SptObject *file,
		      const gint *stop, char **ret_said, GBytes **ret_chain)
{
	const SptInterpreter *interpreter = spt_interpreter_of_path(spt_object_name(file));
	g_autoptr(GError) error = NULL;
	g_autofree char *name = NULL, *said = NULL;
	g_autoptr(GBytes) chain = interpreter || scripts_ask_for_contexts(to) ?
					  spt_helpers_chain(helpers, file, stop, &error) :
					  NULL;
	int problem = 0;

	if (ret_said)
		*ret_said = NULL;
	if (!chain) {
		/* Files that are no interpreter have nothing to say of what is not in them. */
		if (error && ret_said && interpreter)
			*ret_said = g_strdup(error->message);
		return false;
	}
	/* A program of another name may have one in itself. */
	interpreter = spt_interpreter_of_chain(chain);
	name = interpreter ? spt_interpreter_title(interpreter, chain) :
			     g_strdup(THREAD_CONTEXTS);
	if (to->programs && interpreter)
		spt_script_chains_put(to->programs, file, chain);
	if (to->trace)
		problem = scripts_give_chain(to->trace, file, chain);
	said = problem ? g_strdup_printf("%s %s", name, refusal(problem)) : g_strdup(name);
	if (ret_said)
		*ret_said = g_steal_pointer(&said);
	if (ret_chain)
		*ret_chain = g_steal_pointer(&chain);
	return problem == 0;
}

static void *scripts_work(void *data)
{
	SptScripts *scripts = data;

	spt_realtime_none();
	while (!g_atomic_int_get(&scripts->stop)) {
		struct job *job = g_async_queue_pop(scripts->waiting);

		if (job->file)
			job->is_known = spt_scripts_have(scripts->helpers, &scripts->to,
							 job->file, &scripts->stop, &job->said,
							 &job->chain);
		g_async_queue_push(scripts->done, job);
	}
	return NULL;
}

/* The files of another user take at most half of what is left, as in the module. */
static bool scripts_have_room(SptScripts *scripts, int fd)
{
	unsigned theirs = 0;
	struct stat stat;

	if (fstat(fd, &stat) != 0)
		return false;
	if (stat.st_uid == 0)
		return scripts->n_of_root++ < FILES_MAX;
	for (unsigned i = 0; i < scripts->n_of_others; i++)
		theirs += scripts->owner[i] == stat.st_uid;
	if (stat.st_uid == getuid() ?
		    scripts->n_of_others == FILES_MAX :
		    theirs >= (FILES_MAX - (scripts->n_of_others - theirs)) / 2)
		return false;
	scripts->owner[scripts->n_of_others++] = stat.st_uid;
	return true;
}

static void scripts_add_job(SptScripts *scripts, const SptObject *file, uint32_t object,
			    const char *path)
{
	int fd = fcntl(spt_object_fd(file), F_DUPFD_CLOEXEC, 0);
	SptObject *own = fd < 0 ? NULL : spt_object_open_fd(fd, path, NULL);
	struct job *job;

	if (!own)
		return;
	if (!scripts->thread) {
		scripts->helpers = spt_tables_helpers();
		scripts->thread = g_thread_try_new("chains", scripts_work, scripts, NULL);
	}
	job = g_new0(struct job, 1);
	job->file = own;
	job->object = object;
	scripts->n_jobs++;
	g_async_queue_push(scripts->waiting, job);
}

/* Each job holds a descriptor: those of interpreters come at once, others some at a time. */
static void scripts_add_others(SptScripts *scripts)
{
	struct other *other;

	while (scripts->n_jobs - scripts->n_done < JOBS_MAX &&
	       (other = g_queue_pop_head(&scripts->others))) {
		const SptObject *file = spt_output_file(scripts->output, other->object);

		if (file)
			scripts_add_job(scripts, file, other->object, other->path);
		scripts_other_free(other);
	}
}

/* Copies of stacks can be followed by chains of steps only. */
static bool scripts_are_wanted(const SptScripts *scripts, const SptInterpreter *interpreter)
{
	return scripts->to.trace || scripts->to.programs ||
	       (scripts->to.made && interpreter->has_steps);
}

static void scripts_object(void *part, const SptObjectRow *row)
{
	SptScripts *scripts = part;
	const SptInterpreter *interpreter = spt_interpreter_of_path(row->path);
	const SptObject *file;

	if (interpreter && scripts_are_wanted(scripts, interpreter)) {
		file = spt_output_file(scripts->output, row->id);
		if (file && scripts_have_room(scripts, spt_object_fd(file)))
			scripts_add_job(scripts, file, row->id, row->path);
	} else if (row->kind == SPT_OBJECT_FILE && scripts_ask_for_contexts(&scripts->to)) {
		struct other *other = g_new(struct other, 1);

		*other = (struct other){ row->id, g_strdup(row->path) };
		g_queue_push_tail(&scripts->others, other);
	}
}

static void add_once(GPtrArray *texts, const char *text)
{
	for (unsigned i = 0; i < texts->len; i++)
		if (!strcmp(g_ptr_array_index(texts, i), text))
			return;
	g_ptr_array_add(texts, g_strdup(text));
}

static void scripts_give_made(SptScripts *scripts)
{
	struct job *job;

	while ((job = g_async_queue_try_pop(scripts->done))) {
		if (job->said)
			add_once(job->is_known ? scripts->known : scripts->unknown, job->said);
		if (job->chain && scripts->to.made)
			spt_made_frames_chain(scripts->to.made, job->object, job->chain);
		scripts->n_done++;
		scripts_job_free(job);
	}
	scripts_add_others(scripts);
}

static void scripts_settle(void *part)
{
	SptScripts *scripts = part;
	gint64 until = g_get_monotonic_time() + SETTLE_US;

	for (scripts_give_made(scripts);
	     scripts->thread && scripts->n_done < scripts->n_jobs && g_get_monotonic_time() < until;
	     scripts_give_made(scripts))
		g_usleep(SETTLE_STEP_US);
}

static void scripts_note_list(SptScripts *scripts, const char *key, GPtrArray *texts)
{
	g_autofree char *joined = NULL;

	if (texts->len == 0)
		return;
	g_ptr_array_add(texts, NULL);
	joined = g_strjoinv("; ", (char **)texts->pdata);
	g_ptr_array_set_size(texts, (int)texts->len - 1);
	spt_output_host(scripts->output, key, joined);
}

static void scripts_note(void *part, G_GNUC_UNUSED SptOutput *output)
{
	SptScripts *scripts = part;

	scripts_give_made(scripts);
	scripts_note_list(scripts, "scripts", scripts->known);
	scripts_note_list(scripts, "no_scripts", scripts->unknown);
}

static bool scripts_step(void *part, G_GNUC_UNUSED const SptStageStep *step,
			 G_GNUC_UNUSED GError **error)
{
	scripts_give_made(part);
	return true;
}

const SptStage spt_scripts_stage = {
	.settle = scripts_settle,
	.object = scripts_object,
	.step = scripts_step,
	.note = scripts_note,
	.free = (GDestroyNotify)spt_scripts_free,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records come in order of time, and intake.c takes them one by one.  This file decides when: the
 * start, the steps with their flushes and snapshots, and the end.
 */
#include "record/events.h"
#include "record/recorder-private.h"
#include "trace/points/point.h"

#include <unistd.h>

#include "base/realtime.h"
#include "base/words.h"
#include "record/embed.h"

#define FLUSH_NS 900000000ULL	/* with a step's delay, once a second */
#define TELL_NS 250000000ULL
#define SNAPSHOT_NS 300000000ULL	/* not more often than this */
#define PREFETCH_MS    300
#define CATCH_UP_STEPS 20
#define CATCH_UP_US 500
/* Of the allowed memory, what waits outside of rings, and samples that wait for unwind tables. */
#define KEPT_PART     8
#define DEFERRED_PART 8
#define RESERVED_OF_WINDOWS (8u << 20)	/* who records for good keeps the most that it had */
#define LAST_TABLES_US (5 * G_TIME_SPAN_SECOND) /* longest wait for tables in the end */
#define LAST_TABLES_STEP_US (10 * G_TIME_SPAN_MILLISECOND)

/* What stages report of themselves. */
static void take_status(SptRecorder *recorder)
{
	SptRecorderStatus *status = &recorder->status;

	if (recorder->memory)
		spt_memory_status(recorder->memory, &status->memory);
	if (status->has_calls)
		status->waits = status->memory.wait_rows;
	spt_statements_status(recorder->statements, &status->marks);
	spt_self_limit_status(recorder->self_limit, &status->self_limit);
}

/* Records of tasks go into the file. */

static void recorder_on_process(const SptProcess *process, void *data)
{
	SptRecorder *recorder = data;
	SptProcessRow row = {
		.id = process->id,
		.pid = process->pid,
		.parent = process->parent,
		.flags = process->is_kthread ? SPT_PROCESS_KTHREAD : 0,
		.start_time = process->start_time,
		.end_time = process->end_time,
		.name = process->name,
	};

	spt_output_put(recorder->output, SPT_ROW_PROCESS, &row);
	if (recorder->pairs)
		spt_event_pairs_forget(recorder->pairs, process->pid);
	/* The text that was read belongs to the process's next image, or its pid's next owner. */
	if (process->end_time && process->end_time <= process->read_time)
		spt_output_put(recorder->output, SPT_ROW_COMMAND_LINE,
			       &(SptCommandLineRow){ .process = process->id, .text = "" });
	spt_stages_process(recorder->stages, process);
}

static void on_thread(const SptThread *thread, void *data)
{
	SptRecorder *recorder = data;
	SptThreadRow row = {
		.id = thread->id,
		.process = thread->process->id,
		.tid = thread->tid,
		.start_time = thread->start_time,
		.end_time = thread->end_time,
		.name = thread->name,
		.former = thread->former,
	};

	spt_output_put(recorder->output, SPT_ROW_THREAD, &row);
	recorder->status.known_threads = MAX(recorder->status.known_threads, thread->id);
	spt_stages_thread(recorder->stages, thread);
}

static void on_space_gone(uint64_t mm, void *data)
{
	SptRecorder *recorder = data;

	g_array_append_val(recorder->gone_spaces, mm);
}

static bool recorder_has_failed(SptRecorder *recorder, GError **error)
{
	if (recorder->failure)
		g_propagate_error(error, g_error_copy(recorder->failure));
	return recorder->failure;
}

static bool drain(SptRecorder *recorder, bool all, GError **error)
{
	return spt_trace_drain(recorder->trace, all, spt_recorder_take, recorder, error) &&
	       !recorder_has_failed(recorder, error);
}

static bool take_snapshot(SptRecorder *recorder, GError **error)
{
	unsigned busy;
	bool ok;

	recorder->needs_snapshot = false;
	recorder->in_snapshot = true;
	recorder->last_snapshot_ns = spt_clock_ns(CLOCK_MONOTONIC);
	recorder->snapshot_number++;
	ok = spt_trace_snapshot(recorder->trace, spt_recorder_take, recorder, &busy, error) &&
	     !recorder_has_failed(recorder, error);
	recorder->in_snapshot = false;
	spt_spaces_end_snapshot(recorder->spaces);
	if (recorder->unwinding)
		spt_unwinding_had_snapshot(recorder->unwinding);
	/* Another thread holds the process's lock: tries again at the next step. */
	if (busy)
		recorder->needs_snapshot = true;
	return ok;
}

/* Life. */

/*
 * Whether there are records of all mappings.  The module has them only for sessions that unwind
 * copies of all stacks.
 */
static bool tells_maps(const SptRecorder *recorder)
{
	return (recorder->config.raw_bytes && !recorder->config.by_tables) ||
	       recorder->abilities->reports_maps;
}

static bool wants_calls(const SptRecorder *recorder, const SptRecorderOptions *options)
{
	return options->waits.is_on && (options->calls == SPT_CALLS_ALWAYS ||
					(options->calls == SPT_CALLS_IF_NEEDED &&
					 !spt_trace_has_wait_stacks(recorder->trace)));
}

/* What the command reports itself: its memory, its waits, or both. */
static bool begin_memory(SptRecorder *recorder, const SptRecorderOptions *options, GError **error)
{
	bool has_calls = wants_calls(recorder, options),
	     is_required = options->memory || options->calls == SPT_CALLS_ALWAYS;

	if (!options->memory && !has_calls)
		return true;
	recorder->memory = spt_memory_new(options->memory ? &options->memory_options : NULL,
					  has_calls ? &options->waits : NULL,
					  recorder->thread_ids, recorder->output,
					  is_required ? error : NULL);
	if (recorder->memory && options->script_loops)
		spt_memory_keep_loops(recorder->memory);
	recorder->status.has_calls = recorder->memory && has_calls;
	/* Waits without stacks are better than none. */
	return recorder->memory || !is_required;
}

/* Python and Node.js, each by its own word; what NODE_OPTIONS has already is kept. */
static void ask_interpreters(SptRecorder *recorder)
{
	const char *node = g_getenv("NODE_OPTIONS");

	recorder->node_options = g_strconcat(node ? node : "", node ? " " : "",
					     "--perf-basic-prof --interpreted-frames-native-stack",
					     NULL);
	g_ptr_array_add(recorder->environment, (gpointer) "PYTHONPERFSUPPORT");
	g_ptr_array_add(recorder->environment, (gpointer) "1");
	g_ptr_array_add(recorder->environment, (gpointer) "NODE_OPTIONS");
	g_ptr_array_add(recorder->environment, recorder->node_options);
}

static void set_environment(SptRecorder *recorder, bool script_names)
{
	const char *const *variables =
		recorder->memory ? spt_memory_environment(recorder->memory) : NULL;

	recorder->environment = g_ptr_array_new();
	for (; variables && *variables; variables++)
		g_ptr_array_add(recorder->environment, (gpointer)*variables);
	spt_statements_add_environment(recorder->statements, recorder->environment);
	if (script_names)
		ask_interpreters(recorder);
	g_ptr_array_add(recorder->environment, NULL);
}

/* Events by name are the module's all or none. */
static bool has_module_points(const SptRecorderOptions *options)
{
	const SptPoint *point = options->points && options->points->len ?
					options->points->pdata[0] : NULL;

	return point && point->source;
}

/* Perf has all points. */
static SptTraceSource source_of(const SptRecorderOptions *options)
{
	if (!options->points || options->source != SPT_TRACE_AUTO)
		return options->source;
	return has_module_points(options) ? SPT_TRACE_MODULE : SPT_TRACE_PERF;
}

static void set_config(SptRecorder *recorder, const SptRecorderOptions *options)
{
	SptTraceConfig *config = &recorder->config;

	config->period_ns = options->period_ns;
	config->clock = options->clock;
	config->event_type = options->event_type;
	config->event_config = options->event_config;
	config->ring_bytes = options->ring_bytes;
	config->reserved_bytes = MIN(spt_output_memory(recorder->output) / 8,
				     options->by_windows ? RESERVED_OF_WINDOWS : 64u << 20);
	config->most_kept_bytes = spt_output_memory(recorder->output) / KEPT_PART;
	config->no_user = options->no_user;
	config->by_tables = (options->by_tables && !options->raw_bytes) ||
			    ((options->by_tables || options->frugal_tables) &&
			     spt_trace_has_tables(recorder->trace));
	config->takes_outer = true;
	if (!config->by_tables || spt_trace_copies_instead(recorder->trace))
		config->raw_bytes = options->raw_bytes;
	config->raw_most_bytes = options->raw_most_bytes;
	/* Who asks for copies by name hears why there are none. */
	if (options->raw_if_needed && !spt_trace_copies_stacks(recorder->trace))
		config->raw_bytes = config->raw_most_bytes = 0;
	config->filter = options->filter;
	config->waits = options->waits;
	config->kernel = options->kernel;
	config->kmem_bytes = options->kmem_bytes;
	config->kernel_is_optional = options->kernel_is_optional;
	config->points = options->points;
	config->only_counts_points = options->only_counts_points;
	if (has_module_points(options)) {
		recorder->point_sources = g_new(uint16_t, options->points->len);
		for (unsigned i = 0; i < options->points->len; i++)
			recorder->point_sources[i] =
				((const SptPoint *)options->points->pdata[i])->source;
	}
	config->point_sources = recorder->point_sources;
}

static void set_abilities(SptRecorder *recorder, const SptRecorderOptions *options)
{
	recorder->abilities = spt_trace_abilities(recorder->trace);
	recorder->n_cpus = spt_trace_n_cpus(recorder->trace);
	recorder->status.source = recorder->abilities->name;
	recorder->status.reports_delays = recorder->abilities->reports_delays;
	recorder->filters_pids = options->filter.n_pids && !recorder->abilities->filters_pids;
	recorder->command_pid = options->command_pid;
	recorder->late_ns = options->late_ns;
	recorder->is_watched = options->live;
	recorder->no_command_lines = options->no_command_lines;
	recorder->script_loops = options->script_loops;
}

/* What the kernel and programs report beside samples. */
static bool add_event_stages(SptRecorder *recorder, const SptRecorderOptions *options,
			     GError **error)
{
	if (options->points)
		recorder->hits = spt_hits_new(options->points, options->only_counts_points,
					      recorder->trace, recorder->output);
	spt_stages_add(recorder->stages, &spt_hits_stage, recorder->hits);
	if (options->waits.is_on || options->kernel || has_module_points(options)) {
		recorder->waits = spt_waits_new(recorder->n_cpus);
		recorder->pairs = spt_event_pairs_new(recorder->proc_files);
	}
	spt_stages_add(recorder->stages, &spt_waits_stage, recorder->waits);
	recorder->thread_ids = spt_thread_ids_new();
	spt_stages_add(recorder->stages, &spt_thread_ids_stage, recorder->thread_ids);
	recorder->statements =
		spt_statements_new(options, recorder->thread_ids, recorder->output, error);
	spt_stages_add(recorder->stages, &spt_statements_stage, recorder->statements);
	if (!recorder->statements || !begin_memory(recorder, options, error))
		return false;
	spt_stages_add(recorder->stages, &spt_memory_stage, recorder->memory);
	set_environment(recorder, options->script_names);
	if ((options->command_pid || options->filter.n_pids) && !options->last_ns &&
	    !options->by_windows)
		recorder->resident = spt_resident_new(recorder->output);
	spt_stages_add(recorder->stages, &spt_resident_stage, recorder->resident);
	return true;
}

static void add_space_stages(SptRecorder *recorder, const SptRecorderOptions *options)
{
	const SptTasksListener listener = { recorder_on_process, on_thread, on_space_gone,
					    recorder };

	recorder->tasks = spt_tasks_new(&listener);
	recorder->spaces = spt_spaces_new();
	if (!options->no_maps) {
		recorder->maps =
			spt_maps_new(recorder->output, recorder->spaces, recorder->proc_files,
				     tells_maps(recorder));
		spt_recorder_note(recorder, "maps", tells_maps(recorder) ? "made" : "seen");
	}
	spt_stages_add(recorder->stages, &spt_maps_stage, recorder->maps);
	recorder->cgroups = options->cgroups ? spt_cgroups_new(recorder->output, "/proc") : NULL;
	spt_stages_add(recorder->stages, &spt_cgroups_stage, recorder->cgroups);
}

static void add_copy_stages(SptRecorder *recorder, const SptRecorderOptions *options,
			    SptMadeFrames *made)
{
	recorder->copies = spt_copies_new(recorder->trace, options->raw_most_bytes,
					  options->raw_if_needed && !recorder->config.by_tables);
	recorder->unwinding = spt_unwinding_new(recorder->output, recorder->spaces,
						recorder->tables, recorder->copies, made);
	spt_stages_add(recorder->stages, &spt_copies_stage, recorder->copies);
	spt_stages_add(recorder->stages, &spt_unwinding_stage, recorder->unwinding);
	/* The windows of a flight recorder have the samples that their accounts count. */
	if (!options->last_ns && !options->by_windows)
		recorder->deferred = spt_deferred_new(spt_output_memory(recorder->output) /
						      DEFERRED_PART);
}

/* Of all threads, since encoding what was recorded costs as much. */
static uint64_t cost_of_recording(void *data)
{
	const SptRecorder *recorder = data;

	return spt_clock_ns(CLOCK_PROCESS_CPUTIME_ID) + recorder->status.cost_ns +
	       recorder->status.hooks_ns;
}

static void add_stack_stages(SptRecorder *recorder, const SptRecorderOptions *options)
{
	SptScriptsTo to = { 0 };

	recorder->stacks = spt_stacks_new(recorder->spaces, spt_output_jit(recorder->output),
					  spt_output_scripts(recorder->output), recorder->n_cpus);
	if (recorder->config.by_tables || recorder->config.raw_bytes)
		recorder->ends = spt_ends_new();
	spt_stages_add(recorder->stages, &spt_ends_stage, recorder->ends);
	if (recorder->ends)
		recorder->tables = spt_tables_of_output(recorder->output);
	if (recorder->config.by_tables)
		recorder->upload = spt_table_upload_new(recorder->output, recorder->trace,
							recorder->tables, options->frugal_tables);
	spt_stages_add(recorder->stages, &spt_table_upload_stage, recorder->upload);
	if (recorder->config.by_tables && spt_trace_has_chains(recorder->trace))
		to.trace = recorder->trace;
	if (recorder->memory)
		to.programs = spt_memory_chains(recorder->memory);
	if (recorder->config.raw_bytes)
		to.made = spt_made_frames_new(recorder->output, recorder->proc_files,
					      options->script_loops);
	if (to.trace || to.programs || to.made)
		recorder->scripts = spt_scripts_new(recorder->output, &to);
	spt_stages_add(recorder->stages, &spt_scripts_stage, recorder->scripts);
	if (recorder->scripts && spt_trace_has_thread_chains(recorder->trace))
		recorder->contexts = spt_contexts_new(recorder->output);
	spt_stages_add(recorder->stages, &spt_contexts_stage, recorder->contexts);
	if (recorder->config.raw_bytes)
		add_copy_stages(recorder, options, to.made);
	recorder->self_limit =
		spt_self_limit_new(recorder->trace, recorder->copies, options->period_ns);
	if (options->budget_pct > 0)
		spt_self_limit_budget(recorder->self_limit, options->budget_pct,
				      options->budget_window_ns, cost_of_recording, recorder);
	spt_stages_add(recorder->stages, &spt_self_limit_stage, recorder->self_limit);
}

/* Nobody else has taken what the caller handed over. */
static SptRecorder *recorder_refuse(const SptRecorderOptions *options)
{
	if (options->control_fd > 0)
		close(options->control_fd);
	if (options->lines_fd > 0)
		close(options->lines_fd);
	return NULL;
}

SptRecorder *spt_recorder_new(const SptRecorderOptions *options, GError **error)
{
	g_autoptr(SptRecorder) recorder = g_new0(SptRecorder, 1);

	recorder->stages = spt_stages_new();
	recorder->trace = options->trace ? options->trace :
					   spt_trace_open_source(source_of(options), error);
	if (!recorder->trace)
		return recorder_refuse(options);
	recorder->output = spt_output_new(options, recorder->trace, error);
	if (!recorder->output)
		return recorder_refuse(options);
	set_config(recorder, options);
	set_abilities(recorder, options);
	recorder->proc_files = spt_proc_files_new("/proc");
	if (!add_event_stages(recorder, options, error))
		return NULL;
	add_space_stages(recorder, options);
	add_stack_stages(recorder, options);
	recorder->mapped_by = g_hash_table_new(NULL, NULL);
	recorder->sampled_threads = g_hash_table_new(NULL, NULL);
	recorder->gone_spaces = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	spt_recorder_note_host(recorder, options);
	spt_recorder_put_fixed_objects(recorder);
	if (!spt_embed(&options->embed, recorder->output, error))
		return NULL;
	return g_steal_pointer(&recorder);
}

static void end_realtime(SptRecorder *recorder)
{
	if (recorder->is_realtime)
		spt_realtime_end();
	recorder->is_realtime = false;
}

void spt_recorder_free(SptRecorder *recorder)
{
	if (!recorder)
		return;
	end_realtime(recorder);
	spt_table_prefetch_free(recorder->prefetch);
	spt_deferred_free(recorder->deferred);
	spt_stages_free(recorder->stages);
	spt_tables_free(recorder->tables);
	g_clear_pointer(&recorder->environment, g_ptr_array_unref);
	spt_proc_files_free(recorder->proc_files);
	spt_output_free(recorder->output);
	spt_tasks_free(recorder->tasks);
	spt_event_pairs_free(recorder->pairs);
	g_free(recorder->hits_notice);
	g_free(recorder->node_options);
	spt_stacks_free(recorder->stacks);
	spt_spaces_free(recorder->spaces);
	spt_trace_free(recorder->trace);
	g_clear_pointer(&recorder->mapped_by, g_hash_table_unref);
	g_clear_pointer(&recorder->sampled_threads, g_hash_table_unref);
	g_clear_pointer(&recorder->gone_spaces, g_array_unref);
	g_clear_error(&recorder->failure);
	g_free(recorder->cpus);
	g_free(recorder->point_sources);
	g_free(recorder);
}

const char *const *spt_recorder_environment(const SptRecorder *recorder)
{
	return (const char *const *)recorder->environment->pdata;
}

static bool want_processes(SptRecorder *recorder, GError **error)
{
	const SptTraceFilter *filter = &recorder->config.filter;

	for (unsigned i = 0; i < filter->n_pids; i++) {
		if (!spt_tasks_want(recorder->tasks, filter->pids[i]) && recorder->filters_pids) {
			spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
				      "There is no process %u to record", filter->pids[i]);
			return false;
		}
	}
	return true;
}

/* The process that will be the command still is a copy of this program: its memory says nothing. */
static void measure_processes(SptRecorder *recorder)
{
	const SptTraceFilter *filter = &recorder->config.filter;
	const SptProcess *process;

	if (!recorder->resident && !spt_statements_want_processes(recorder->statements))
		return;
	process = spt_tasks_measure(recorder->tasks, recorder->command_pid);
	if (process && recorder->resident)
		spt_resident_pass(recorder->resident, process);
	for (unsigned i = 0; i < filter->n_pids; i++) {
		process = spt_tasks_measure(recorder->tasks, filter->pids[i]);
		if (process)
			spt_stages_process(recorder->stages, process);
	}
}

bool spt_recorder_wait_for_start(SptRecorder *recorder, int timeout_ms)
{
	const int step_timeout_ms = spt_statements_step_ms(recorder->statements, timeout_ms);

	g_usleep((gulong)step_timeout_ms * 1000);
	spt_statements_step(recorder->statements, recorder->tasks, spt_clock_ns(CLOCK_MONOTONIC));
	spt_statements_status(recorder->statements, &recorder->status.marks);
	return recorder->status.marks.has_started;
}

bool spt_recorder_start(SptRecorder *recorder, GError **error)
{
	struct sysprof_start start;

	recorder->begin_ns = spt_clock_ns(CLOCK_MONOTONIC);
	if (!spt_trace_start(recorder->trace, &recorder->config, &start, error))
		return false;
	spt_recorder_begin_intake(recorder);
	spt_realtime_begin();
	recorder->is_realtime = true;
	recorder->start_ns = recorder->last_flush_ns = spt_clock_ns(CLOCK_MONOTONIC);
	spt_stages_begin(recorder->stages);
	recorder->status.period_ns = start.period_ns;
	recorder->status.notice = spt_trace_notice(recorder->trace);
	if (recorder->status.notice)
		spt_recorder_note(recorder, "notice", recorder->status.notice);
	spt_recorder_note(recorder, "clock", spt_trace_clock_name(recorder->trace));
	spt_recorder_note_number(recorder, "period_ns", start.period_ns);
	spt_recorder_note_number(recorder, "grid_start", start.grid_start);
	spt_recorder_note_number(recorder, "start_time", recorder->start_ns);
	spt_recorder_note_number(recorder, "start_realtime_ns", spt_clock_ns(CLOCK_REALTIME));
	if (!take_snapshot(recorder, error))
		return false;
	spt_stages_settle(recorder->stages);
	if (!want_processes(recorder, error))
		return false;
	measure_processes(recorder);
	recorder->follows = spt_tasks_has_wanted(recorder->tasks);
	/* From now on there is a file that can be opened. */
	return spt_output_flush(recorder->output, recorder->start_ns, error);
}

void spt_recorder_expect(SptRecorder *recorder, const char *program)
{
	SptScriptChains *chains = recorder->memory ? spt_memory_chains(recorder->memory) : NULL;
	bool has_tables = recorder->upload || recorder->unwinding;

	if ((!has_tables && !chains) || recorder->prefetch)
		return;
	recorder->prefetch = spt_table_prefetch_new(program, has_tables,
						    recorder->upload ? recorder->trace : NULL,
						    chains);
	spt_table_prefetch_wait(recorder->prefetch, PREFETCH_MS);
}

void spt_recorder_command_begins(SptRecorder *recorder)
{
	recorder->command_begin_ns = spt_clock_ns(CLOCK_MONOTONIC);
}

static void drop_gone_spaces(SptRecorder *recorder, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t mm = g_array_index(recorder->gone_spaces, uint64_t, i);

		if (!spt_tasks_use_space(recorder->tasks, mm))
			spt_spaces_drop(recorder->spaces, mm);
	}
	if (n)
		g_array_remove_range(recorder->gone_spaces, 0, n);
}

/* Whether all samples that @stats counts were taken. */
static bool has_caught_up(const SptRecorder *recorder, const struct sysprof_stats *stats)
{
	return recorder->cpus[stats->cpu].taken >= stats->account.delivered;
}

static bool have_caught_up(const SptRecorder *recorder, const struct sysprof_stats *stats,
			   unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!has_caught_up(recorder, &stats[i]))
			return false;
	return true;
}

/*
 * Samples whose tables are still being made wait for them a little longer; there is no other
 * snapshot.
 */
static void take_last_deferred(SptRecorder *recorder)
{
	gint64 until = g_get_monotonic_time() + LAST_TABLES_US;

	if (recorder->unwinding)
		spt_unwinding_had_snapshot(recorder->unwinding);
	while (recorder->deferred && !spt_deferred_is_empty(recorder->deferred) &&
	       g_get_monotonic_time() < until) {
		spt_recorder_take_deferred(recorder, false);
		g_usleep(LAST_TABLES_STEP_US);
	}
	spt_recorder_take_deferred(recorder, true);
}

/*
 * Puts an account of each CPU behind its samples, so that what is written can be checked to its
 * end.  @all: also of CPUs that have been silent, which have to be disturbed for that.  While a
 * tick is held up on one CPU, samples of the others have to wait, too: an account that counts some
 * of them is dropped, since another one comes.
 */
static bool recorder_take_accounts(SptRecorder *recorder, bool all, GError **error)
{
	g_autofree struct sysprof_stats *stats = g_new(struct sysprof_stats, recorder->n_cpus);
	unsigned n = 0;

	for (unsigned i = 0; i < recorder->n_cpus; i++) {
		if (!spt_trace_has_cpu(recorder->trace, i) || (!all && !recorder->cpus[i].has_news))
			continue;
		/* Also reports losses that found no room while the rings were full. */
		if (!spt_trace_stats(recorder->trace, i, &stats[n], error))
			return false;
		recorder->cpus[i].account_time = stats[n++].time;
	}
	for (unsigned i = 0; i < CATCH_UP_STEPS; i++) {
		if (i)
			g_usleep(CATCH_UP_US);
		if (!drain(recorder, all, error))
			return false;
		if (have_caught_up(recorder, stats, n))
			break;
	}
	if (all)
		take_last_deferred(recorder);
	recorder->status.cost_ns = recorder->status.ticks = 0;
	for (unsigned i = 0; i < n; i++) {
		struct cpu *cpu = &recorder->cpus[stats[i].cpu];

		if (all || has_caught_up(recorder, &stats[i]))
			spt_recorder_put_account(recorder, stats[i].time, stats[i].cpu,
						 &stats[i].account);
		cpu->filtered += cpu->filtered_later;
		cpu->filtered_later = 0;
		cpu->account_time = UINT64_MAX;
		recorder->status.cost_ns += stats[i].account.cost_ns;
		recorder->status.ticks += stats[i].account.ticks;
	}
	return true;
}

/* A kernel thread names files, and may be late; a request for the objects waits for it. */
static bool have_objects(SptRecorder *recorder, GError **error)
{
	return spt_output_knows_objects(recorder->output) || take_snapshot(recorder, error);
}

static bool flush(SptRecorder *recorder, uint64_t now, GError **error)
{
	if (!recorder_take_accounts(recorder, false, error) || !have_objects(recorder, error))
		return false;
	return spt_stages_flush(recorder->stages, error) &&
	       spt_output_flush(recorder->output, now, error) &&
	       spt_stages_flushed(recorder->stages, error);
}

bool spt_recorder_step(SptRecorder *recorder, int timeout_ms, GError **error)
{
	unsigned gone = recorder->gone_spaces->len;
	uint64_t now;

	spt_trace_wait(recorder->trace, spt_stages_step_ms(recorder->stages, timeout_ms));
	spt_output_keep(recorder->output);
	if (!drain(recorder, false, error))
		return false;
	spt_thread_ids_pass(recorder->thread_ids, spt_trace_drained(recorder->trace));
	if (!spt_stages_step(recorder->stages, recorder->tasks, error))
		return false;
	spt_recorder_take_deferred(recorder, false);
	drop_gone_spaces(recorder, gone);
	now = spt_clock_ns(CLOCK_MONOTONIC);
	if (recorder->needs_snapshot && now - recorder->last_snapshot_ns >= SNAPSHOT_NS &&
	    !take_snapshot(recorder, error))
		return false;
	take_status(recorder);
	recorder->status.elapsed_ns = now - recorder->start_ns;
	recorder->status.has_ended = recorder->follows && !spt_tasks_has_wanted(recorder->tasks);
	/*
	 * Records that come during a flush wait for the next one to end: on a slow machine both
	 * have to be within the second.
	 */
	if (now - recorder->last_flush_ns + MIN(2 * recorder->flushing_ns, FLUSH_NS / 2) >=
	    FLUSH_NS) {
		recorder->last_flush_ns = now;
		if (!flush(recorder, now, error))
			return false;
		recorder->flushing_ns = spt_clock_ns(CLOCK_MONOTONIC) - now;
	}
	if (recorder->is_watched && now - recorder->last_reported_ns >= TELL_NS &&
	    spt_output_knows_objects(recorder->output)) {
		recorder->last_reported_ns = now;
		if (!spt_output_tell(recorder->output, error))
			return false;
	}
	recorder->status.file_bytes = spt_output_bytes(recorder->output);
	return true;
}

bool spt_recorder_write_last(SptRecorder *recorder, char **ret_path, GError **error)
{
	if (!recorder_take_accounts(recorder, false, error) || !have_objects(recorder, error) ||
	    !spt_output_write_last(recorder->output, spt_clock_ns(CLOCK_MONOTONIC), ret_path,
				   error))
		return false;
	recorder->status.file_bytes = spt_output_bytes(recorder->output);
	recorder->status.late_ns = 0;
	return true;
}

/* The clock of the day may have been set since the start, and the other one stands in a suspend. */
static void note_start_anew(SptRecorder *recorder)
{
	spt_recorder_note_number(recorder, "start_realtime_ns",
				 recorder->start_ns + spt_clock_ns(CLOCK_REALTIME) -
					 spt_clock_ns(CLOCK_MONOTONIC));
}

bool spt_recorder_write_window(SptRecorder *recorder, const char *path, GError **error)
{
	if (!recorder_take_accounts(recorder, false, error) || !have_objects(recorder, error))
		return false;
	spt_cgroups_step(recorder->cgroups, recorder->tasks, SPT_CGROUPS_MS);
	note_start_anew(recorder);
	if (!spt_output_write_window(recorder->output, spt_clock_ns(CLOCK_MONOTONIC), path, error))
		return false;
	recorder->status.file_bytes = spt_output_bytes(recorder->output);
	recorder->status.late_ns = 0;
	return true;
}

/* The sums of threads, unless they come when the source stops. */
static bool take_last_sums(SptRecorder *recorder, GError **error)
{
	if (!recorder->config.waits.is_on || !recorder->abilities->sums_in_snapshot)
		return true;
	spt_waits_end(recorder->waits);
	return take_snapshot(recorder, error);
}

static void finish_hits(SptRecorder *recorder, uint64_t stop_ns)
{
	spt_events_finish(recorder);
	if (!recorder->hits)
		return;
	recorder->status.hits_notice = recorder->hits_notice =
		spt_hits_finish(recorder->hits, recorder->start_ns, stop_ns);
	recorder->status.hit_counts = spt_hits_counts(recorder->hits);
	recorder->status.hits_open = spt_hits_open(recorder->hits);
	recorder->status.hits_lost = spt_hits_lost(recorder->hits);
}

bool spt_recorder_finish(SptRecorder *recorder, char **ret_path, GError **error)
{
	g_autofree char *path = NULL;
	uint64_t stop_ns;

	spt_output_keep(recorder->output);
	if (!take_last_sums(recorder, error) ||
	    (recorder->needs_snapshot && !take_snapshot(recorder, error)) ||
	    !spt_trace_stop(recorder->trace, error))
		return false;
	stop_ns = spt_clock_ns(CLOCK_MONOTONIC);
	if (!drain(recorder, true, error) || !recorder_take_accounts(recorder, true, error))
		return false;
	if (!spt_stages_finish(recorder->stages, error) || !have_objects(recorder, error))
		return false;
	take_status(recorder);
	finish_hits(recorder, stop_ns);
	end_realtime(recorder);
	recorder->status.elapsed_ns = stop_ns - recorder->start_ns;
	spt_stages_note(recorder->stages, recorder->output);
	spt_recorder_note_number(recorder, "cost_ns", recorder->status.cost_ns);
	spt_recorder_note_number(recorder, "ticks", recorder->status.ticks);
	if (!spt_output_finish(recorder->output, spt_clock_ns(CLOCK_MONOTONIC), &path, error))
		return false;
	recorder->status.file_bytes = spt_output_bytes(recorder->output);
	if (ret_path)
		*ret_path = g_steal_pointer(&path);
	return true;
}

int spt_recorder_file(SptRecorder *recorder, uint32_t object)
{
	return spt_output_held(recorder->output, object);
}

void spt_recorder_status(const SptRecorder *recorder, SptRecorderStatus *ret)
{
	*ret = recorder->status;
}

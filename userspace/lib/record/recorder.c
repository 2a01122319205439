/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records come in order of time; state records change what is known of processes and address
 * spaces, samples are resolved against it and go into stash and file.  The source's object ids are
 * the file's, too.
 */
#include "record/recorder.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/words.h"
#include "capture/format.h"
#include "process/spaces.h"
#include "process/tasks.h"
#include "record/command-line.h"
#include "record/handover.h"
#include "record/maps.h"
#include "record/output.h"
#include "record/stacks.h"
#include "record/unwinding.h"
#include "trace/trace.h"

#define FLUSH_NS 900000000ULL	/* so that with a step's delay it is once a second */
#define TELL_NS 250000000ULL
#define SNAPSHOT_NS 300000000ULL	/* not more often than this */
#define CATCH_UP_STEPS 20
#define CATCH_UP_US 500

/* What is known of a CPU's periods. */
struct cpu {
	uint64_t taken;			/* weight of the samples that came */
	uint64_t filtered;		/* of it, left out as asked */
	uint64_t filtered_later;	/* by samples that the account below does not know yet */
	uint64_t lost, delivered, budget;	/* as of the last account */
	/* Of the one that is about to be told; UINT64_MAX: there is none */
	uint64_t account_time;
	uint64_t told_time;		/* of the last one */
	bool has_news;			/* since its last account */
};

struct SptRecorder {
	SptTrace *trace;
	SptTraceConfig config;
	SptOutput *output;
	SptTasks *tasks;
	SptSpaces *spaces;
	SptMaps *maps;			/* NULL: they are not asked for */
	SptStacks *stacks;
	SptCopies *copies;		/* these two NULL: no raw stacks are asked for */
	SptUnwinding *unwinding;
	SptHandover *handover;		/* NULL: stacks are not walked by tables */
	unsigned stash_number;		/* whose nodes the stacks know */
	GHashTable *mapped_by;		/* object id -> pid that mapped it last */
	GHashTable *sampled_threads;	/* set of thread ids */
	uint32_t last_thread;		/* known to be in it */
	/* Mm ids, dropped one step later: what is late may still need them */
	GArray *gone_spaces;
	struct cpu *cpus;
	unsigned snapshot_number;
	bool in_snapshot, needs_snapshot;
	bool filters_pids, no_command_lines;
	uint64_t late_ns;
	bool is_watched;
	uint64_t start_ns, last_flush_ns, last_told_ns, last_snapshot_ns;
	uint64_t flushing_ns;		/* how long the last flush took */
	SptRecorderStatus status;
	/* Of a flush in the midst of a drain: nothing is taken any more */
	GError *failure;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What the tasks tell goes into the file. */

static void on_process(const SptProcess *process, void *data)
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

	spt_output_process(recorder->output, &row);
	/* What was read was its next image already, or who has its pid since. */
	if (process->end_time && process->end_time <= process->read_time)
		spt_output_command_line(recorder->output, &(SptCommandLineRow){ process->id, "" });
	if (process->end_time && recorder->maps)
		spt_maps_ended(recorder->maps, process);
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
	};

	spt_output_thread(recorder->output, &row);
}

static void on_space_gone(uint64_t mm, void *data)
{
	SptRecorder *recorder = data;

	g_array_append_val(recorder->gone_spaces, mm);
}

/* Records. */

static void take_task(SptRecorder *recorder, const struct sysprof_task *task)
{
	const struct sysprof_record *record = &task->record;
	char name[SYSPROF_COMM_BYTES + 1] = "";

	memcpy(name, task->comm, SYSPROF_COMM_BYTES);
	switch (record->type) {
	case SYSPROF_TASK:
		spt_tasks_seen(recorder->tasks, record->pid, record->tid, task->parent_pid,
			       task->mm, task->start_time, record->time,
			       record->flags & SYSPROF_TASK_KTHREAD, name);
		break;
	case SYSPROF_FORK:
		spt_tasks_fork(recorder->tasks, record->pid, record->tid, task->parent_pid,
			       task->mm, task->start_time, record->flags & SYSPROF_TASK_KTHREAD,
			       name);
		if (task->mm && task->mm != task->parent_mm)
			spt_spaces_fork(recorder->spaces, task->parent_mm, task->mm, record->time);
		break;
	case SYSPROF_EXEC:
		spt_tasks_exec(recorder->tasks, record->pid, task->old_tid, task->mm, record->time,
			       name);
		break;
	case SYSPROF_COMM:
		spt_tasks_rename(recorder->tasks, record->pid, record->tid, task->mm, record->time,
				 name);
		break;
	case SYSPROF_EXIT:
		spt_tasks_exit(recorder->tasks, record->pid, record->tid, record->time,
			       record->flags & SYSPROF_EXIT_PROCESS);
		break;
	}
}

static void take_map(SptRecorder *recorder, const struct sysprof_map *record)
{
	SptMap map = {
		.start = record->start,
		.end = record->end,
		.offset = record->offset,
		.object = record->object,
	};

	if (recorder->in_snapshot)
		spt_spaces_snapshot(recorder->spaces, recorder->snapshot_number, record->mm,
				    record->record.time, &map);
	else
		spt_spaces_map(recorder->spaces, record->mm, record->record.time, &map,
			       record->record.flags & SYSPROF_MAP_FRESH);
	/* Of what was there before the recording, most is never seen at work. */
	if (recorder->unwinding && !recorder->in_snapshot)
		spt_unwinding_mapped(recorder->unwinding, map.object);
	g_hash_table_insert(recorder->mapped_by, GUINT_TO_POINTER(record->object),
			    GUINT_TO_POINTER(record->record.pid));
}

static uint32_t mapper_of(const SptRecorder *recorder, uint32_t object)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(recorder->mapped_by, GUINT_TO_POINTER(object)));
}

static void take_object(SptRecorder *recorder, const struct sysprof_object *object)
{
	SptObjectRow row = {
		.id = object->object,
		.kind = object->object == SYSPROF_OBJECT_VDSO ? SPT_OBJECT_VDSO : SPT_OBJECT_FILE,
		.path = object->path,
		.build_id_bytes = MIN(object->build_id_bytes, SYSPROF_BUILD_ID_BYTES),
		.dev_major = object->dev_major,
		.dev_minor = object->dev_minor,
		.generation = object->generation,
		.inode = object->inode,
		.bytes = object->bytes,
		.mtime_ns = object->mtime_ns,
	};

	memcpy(row.build_id, object->build_id, row.build_id_bytes);
	spt_output_object(recorder->output, &row,
			  object->record.pid ? object->record.pid : mapper_of(recorder, row.id));
	if (recorder->handover)
		spt_handover_mapped(recorder->handover, row.id);
	if (recorder->maps)
		spt_maps_object(recorder->maps, &row);
}

static void take_region(SptRecorder *recorder, const struct sysprof_region *region)
{
	SptObjectRow row = { .id = region->object,
			     .kind = SPT_OBJECT_ANON,
			     .path = "[anon]",
			     .bytes = region->bytes };

	spt_output_object(recorder->output, &row, region->record.pid);
}

static void count_sample(SptRecorder *recorder, const struct sysprof_sample *sample, bool is_wanted)
{
	struct cpu *cpu = &recorder->cpus[sample->record.cpu];

	cpu->taken += sample->weight;
	cpu->has_news = true;
	if (!is_wanted && sample->record.time > cpu->account_time)
		cpu->filtered_later += sample->weight;
	else if (!is_wanted)
		cpu->filtered += sample->weight;
	if (recorder->late_ns && sample->delay_ns >= recorder->late_ns &&
	    sample->delay_ns > recorder->status.late_ns) {
		recorder->status.late_ns = sample->delay_ns;
		recorder->status.late_cpu = sample->record.cpu;
	}
}

/*
 * In the midst of an exec a task has the new image's address space and the old one's registers:
 * until an image was seen to run, what it cannot place below the kernel's part is of none.
 */
static uint32_t find_node(SptRecorder *recorder, const struct sysprof_sample *sample,
			  const SptThread *thread, uint8_t *ret_user_end)
{
	SptProcess *process = thread->process;
	SptStackEnd end;
	unsigned number;
	SptStash *stash = spt_output_stash(recorder->output, &number);
	uint32_t node;

	if (recorder->unwinding && !spt_unwinding_take(recorder->unwinding, &sample, thread->name))
		recorder->needs_snapshot = true;
	if (number != recorder->stash_number)
		spt_stacks_forget(recorder->stacks);
	recorder->stash_number = number;
	node = spt_stacks_node(recorder->stacks, stash, sample,
			       sample->n_kernel && !process->has_run, &end);
	process->has_run |= end.has_user;
	*ret_user_end = end.user_end;
	if (recorder->unwinding && sample->user_mode == SYSPROF_USER_FP &&
	    end.user_end != SYSPROF_END_NONE)
		*ret_user_end |= SPT_END_FRAME_POINTERS;
	if (recorder->handover && sample->record.flags & SYSPROF_SAMPLE_NO_TABLE)
		spt_handover_missed(recorder->handover, sample);
	/* One that a table would have led elsewhere ends there as well as anywhere. */
	if (sample->record.flags & SYSPROF_SAMPLE_NO_TABLE && end.user_end == SYSPROF_END_ROOT)
		*ret_user_end |= SPT_END_FRAME_POINTERS;
	if (end.user_end == SYSPROF_END_NO_INFO)
		*ret_user_end = SPT_END_NO_INFO;
	return node;
}

/* At its first sample: how it was called, and what is mapped there. */
static void get_to_know(SptRecorder *recorder, SptProcess *process)
{
	g_autofree char *text = NULL;

	if (process->is_known)
		return;
	process->is_known = true;
	if (recorder->maps)
		spt_maps_sampled(recorder->maps, process);
	if (process->is_kthread || recorder->no_command_lines)
		return;
	text = spt_command_line_read(process->pid);
	if (!text)
		return;
	process->read_time = clock_ns(CLOCK_MONOTONIC);
	spt_output_command_line(recorder->output, &(SptCommandLineRow){ process->id, text });
}

static void take_sample(SptRecorder *recorder, const struct sysprof_sample *sample)
{
	const struct sysprof_record *record = &sample->record;
	const SptThread *thread = spt_tasks_sampled(recorder->tasks, record->pid, record->tid,
						    sample->mm, record->time);
	SptSampleRow row = {
		.time = record->time,
		.delay_ns = sample->delay_ns,
		.cpu = record->cpu,
		.thread = thread->id,
		.weight = sample->weight,
		.kernel_end = sample->kernel_end,
		.user_end = sample->user_end,
	};
	bool is_wanted = !recorder->filters_pids || thread->process->is_wanted;

	count_sample(recorder, sample, is_wanted);
	if (!is_wanted)
		return;
	if (sample->n_kernel)
		row.context |= SPT_CONTEXT_KERNEL;
	if (record->flags & SYSPROF_SAMPLE_IRQ)
		row.context |= SPT_CONTEXT_IRQ;
	get_to_know(recorder, thread->process);
	row.node = find_node(recorder, sample, thread, &row.user_end);
	spt_output_sample(recorder->output, &row);
	recorder->status.samples++;
	recorder->status.weight += sample->weight;
	if (thread->id != recorder->last_thread &&
	    g_hash_table_add(recorder->sampled_threads, GUINT_TO_POINTER(thread->id)))
		recorder->status.threads++;
	recorder->last_thread = thread->id;
}

static void put_account(SptRecorder *recorder, uint64_t time, unsigned cpu,
			const struct sysprof_account *account)
{
	SptAccountRow row = {
		.time = time,
		.cpu = cpu,
		.grid = account->grid,
		.delivered = account->delivered,
		.idle = account->idle,
		.offline = account->offline,
		.excluded = account->excluded,
		.budget = account->budget,
		.pending = account->pending,
		.samples = account->samples,
		.state_lost = account->state_lost,
		.cost_ns = account->cost_ns,
		.ticks = account->ticks,
	};
	struct cpu *state = &recorder->cpus[cpu];
	uint64_t lost;

	G_STATIC_ASSERT(SPT_LOST_REASONS == SYSPROF_LOST_REASONS);
	for (unsigned i = 0; i < SPT_LOST_REASONS; i++)
		row.lost[i] = account->lost[i];
	/* What was asked for may have been overtaken. */
	if (time <= state->told_time)
		return;
	state->told_time = time;
	row.filtered = state->filtered + (time > state->account_time ? state->filtered_later : 0);
	spt_output_account(recorder->output, &row);
	lost = spt_account_lost(&row);
	recorder->status.lost += lost - state->lost;
	state->lost = lost;
	recorder->status.delivered += account->delivered - state->delivered;
	recorder->status.budget += account->budget - state->budget;
	state->delivered = account->delivered;
	state->budget = account->budget;
	state->has_news = false;
}

static void take_loss(SptRecorder *recorder, const struct sysprof_lost *lost)
{
	SptLossRow row = {
		.first_time = lost->first_time,
		.last_time = lost->last_time,
		.weight = lost->periods,
		.cpu = lost->record.cpu,
		.reason = lost->reason,
	};

	spt_output_loss(recorder->output, &row);
}

void spt_recorder_note(SptRecorder *recorder, const char *key, const char *value)
{
	spt_output_host(recorder->output, key, value);
}

static void note_number(SptRecorder *recorder, const char *key, uint64_t value)
{
	g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, value);

	spt_recorder_note(recorder, key, text);
}

static void take_time(SptRecorder *recorder, const struct sysprof_time *time)
{
	static const char *const keys[] = { NULL, "suspend", "resume", "pause", "clock set" };
	const char *key = time->reason < G_N_ELEMENTS(keys) ? keys[time->reason] : NULL;
	g_autofree char *name = NULL;

	if (!key)
		return;
	name = g_strdup_printf("%s@%" G_GUINT64_FORMAT, key, (guint64)time->record.time);
	note_number(recorder, name,
		    time->reason == SYSPROF_TIME_PAUSE ? time->gap_ns : time->realtime);
}

static void take_record(const struct sysprof_record *record, void *data)
{
	SptRecorder *recorder = data;

	if (record->cpu >= spt_trace_n_cpus(recorder->trace) || recorder->failure)
		return;
	if (!recorder->in_snapshot)
		spt_tasks_pass(recorder->tasks, record->time);
	switch (record->type) {
	case SYSPROF_SAMPLE:
		take_sample(recorder, (const struct sysprof_sample *)record);
		break;
	case SYSPROF_TASK:
	case SYSPROF_FORK:
	case SYSPROF_EXEC:
	case SYSPROF_COMM:
	case SYSPROF_EXIT:
		take_task(recorder, (const struct sysprof_task *)record);
		break;
	case SYSPROF_MAP:
		take_map(recorder, (const struct sysprof_map *)record);
		break;
	case SYSPROF_OBJECT:
		take_object(recorder, (const struct sysprof_object *)record);
		break;
	case SYSPROF_REGION:
		take_region(recorder, (const struct sysprof_region *)record);
		break;
	case SYSPROF_ACCOUNT: {
		const struct sysprof_account_record *account =
			(const struct sysprof_account_record *)record;

		put_account(recorder, record->time, record->cpu, &account->account);
		break;
	}
	case SYSPROF_LOST:
		take_loss(recorder, (const struct sysprof_lost *)record);
		break;
	case SYSPROF_TIME:
		take_time(recorder, (const struct sysprof_time *)record);
		break;
	case SYSPROF_RESYNC:
		recorder->needs_snapshot = true;
		break;
	}
	/* However much there is in the rings: the memory that is allowed holds at any time. */
	if (spt_output_is_full(recorder->output))
		spt_output_flush(recorder->output, clock_ns(CLOCK_MONOTONIC), &recorder->failure);
}

static bool has_failed(SptRecorder *recorder, GError **error)
{
	if (recorder->failure)
		g_propagate_error(error, g_error_copy(recorder->failure));
	return recorder->failure;
}

static bool drain(SptRecorder *recorder, bool all, GError **error)
{
	return spt_trace_drain(recorder->trace, all, take_record, recorder, error) &&
	       !has_failed(recorder, error);
}

static bool take_snapshot(SptRecorder *recorder, GError **error)
{
	unsigned busy;
	bool ok;

	recorder->needs_snapshot = false;
	recorder->in_snapshot = true;
	recorder->last_snapshot_ns = clock_ns(CLOCK_MONOTONIC);
	recorder->snapshot_number++;
	ok = spt_trace_snapshot(recorder->trace, take_record, recorder, &busy, error) &&
	     !has_failed(recorder, error);
	recorder->in_snapshot = false;
	spt_spaces_end_snapshot(recorder->spaces);
	/* A process whose lock is held by somebody who waits: again at the next step. */
	if (busy)
		recorder->needs_snapshot = true;
	return ok;
}

/* Life. */

static void note_host(SptRecorder *recorder, const SptRecorderOptions *options)
{
	struct utsname name;
	g_autofree char *cpus = g_strdup_printf("%u", g_get_num_processors());

	if (uname(&name) == 0) {
		spt_recorder_note(recorder, "host", name.nodename);
		spt_recorder_note(recorder, "kernel", name.release);
		spt_recorder_note(recorder, "arch", name.machine);
	}
	spt_recorder_note(recorder, "cpus", cpus);
	spt_recorder_note(recorder, "source", recorder->status.source);
	spt_recorder_note(recorder, "recorder", "sysprof " SPT_VERSION);
	if (recorder->config.by_tables)
		spt_recorder_note(recorder, "stacks", "table");
	else if (options->raw_bytes)
		spt_recorder_note(recorder, "stacks", options->raw_if_needed ? "auto" : "dwarf");
	if (options->command)
		spt_recorder_note(recorder, "command", options->command);
}

static void put_fixed_objects(SptRecorder *recorder)
{
	SptObjectRow rows[] = {
		{ .id = SYSPROF_OBJECT_KERNEL, .kind = SPT_OBJECT_KERNEL, .path = "[kernel]" },
		{ .id = SYSPROF_OBJECT_MODULES, .kind = SPT_OBJECT_MODULES, .path = "[modules]" },
		{ .id = SYSPROF_OBJECT_ANON, .kind = SPT_OBJECT_ANON, .path = "[anon]" },
		{ .id = SYSPROF_OBJECT_VDSO, .kind = SPT_OBJECT_VDSO, .path = "[vdso]" },
		{ .id = SPT_STACKS_VDSO32, .kind = SPT_OBJECT_VDSO, .path = "[vdso32]" },
	};
	static const SptObjectRow unknown_callers[] = {
		{ .id = SPT_STACKS_CUT, .path = "[stack cut off]" },
		{ .id = SPT_STACKS_INCOMPLETE, .path = "[stack incomplete]" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
		spt_output_object(recorder->output, &rows[i], 0);
	for (unsigned i = 0;
	     (recorder->unwinding || recorder->handover) && i < G_N_ELEMENTS(unknown_callers); i++)
		spt_output_object(recorder->output, &unknown_callers[i], 0);
}

/* Whether there are records of mappings: from the module only for who unwinds copies of stacks. */
static bool tells_maps(const SptRecorder *recorder)
{
	return recorder->config.raw_bytes || strcmp(recorder->status.source, "perf") == 0;
}

SptRecorder *spt_recorder_new(const SptRecorderOptions *options, GError **error)
{
	g_autoptr(SptRecorder) recorder = g_new0(SptRecorder, 1);
	SptTasksListener listener = { on_process, on_thread, on_space_gone, recorder };

	recorder->trace =
		options->trace ? options->trace : spt_trace_open_source(options->source, error);
	if (!recorder->trace)
		return NULL;
	recorder->output = spt_output_new(options, recorder->trace, error);
	if (!recorder->output)
		return NULL;
	recorder->config.period_ns = options->period_ns;
	recorder->config.clock = options->clock;
	recorder->config.event_type = options->event_type;
	recorder->config.event_config = options->event_config;
	recorder->config.ring_bytes = options->ring_bytes;
	recorder->config.no_user = options->no_user;
	recorder->config.by_tables = options->by_tables &&
				     (!options->raw_bytes || spt_trace_has_tables(recorder->trace));
	recorder->config.raw_bytes = recorder->config.by_tables ? 0 : options->raw_bytes;
	recorder->config.raw_most_bytes = options->raw_most_bytes;
	recorder->status.source = spt_trace_source_name(recorder->trace);
	recorder->config.filter = options->filter;
	recorder->filters_pids = options->filter.n_pids && !spt_trace_filters_pids(recorder->trace);
	recorder->late_ns = options->late_ns;
	recorder->is_watched = options->live;
	recorder->no_command_lines = options->no_command_lines;
	recorder->tasks = spt_tasks_new(&listener);
	recorder->spaces = spt_spaces_new();
	if (!options->no_maps) {
		recorder->maps =
			spt_maps_new(recorder->output, recorder->spaces, tells_maps(recorder));
		spt_recorder_note(recorder, "maps", tells_maps(recorder) ? "made" : "seen");
	}
	recorder->stacks = spt_stacks_new(recorder->spaces, spt_output_jit(recorder->output),
					  spt_trace_n_cpus(recorder->trace));
	if (recorder->config.by_tables)
		recorder->handover = spt_handover_new(recorder->output, recorder->trace);
	if (recorder->config.raw_bytes) {
		recorder->copies = spt_copies_new(recorder->trace, options->raw_most_bytes,
						  options->raw_if_needed);
		recorder->unwinding =
			spt_unwinding_new(recorder->output, recorder->spaces, recorder->copies);
	}
	recorder->mapped_by = g_hash_table_new(NULL, NULL);
	recorder->sampled_threads = g_hash_table_new(NULL, NULL);
	recorder->gone_spaces = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	recorder->cpus = g_new0(struct cpu, spt_trace_n_cpus(recorder->trace));
	for (unsigned cpu = 0; cpu < spt_trace_n_cpus(recorder->trace); cpu++)
		recorder->cpus[cpu].account_time = UINT64_MAX;
	note_host(recorder, options);
	put_fixed_objects(recorder);
	return g_steal_pointer(&recorder);
}

void spt_recorder_free(SptRecorder *recorder)
{
	if (!recorder)
		return;
	spt_unwinding_free(recorder->unwinding);
	spt_maps_free(recorder->maps);
	spt_handover_free(recorder->handover);
	spt_copies_free(recorder->copies);
	spt_output_free(recorder->output);
	spt_tasks_free(recorder->tasks);
	spt_stacks_free(recorder->stacks);
	spt_spaces_free(recorder->spaces);
	spt_trace_free(recorder->trace);
	g_clear_pointer(&recorder->mapped_by, g_hash_table_unref);
	g_clear_pointer(&recorder->sampled_threads, g_hash_table_unref);
	g_clear_pointer(&recorder->gone_spaces, g_array_unref);
	g_clear_error(&recorder->failure);
	g_free(recorder->cpus);
	g_free(recorder);
}

static bool want_processes(SptRecorder *recorder, GError **error)
{
	const SptTraceFilter *filter = &recorder->config.filter;

	for (unsigned i = 0; i < filter->n_pids; i++) {
		if (!spt_tasks_want(recorder->tasks, filter->pids[i])) {
			spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
				      "There is no process %u to record", filter->pids[i]);
			return false;
		}
	}
	return true;
}

bool spt_recorder_start(SptRecorder *recorder, GError **error)
{
	struct sysprof_start start;

	if (!spt_trace_start(recorder->trace, &recorder->config, &start, error))
		return false;
	recorder->start_ns = recorder->last_flush_ns = clock_ns(CLOCK_MONOTONIC);
	if (recorder->copies)
		spt_copies_begin(recorder->copies);
	recorder->status.period_ns = start.period_ns;
	recorder->status.notice = spt_trace_notice(recorder->trace);
	if (recorder->status.notice)
		spt_recorder_note(recorder, "notice", recorder->status.notice);
	spt_recorder_note(recorder, "clock", spt_trace_clock_name(recorder->trace));
	note_number(recorder, "period_ns", start.period_ns);
	note_number(recorder, "grid_start", start.grid_start);
	note_number(recorder, "start_time", recorder->start_ns);
	note_number(recorder, "start_realtime_ns", clock_ns(CLOCK_REALTIME));
	if (!take_snapshot(recorder, error))
		return false;
	if (recorder->handover)
		spt_handover_settle(recorder->handover);
	if (recorder->filters_pids && !want_processes(recorder, error))
		return false;
	/* From now on there is a file that can be opened. */
	return spt_output_flush(recorder->output, recorder->start_ns, error);
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

/* Whether all samples are taken that the accounts in @stats know of. */
static bool has_caught_up(const SptRecorder *recorder, const struct sysprof_stats *stats,
			  unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (recorder->cpus[stats[i].cpu].taken < stats[i].account.delivered)
			return false;
	return true;
}

/*
 * Puts an account of each CPU behind its samples, so that what is written can be checked to its
 * end.  @all: also of those that have been silent, which would have to be disturbed for it.
 */
static bool take_accounts(SptRecorder *recorder, bool all, GError **error)
{
	unsigned n_cpus = spt_trace_n_cpus(recorder->trace), n = 0;
	g_autofree struct sysprof_stats *stats = g_new(struct sysprof_stats, n_cpus);

	for (unsigned i = 0; i < n_cpus; i++) {
		if (!spt_trace_has_cpu(recorder->trace, i) || (!all && !recorder->cpus[i].has_news))
			continue;
		/* Also tells of losses that found no room while the rings were full. */
		if (!spt_trace_stats(recorder->trace, i, &stats[n], error))
			return false;
		recorder->cpus[i].account_time = stats[n++].time;
	}
	for (unsigned i = 0; i < CATCH_UP_STEPS; i++) {
		if (i)
			g_usleep(CATCH_UP_US);
		if (!drain(recorder, all, error))
			return false;
		if (has_caught_up(recorder, stats, n))
			break;
	}
	recorder->status.cost_ns = recorder->status.ticks = 0;
	for (unsigned i = 0; i < n; i++) {
		struct cpu *cpu = &recorder->cpus[stats[i].cpu];

		put_account(recorder, stats[i].time, stats[i].cpu, &stats[i].account);
		cpu->filtered += cpu->filtered_later;
		cpu->filtered_later = 0;
		cpu->account_time = UINT64_MAX;
		recorder->status.cost_ns += stats[i].account.cost_ns;
		recorder->status.ticks += stats[i].account.ticks;
	}
	return true;
}

/*
 * A file is named by a thread of the kernel's, which may be late: who asks for the objects waits
 * for it.
 */
static bool have_objects(SptRecorder *recorder, GError **error)
{
	return spt_output_knows_objects(recorder->output) || take_snapshot(recorder, error);
}

bool spt_recorder_step(SptRecorder *recorder, int timeout_ms, GError **error)
{
	unsigned gone = recorder->gone_spaces->len;
	uint64_t now;

	spt_trace_wait(recorder->trace, timeout_ms);
	spt_output_keep(recorder->output);
	if (!drain(recorder, false, error))
		return false;
	if (recorder->handover)
		spt_handover_step(recorder->handover);
	drop_gone_spaces(recorder, gone);
	now = clock_ns(CLOCK_MONOTONIC);
	if (recorder->needs_snapshot && now - recorder->last_snapshot_ns >= SNAPSHOT_NS &&
	    !take_snapshot(recorder, error))
		return false;
	recorder->status.elapsed_ns = now - recorder->start_ns;
	/*
	 * What comes during a flush waits for the next one to end: on a slow machine both have to
	 * be within the second.
	 */
	if (now - recorder->last_flush_ns + MIN(2 * recorder->flushing_ns, FLUSH_NS / 2) >=
	    FLUSH_NS) {
		recorder->last_flush_ns = now;
		if (!take_accounts(recorder, false, error) || !have_objects(recorder, error))
			return false;
		if (recorder->maps)
			spt_maps_read(recorder->maps);
		if (!spt_output_flush(recorder->output, now, error))
			return false;
		recorder->flushing_ns = clock_ns(CLOCK_MONOTONIC) - now;
	}
	if (recorder->is_watched && now - recorder->last_told_ns >= TELL_NS &&
	    spt_output_knows_objects(recorder->output)) {
		recorder->last_told_ns = now;
		if (!spt_output_tell(recorder->output, error))
			return false;
	}
	recorder->status.file_bytes = spt_output_bytes(recorder->output);
	return true;
}

bool spt_recorder_write_last(SptRecorder *recorder, char **ret_path, GError **error)
{
	if (!take_accounts(recorder, false, error) || !have_objects(recorder, error) ||
	    !spt_output_write_last(recorder->output, clock_ns(CLOCK_MONOTONIC), ret_path, error))
		return false;
	recorder->status.file_bytes = spt_output_bytes(recorder->output);
	recorder->status.late_ns = 0;
	return true;
}

/* Of which code that stacks lead through. */
static void note_frame_pointers(SptRecorder *recorder)
{
	g_autofree char *with =
		recorder->unwinding ? spt_unwinding_objects(recorder->unwinding, true) : NULL;
	g_autofree char *without =
		recorder->unwinding ? spt_unwinding_objects(recorder->unwinding, false) : NULL;

	if (with)
		spt_recorder_note(recorder, "frame_pointers", with);
	if (without)
		spt_recorder_note(recorder, "no_frame_pointers", without);
}

static void note_tables(SptRecorder *recorder)
{
	g_autofree char *refusals =
		recorder->handover ? spt_handover_refusals(recorder->handover) : NULL;

	if (recorder->handover)
		note_number(recorder, "tables", spt_handover_count(recorder->handover));
	if (refusals)
		spt_recorder_note(recorder, "no_tables", refusals);
}

bool spt_recorder_finish(SptRecorder *recorder, char **ret_path, GError **error)
{
	g_autofree char *path = NULL;

	spt_output_keep(recorder->output);
	if (!spt_trace_stop(recorder->trace, error) ||
	    !drain(recorder, true, error) ||
	    !take_accounts(recorder, true, error) ||
	    !have_objects(recorder, error))
		return false;
	if (recorder->maps)
		spt_maps_read(recorder->maps);
	recorder->status.elapsed_ns = clock_ns(CLOCK_MONOTONIC) - recorder->start_ns;
	note_frame_pointers(recorder);
	note_tables(recorder);
	note_number(recorder, "cost_ns", recorder->status.cost_ns);
	note_number(recorder, "ticks", recorder->status.ticks);
	if (!spt_output_finish(recorder->output, clock_ns(CLOCK_MONOTONIC), &path, error))
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

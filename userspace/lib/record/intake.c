/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State records change the known state of processes and address spaces.  Samples are resolved
 * against it and added to stash and file.  The source's object ids are also the file's.
 */
#include "record/recorder-private.h"

#include <string.h>

#include "capture/format.h"
#include "process/task-records.h"
#include "record/command-line.h"
#include "record/events.h"
#include "trace/perf/maps.h"

/* What the command starts loads the library, if it can. */
static void expect_program(SptRecorder *recorder, const struct sysprof_record *record,
			   const char *name)
{
	const SptThread *thread =
		recorder->memory ? spt_tasks_find(recorder->tasks, record->pid) : NULL;

	if (thread && thread->process->is_measured)
		spt_memory_exec(recorder->memory, record->pid, record->time, name);
}

static void take_task(SptRecorder *recorder, const struct sysprof_task *task)
{
	const struct sysprof_record *record = &task->record;
	char name[SYSPROF_COMM_BYTES + 1];

	spt_task_records_take(recorder->tasks, recorder->spaces, task, name);
	if (record->type != SYSPROF_EXEC)
		return;
	expect_program(recorder, record, name);
	if (recorder->unwinding && recorder->abilities->reports_maps)
		spt_unwinding_began(recorder->unwinding, task->mm);
}

static bool has_path(const SptRecorder *recorder, uint32_t object, const char *path)
{
	const char *its = spt_output_path(recorder->output, object), *slash = strrchr(path, '/');

	/* Processes may see other directories. */
	return its && *its == '/' && slash && g_str_has_prefix(slash, strrchr(its, '/'));
}

/*
 * If @map is a copy of code in memory without a file (perf/maps.h), it becomes that of its file: by
 * a mapping that is known there, from before or beside it.
 */
static void name_copy(const SptRecorder *recorder, const struct sysprof_map *record, SptMap *map)
{
	const SptSpace *space = spt_spaces_get(recorder->spaces, record->mm);
	g_autofree char *text = NULL;
	struct spt_perf_map below;
	const SptMap *there;
	size_t bytes;

	if (!space || map->object < SYSPROF_OBJECT_FIRST ||
	    g_strcmp0(spt_output_path(recorder->output, map->object), "[anon]") != 0)
		return;
	for (unsigned i = 0; (there = spt_space_around(space, map->start, map->end, i)); i++) {
		const char *path = spt_output_path(recorder->output, there->object);

		if (there->object < SYSPROF_OBJECT_FIRST || !path || *path != '/')
			continue;
		if (!text) {
			text = spt_proc_files_read(recorder->proc_files, record->record.pid, "maps",
						   SPT_PERF_MAPS_MAX_BYTES, &bytes);
			if (!text || !spt_perf_maps_enclose(text, map->start, map->end, &below))
				return;
		}
		if (has_path(recorder, there->object, below.path)) {
			map->offset = there->offset + (map->start - there->start);
			map->object = there->object;
			return;
		}
	}
}

static void intake_take_map(SptRecorder *recorder, const struct sysprof_map *record)
{
	SptMap map = {
		.start = record->start,
		.end = record->end,
		.offset = record->offset,
		.object = record->object,
	};

	if (recorder->in_snapshot) {
		spt_spaces_snapshot(recorder->spaces, recorder->snapshot_number, record->mm,
				    record->record.time, &map);
	} else {
		name_copy(recorder, record, &map);
		spt_spaces_map(recorder->spaces, record->mm, record->record.time, &map,
			       record->record.flags & SYSPROF_MAP_FRESH);
	}
	/*
	 * Most processes that existed before the recording are never seen at work.  Where the
	 * module has the tables, those that are missing are made when a stack needs them.
	 */
	if (recorder->unwinding && !recorder->upload && !recorder->in_snapshot)
		spt_unwinding_mapped(recorder->unwinding, map.object);
	g_hash_table_insert(recorder->mapped_by, GUINT_TO_POINTER(record->object),
			    GUINT_TO_POINTER(record->record.pid));
}

static uint32_t mapper_of(const SptRecorder *recorder, uint32_t object)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(recorder->mapped_by, GUINT_TO_POINTER(object)));
}

static void intake_take_object(SptRecorder *recorder, const struct sysprof_object *object)
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
	spt_stages_object(recorder->stages, &row);
}

/* It comes before the first stack that has it. */
static void take_code(SptRecorder *recorder, const struct sysprof_code *code)
{
	SptObjectRow row;

	if (recorder->contexts && spt_contexts_take(recorder->contexts, code))
		return;
	if (spt_script_names_take(spt_output_scripts(recorder->output), code, &row))
		spt_output_object(recorder->output, &row, 0);
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

/* The object in whose code an incomplete stack stops; 0: not known. */
static uint32_t stop_of(const SptRecorder *recorder, const struct sysprof_sample *sample,
			uint8_t user_end)
{
	unsigned i = user_end & SPT_END_FRAME_POINTERS ? 0 : sample->n_user - 1;
	uint64_t frame = sample->n_user ? sample->frames[sample->n_kernel + i] : 0;
	const SptSpace *space;
	const SptMap *map;

	if (spt_script_names_is(frame))
		return 0;
	if (!(sample->record.flags & SYSPROF_SAMPLE_ADDRESSES))
		return frame >> SYSPROF_FRAME_OBJECT_SHIFT;
	space = spt_spaces_get(recorder->spaces, sample->mm);
	map = space ? spt_space_find(space, frame - (i > 0)) : NULL;
	return map ? map->object : 0;
}

static void intake_take_end(SptRecorder *recorder, const struct sysprof_sample *sample,
			    uint8_t user_end)
{
	uint32_t object =
		user_end == SYSPROF_END_ROOT ? 0 : stop_of(recorder, sample, user_end);

	spt_ends_take(recorder->ends, user_end, object, sample->weight);
}

/* False: the stack has to be taken as a whole, as which @stack has it then. */
static bool take_stack_by_outer(SptRecorder *recorder, SptDeferredSample *stack)
{
	const struct sysprof_sample *sample = stack->sample;
	const SptStackView view = spt_stack_of_sample(sample);
	const SptOuter *outer;

	if (!sample->cookie || !recorder->once)
		return false;
	outer = spt_once_outer(recorder->once, &sample->record);
	if (!outer || !spt_recorder_node_by_outer(recorder, &view, outer, stack->comm,
						  &stack->row.node)) {
		stack->sample = (const void *)spt_trace_whole(recorder->trace, &sample->record);
		return false;
	}
	stack->has_run = true;
	stack->row.user_end = sample->user_end;
	if (recorder->ends)
		spt_ends_take(recorder->ends, sample->user_end, 0, sample->weight);
	return true;
}

/*
 * In the midst of an exec a task has the new image's address space and the old one's registers:
 * until an image was seen to run, frames below the kernel's part that are in none of its mappings
 * belong to no object.
 *
 * Fills in the row's node and end.  False, only if @may_be_late: a table or a snapshot is late.
 */
static bool take_stack(SptRecorder *recorder, SptDeferredSample *stack, bool may_be_late)
{
	const struct sysprof_sample *sample = stack->sample;
	g_autofree struct sysprof_sample *cut = NULL;
	SptStackView view;
	SptStackEnd end;
	SptUnwound how = SPT_UNWOUND;
	uint8_t *user_end = &stack->row.user_end;

	stack->late = 0;
	cut = recorder->contexts ? spt_contexts_cut(recorder->contexts, sample) : NULL;
	sample = cut ? cut : sample;
	if (recorder->hits)
		spt_hits_mend(recorder->hits, sample);
	if (recorder->unwinding)
		stack->snapshot = spt_unwinding_next_snapshot(recorder->unwinding);
	if (recorder->upload && sample->record.flags & SYSPROF_SAMPLE_NO_TABLE)
		spt_table_upload_missed(recorder->upload, sample);
	if (recorder->unwinding)
		how = spt_unwinding_take(recorder->unwinding, &sample, stack->comm,
					 may_be_late ? &stack->late : NULL);
	if (how == SPT_UNWOUND_UNKNOWN)
		recorder->needs_snapshot = true;
	if (how != SPT_UNWOUND && may_be_late)
		return false;
	sample = spt_script_names_fold(spt_output_scripts(recorder->output), sample,
				       recorder->script_loops);
	view = spt_stack_of_sample(sample);
	stack->row.node = spt_stacks_node(recorder->stacks, spt_recorder_stash(recorder), &view,
					  sample->n_kernel && !stack->has_run, &end);
	stack->has_run |= end.has_user;
	*user_end = end.user_end;
	if (recorder->unwinding && sample->user_mode == SYSPROF_USER_FP &&
	    end.user_end != SYSPROF_END_NONE)
		*user_end |= SPT_END_FRAME_POINTERS;
	/* A stack that a table would have continued may as well end there. */
	if (sample->record.flags & SYSPROF_SAMPLE_NO_TABLE && end.user_end == SYSPROF_END_ROOT)
		*user_end |= SPT_END_FRAME_POINTERS;
	if (end.user_end == SYSPROF_END_NO_INFO)
		*user_end = SPT_END_NO_INFO;
	if (recorder->ends)
		intake_take_end(recorder, sample, *user_end);
	return true;
}

uint32_t spt_recorder_node(SptRecorder *recorder, const struct sysprof_sample *sample,
			   const SptThread *thread)
{
	SptDeferredSample stack = { .sample = sample,
				    .comm = thread->name,
				    .has_run = thread->process->has_run };

	take_stack(recorder, &stack, false);
	thread->process->has_run = stack.has_run;
	return stack.row.node;
}

/* Its mappings may change before it is unwound, but for those that a snapshot is to have. */
static bool defer_sample(SptRecorder *recorder, const SptDeferredSample *stack)
{
	uint64_t mm = stack->late ? spt_spaces_keep(recorder->spaces, stack->sample->mm) :
				    stack->sample->mm;

	return mm && spt_deferred_put(recorder->deferred, stack, mm);
}

struct again {
	SptRecorder *recorder;
	bool all;
};

/* Whether what it waits for is there. */
static bool may_go_on(const SptRecorder *recorder, const SptDeferredSample *stack)
{
	const SptUnwindTable *table;

	return stack->late ? spt_tables_is_done(recorder->tables, stack->late, &table) :
			     stack->snapshot != spt_unwinding_next_snapshot(recorder->unwinding);
}

static void put_sample(SptRecorder *recorder, const SptSampleRow *row)
{
	spt_output_put(recorder->output, SPT_ROW_SAMPLE, row);
	if (recorder->contexts)
		spt_contexts_put(recorder->contexts, false, row->time, row->cpu, row->thread,
				 row->node, row->weight * recorder->status.period_ns);
}

static bool take_again(SptDeferredSample *stack, void *data)
{
	const struct again *again = data;
	SptRecorder *recorder = again->recorder;

	if (again->all)
		take_stack(recorder, stack, false);
	else if (!may_go_on(recorder, stack) || !take_stack(recorder, stack, true))
		return false;
	put_sample(recorder, &stack->row);
	return true;
}

void spt_recorder_take_deferred(SptRecorder *recorder, bool all)
{
	struct again again = { recorder, all };

	if (!recorder->deferred || spt_deferred_is_empty(recorder->deferred))
		return;
	spt_deferred_take(recorder->deferred, take_again, &again);
	if (spt_deferred_is_empty(recorder->deferred))
		spt_spaces_drop_kept(recorder->spaces);
}

void spt_recorder_meet(SptRecorder *recorder, SptProcess *process)
{
	g_autofree char *text = NULL;

	process->is_known = true;
	if (recorder->maps)
		spt_maps_sampled(recorder->maps, process);
	if (process->is_kthread)
		return;
	if (recorder->cgroups)
		spt_cgroups_expect(recorder->cgroups, process);
	if (!recorder->no_command_lines)
		text = spt_command_line_read(recorder->proc_files, process->pid);
	if (!text)
		return;
	process->read_time = spt_clock_ns(CLOCK_MONOTONIC);
	spt_output_put(recorder->output, SPT_ROW_COMMAND_LINE,
		       &(SptCommandLineRow){ .process = process->id, .text = text });
}

/* Now, or once what its stack needs is there. */
static void intake_put_sample(SptRecorder *recorder, SptDeferredSample *stack)
{
	bool may_be_late = recorder->deferred;

	if (!take_stack_by_outer(recorder, stack) && !take_stack(recorder, stack, may_be_late)) {
		if (defer_sample(recorder, stack))
			return;
		take_stack(recorder, stack, false);
	}
	put_sample(recorder, &stack->row);
}

static G_GNUC_NO_INLINE void intake_take_sample(SptRecorder *recorder,
						const struct sysprof_sample *sample)
{
	const struct sysprof_record *record = &sample->record;
	const SptThread *thread = spt_tasks_sampled(recorder->tasks, record->pid, record->tid,
						    sample->mm, record->time);
	SptDeferredSample stack = {
		.row = {
			.time = record->time,
			.delay_ns = sample->delay_ns,
			.cpu = record->cpu,
			.thread = thread->id,
			.weight = sample->weight,
			.kernel_end = sample->kernel_end,
			.user_end = sample->user_end,
		},
		.sample = sample,
		.comm = thread->name,
		.has_run = thread->process->has_run,
	};
	bool is_wanted = !recorder->filters_pids || thread->process->is_wanted;
	struct cpu *cpu = &recorder->cpus[record->cpu];

	count_sample(recorder, sample, is_wanted);
	if (!is_wanted)
		return;
	if (sample->n_kernel)
		stack.row.context |= SPT_CONTEXT_KERNEL;
	if (record->flags & SYSPROF_SAMPLE_IRQ)
		stack.row.context |= SPT_CONTEXT_IRQ;
	if (sample->context <= SPT_CONTEXT_MASK)
		stack.row.context |= sample->context << SPT_CONTEXT_AT;
	spt_recorder_get_to_know(recorder, thread->process);
	intake_put_sample(recorder, &stack);
	thread->process->has_run = stack.has_run;
	recorder->status.samples++;
	recorder->status.weight += sample->weight;
	if (thread->id != cpu->last_thread &&
	    g_hash_table_add(recorder->sampled_threads, GUINT_TO_POINTER(thread->id)))
		recorder->status.threads++;
	cpu->last_thread = thread->id;
}

/*
 * The file does not have them yet, and has to hold if the recorder is killed now.  Returns whether
 * there are any.
 */
static bool leave_out_deferred(const SptRecorder *recorder, SptAccountRow *row)
{
	uint64_t weight;

	if (!recorder->deferred || spt_deferred_is_empty(recorder->deferred))
		return false;
	row->samples -= spt_deferred_count(recorder->deferred, row->cpu, row->time, &weight);
	row->delivered -= weight;
	row->pending += weight;
	return weight > 0;
}

void spt_recorder_put_account(SptRecorder *recorder, uint64_t time, unsigned cpu,
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
	/* The answer to a request may be out of date, or nothing new. */
	if (time < state->put_time || (time == state->put_time && !state->account_has_deferred))
		return;
	state->put_time = time;
	row.filtered = state->filtered + (time > state->account_time ? state->filtered_later : 0);
	state->account_has_deferred = leave_out_deferred(recorder, &row);
	spt_output_put(recorder->output, SPT_ROW_ACCOUNT, &row);
	lost = spt_account_lost(&row);
	recorder->status.lost += lost - state->lost;
	state->lost = lost;
	recorder->status.delivered += account->delivered - state->delivered;
	recorder->status.budget += account->budget - state->budget;
	state->delivered = account->delivered;
	state->budget = account->budget;
	/* Records that came during the request are for the next one. */
	state->has_news = state->taken > account->delivered;
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

	spt_output_put(recorder->output, SPT_ROW_LOSS, &row);
}

void spt_recorder_note(SptRecorder *recorder, const char *key, const char *value)
{
	spt_output_host(recorder->output, key, value);
}

void spt_recorder_note_number(SptRecorder *recorder, const char *key, uint64_t value)
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
	spt_recorder_note_number(recorder, name,
				 time->reason == SYSPROF_TIME_PAUSE ? time->gap_ns :
								      time->realtime);
}

void spt_recorder_take_hit(SptRecorder *recorder, const SptTraceHit *hit)
{
	const struct sysprof_record *record = &hit->record;
	const SptThread *thread = spt_tasks_sampled(recorder->tasks, record->pid, record->tid,
						    hit->mm, record->time);
	uint32_t node = 0;

	if (recorder->filters_pids && !thread->process->is_wanted)
		return;
	spt_recorder_get_to_know(recorder, thread->process);
	if (hit->stack && hit->phase != SPT_TRACE_HIT_RETURN)
		node = spt_recorder_node(recorder, hit->stack, thread);
	recorder->status.hits += hit->phase != SPT_TRACE_HIT_RETURN;
	spt_hits_take(recorder->hits, hit, thread, node);
}

/* Not inline: its records are rare, and what it needs of the stack is much. */
static G_GNUC_NO_INLINE void intake_take_other(SptRecorder *recorder,
					       const struct sysprof_record *record)
{
	switch (record->type) {
	case SYSPROF_TASK:
	case SYSPROF_FORK:
	case SYSPROF_EXEC:
	case SYSPROF_COMM:
	case SYSPROF_EXIT:
		take_task(recorder, (const struct sysprof_task *)record);
		break;
	case SYSPROF_MAP:
		intake_take_map(recorder, (const struct sysprof_map *)record);
		break;
	case SYSPROF_OBJECT:
		intake_take_object(recorder, (const struct sysprof_object *)record);
		break;
	case SYSPROF_CODE:
		take_code(recorder, (const struct sysprof_code *)record);
		break;
	case SYSPROF_REGION:
		take_region(recorder, (const struct sysprof_region *)record);
		break;
	case SYSPROF_ACCOUNT: {
		const struct sysprof_account_record *account =
			(const struct sysprof_account_record *)record;

		spt_recorder_put_account(recorder, record->time, record->cpu, &account->account);
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
	case SPT_TRACE_HIT:
		spt_recorder_take_hit(recorder, (const SptTraceHit *)record);
		break;
	default:
		if (recorder->waits)
			spt_waits_take(recorder, record);
	}
}

static G_GNUC_NO_INLINE void intake_flush(SptRecorder *recorder)
{
	spt_output_flush(recorder->output, spt_clock_ns(CLOCK_MONOTONIC), &recorder->failure);
}

void spt_recorder_begin_intake(SptRecorder *recorder)
{
	recorder->sources = spt_trace_events(recorder->trace, &recorder->n_sources);
	recorder->once = spt_trace_once(recorder->trace);
	recorder->cpus = g_new0(struct cpu, recorder->n_cpus);
	for (unsigned cpu = 0; cpu < recorder->n_cpus; cpu++)
		recorder->cpus[cpu].account_time = UINT64_MAX;
}

void spt_recorder_take(const struct sysprof_record *record, void *data)
{
	SptRecorder *recorder = data;

	if (record->cpu >= recorder->n_cpus || recorder->failure)
		return;
	if (recorder->in_snapshot)
		recorder->has_seen = true;
	else if (recorder->has_seen)
		recorder->has_seen = spt_tasks_pass(recorder->tasks, record->time);
	if (record->type == SYSPROF_SAMPLE)
		intake_take_sample(recorder, (const struct sysprof_sample *)record);
	else if (record->type == SYSPROF_EVENT && recorder->waits)
		spt_events_take(recorder, (const struct sysprof_event *)record);
	else
		intake_take_other(recorder, record);
	/* No matter how much is in the rings, the limit of memory always holds. */
	if (spt_output_is_full(recorder->output))
		intake_flush(recorder);
}

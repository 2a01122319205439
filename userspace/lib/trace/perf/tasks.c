/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two tables, by pid and by tid, fed in order of time.  A snapshot meets the records of the time in
 * which it was taken: facts that it has reported must not be reported again as new ones.
 */
#include "trace/perf/tasks.h"

#include <string.h>

/*
 * Start times of one process by /proc and by its fork record differ by less; pids are not used
 * again that fast.
 */
#define SAME_START_NS 500000000ULL

/* Processes that were looked for lately, by pid. */
#define RECENT_PROCESSES 1024

/* The pid in samples of a task that is no longer listed under its id. */
#define PID_NONE UINT32_MAX

struct thread {
	uint32_t tid, pid;
	char name[SYSPROF_COMM_BYTES];
	bool is_exiting;
};

struct pending_exit {
	struct spt_perf_who who;
	bool is_last;
};

struct SptPerfTasks {
	GHashTable *processes;		/* pid -> struct spt_perf_process */
	struct spt_perf_process *recent[RECENT_PROCESSES];	/* of @processes; NULL: none */
	GHashTable *threads;		/* tid -> struct thread */
	GQueue exits;			/* struct pending_exit, by time */
	uint64_t n_mms;
	unsigned snapshot;
};

SptPerfTasks *spt_perf_tasks_new(void)
{
	SptPerfTasks *tasks = g_new0(SptPerfTasks, 1);

	tasks->processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	tasks->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_queue_init(&tasks->exits);
	return tasks;
}

void spt_perf_tasks_free(SptPerfTasks *tasks)
{
	if (!tasks)
		return;
	g_queue_clear_full(&tasks->exits, g_free);
	g_hash_table_unref(tasks->threads);
	g_hash_table_unref(tasks->processes);
	g_free(tasks);
}

static void tasks_put(const struct spt_perf_sink *sink, unsigned type, unsigned flags,
		      const struct spt_perf_who *who, struct sysprof_task task, const char *name)
{
	task.record = spt_perf_record(type, flags, sizeof(task), who);
	g_strlcpy(task.comm, name, sizeof(task.comm));
	sink->func(&task.record, sink->data);
}

static struct spt_perf_process *perf_tasks_find_process(SptPerfTasks *tasks, uint32_t pid)
{
	struct spt_perf_process **recent = &tasks->recent[pid % RECENT_PROCESSES];

	if (!*recent || (*recent)->pid != pid)
		*recent = g_hash_table_lookup(tasks->processes, GUINT_TO_POINTER(pid));
	return *recent;
}

static struct thread *perf_tasks_find_thread(SptPerfTasks *tasks, uint32_t tid)
{
	return g_hash_table_lookup(tasks->threads, GUINT_TO_POINTER(tid));
}

static struct spt_perf_process *tasks_add_process(SptPerfTasks *tasks, uint32_t pid,
						  uint64_t start_time, bool is_kthread)
{
	struct spt_perf_process *process = g_new0(struct spt_perf_process, 1);

	process->pid = pid;
	process->mm = is_kthread ? 0 : ++tasks->n_mms;
	process->start_time = start_time;
	process->is_kthread = is_kthread;
	process->snapshot = tasks->snapshot;
	tasks->recent[pid % RECENT_PROCESSES] = process;
	g_hash_table_insert(tasks->processes, GUINT_TO_POINTER(pid), process);
	return process;
}

/* Notes that @tid lives, as a thread of @process. */
static void tasks_add_thread(SptPerfTasks *tasks, struct spt_perf_process *process, uint32_t tid,
			     const char *name)
{
	struct thread *thread = perf_tasks_find_thread(tasks, tid);

	if (!thread || thread->pid != process->pid || thread->is_exiting) {
		thread = g_new0(struct thread, 1);
		thread->tid = tid;
		thread->pid = process->pid;
		g_hash_table_insert(tasks->threads, GUINT_TO_POINTER(tid), thread);
		process->n_threads++;
	}
	g_strlcpy(thread->name, name, sizeof(thread->name));
	if (tid == process->pid)
		g_strlcpy(process->name, name, sizeof(process->name));
}

struct spt_perf_process *spt_perf_tasks_get(SptPerfTasks *tasks, const struct spt_perf_who *who,
					    const struct spt_perf_sink *sink)
{
	struct spt_perf_process *process = perf_tasks_find_process(tasks, who->pid);

	if (process)
		return process;
	process = tasks_add_process(tasks, who->pid, who->time, who->pid == PID_NONE);
	if (who->pid == PID_NONE)
		tasks_put(sink, SYSPROF_TASK, 0, who,
			  (struct sysprof_task){ .start_time = who->time }, "[exiting]");
	return process;
}

static void put_exit(SptPerfTasks *tasks, const struct pending_exit *exit,
		     const struct spt_perf_sink *sink)
{
	struct thread *thread = perf_tasks_find_thread(tasks, exit->who.tid);

	tasks_put(sink, SYSPROF_EXIT, exit->is_last ? SYSPROF_EXIT_PROCESS : 0, &exit->who,
		  (struct sysprof_task){ 0 }, thread ? thread->name : "");
	if (thread && thread->is_exiting)
		g_hash_table_remove(tasks->threads, GUINT_TO_POINTER(exit->who.tid));
	if (!exit->is_last)
		return;
	tasks->recent[exit->who.pid % RECENT_PROCESSES] = NULL;
	g_hash_table_remove(tasks->processes, GUINT_TO_POINTER(exit->who.pid));
}

void spt_perf_tasks_flush_exits(SptPerfTasks *tasks, uint64_t before,
				const struct spt_perf_sink *sink)
{
	while (tasks->exits.head) {
		struct pending_exit *exit = tasks->exits.head->data;

		if (exit->who.time >= before)
			return;
		put_exit(tasks, exit, sink);
		g_free(g_queue_pop_head(&tasks->exits));
	}
}

/* Notes an exit to be reported later: @who has ended, and @n_threads remain. */
static void hold_exit(SptPerfTasks *tasks, struct spt_perf_process *process,
		      const struct spt_perf_who *who, unsigned n_threads)
{
	struct pending_exit *exit = g_new0(struct pending_exit, 1);

	process->n_threads = n_threads;
	exit->who = *who;
	exit->is_last = !n_threads;
	g_queue_push_tail(&tasks->exits, exit);
}

void spt_perf_tasks_exit(SptPerfTasks *tasks, const struct spt_perf_who *who)
{
	struct spt_perf_process *process = perf_tasks_find_process(tasks, who->pid);
	struct thread *thread = perf_tasks_find_thread(tasks, who->tid);

	if (!process || !thread || thread->is_exiting || thread->pid != who->pid)
		return;
	thread->is_exiting = true;
	hold_exit(tasks, process, who, process->n_threads ? process->n_threads - 1 : 0);
}

/* The process has exited, and that was not reported. */
static void perf_tasks_end_process(SptPerfTasks *tasks, struct spt_perf_process *process,
				   uint64_t time, const struct spt_perf_sink *sink)
{
	struct pending_exit exit = {
		.who = { .time = time, .pid = process->pid, .tid = process->pid },
		.is_last = true,
	};

	g_hash_table_remove(tasks->threads, GUINT_TO_POINTER(process->pid));
	put_exit(tasks, &exit, sink);
}

/* The process of a task that begins at @start_time: an older one with its pid has ended. */
static struct spt_perf_process *tasks_find_same(SptPerfTasks *tasks, uint32_t pid,
						uint64_t start_time, uint64_t time,
						const struct spt_perf_sink *sink)
{
	struct spt_perf_process *process = perf_tasks_find_process(tasks, pid);

	if (!process || process->start_time + SAME_START_NS >= start_time)
		return process;
	perf_tasks_end_process(tasks, process, time, sink);
	return NULL;
}

void spt_perf_tasks_lose_maps(SptPerfTasks *tasks)
{
	GHashTableIter iter;
	void *process;

	g_hash_table_iter_init(&iter, tasks->processes);
	while (g_hash_table_iter_next(&iter, NULL, &process))
		((struct spt_perf_process *)process)->has_maps = false;
}

void spt_perf_tasks_fork(SptPerfTasks *tasks, const struct spt_perf_who *who, uint32_t parent_pid,
			 uint32_t parent_tid, const struct spt_perf_sink *sink)
{
	struct spt_perf_who whose = {
		.time = who->time, .cpu = who->cpu, .pid = parent_pid, .tid = parent_tid
	};
	bool is_thread = who->pid == parent_pid;
	struct spt_perf_process *parent, *process;
	struct thread *thread = perf_tasks_find_thread(tasks, who->tid),
		      *forker = perf_tasks_find_thread(tasks, parent_tid);
	char name[SYSPROF_COMM_BYTES] = "";
	unsigned flags;

	if (forker)
		memcpy(name, forker->name, sizeof(name));
	if (thread && thread->is_exiting)
		spt_perf_tasks_flush_exits(tasks, UINT64_MAX, sink);
	parent = spt_perf_tasks_get(tasks, &whose, sink);
	process = is_thread ? parent : tasks_find_same(tasks, who->pid, who->time, who->time, sink);
	if (!process) {
		process = tasks_add_process(tasks, who->pid, who->time, parent->is_kthread);
		process->is_32bit = parent->is_32bit;
		process->has_maps = parent->has_maps;
	}
	thread = perf_tasks_find_thread(tasks, who->tid);
	if (!thread || thread->pid != who->pid)
		tasks_add_thread(tasks, process, who->tid, name);
	flags = (is_thread ? SYSPROF_FORK_THREAD : 0) |
		(process->is_kthread ? SYSPROF_TASK_KTHREAD : 0);
	tasks_put(sink, SYSPROF_FORK, flags, who,
		  (struct sysprof_task){
			  .mm = process->mm,
			  .parent_mm = parent->mm,
			  .start_time = is_thread ? who->time : process->start_time,
			  .parent_pid = parent_pid,
		  },
		  perf_tasks_find_thread(tasks, who->tid)->name);
}

/*
 * An exec by another thread than the main one takes over the main one's id, whose exit was reported
 * before.
 */
static void forget_exit(SptPerfTasks *tasks, uint32_t tid)
{
	for (GList *link = tasks->exits.head; link; link = link->next) {
		struct pending_exit *exit = link->data;

		if (exit->who.tid == tid) {
			g_free(exit);
			g_queue_delete_link(&tasks->exits, link);
			return;
		}
	}
}

void spt_perf_tasks_exec(SptPerfTasks *tasks, const struct spt_perf_who *who, const char *name,
			 const struct spt_perf_sink *sink)
{
	struct spt_perf_process *process = spt_perf_tasks_get(tasks, who, sink);
	struct thread *thread = perf_tasks_find_thread(tasks, who->tid);

	if (thread && thread->is_exiting)
		forget_exit(tasks, who->tid);
	tasks_add_thread(tasks, process, who->tid, name);
	process->n_threads = 1;
	process->mm = ++tasks->n_mms;
	process->is_fresh = process->has_maps = true;
	process->is_kthread = process->is_32bit = false;
	tasks_put(sink, SYSPROF_EXEC, 0, who,
		  (struct sysprof_task){ .mm = process->mm, .old_tid = who->tid }, name);
}

void spt_perf_tasks_rename(SptPerfTasks *tasks, const struct spt_perf_who *who, const char *name,
			   const struct spt_perf_sink *sink)
{
	struct spt_perf_process *process = spt_perf_tasks_get(tasks, who, sink);
	struct thread *thread = perf_tasks_find_thread(tasks, who->tid);

	if (!thread || !thread->is_exiting)
		tasks_add_thread(tasks, process, who->tid, name);
	tasks_put(sink, SYSPROF_COMM, 0, who, (struct sysprof_task){ .mm = process->mm }, name);
}

const char *spt_perf_tasks_name(SptPerfTasks *tasks, uint32_t tid)
{
	const struct thread *thread = perf_tasks_find_thread(tasks, tid);

	return thread ? thread->name : NULL;
}

void spt_perf_tasks_begin_snapshot(SptPerfTasks *tasks)
{
	tasks->snapshot++;
}

struct spt_perf_process *spt_perf_tasks_seen(SptPerfTasks *tasks, const struct spt_perf_who *who,
					     uint32_t parent_pid, uint64_t start_time,
					     bool is_kthread, const char *name,
					     const struct spt_perf_sink *sink)
{
	bool is_main = who->pid == who->tid;
	struct spt_perf_process *process =
		is_main ? tasks_find_same(tasks, who->pid, start_time, who->time, sink) :
			  perf_tasks_find_process(tasks, who->pid);
	/* One of an earlier process with this number has ended by now. */
	struct thread *thread = perf_tasks_find_thread(tasks, who->tid);

	if (!process)
		process = tasks_add_process(tasks, who->pid, start_time, is_kthread);
	/* A new name that no record reported: it may be another program. */
	if (is_main && !is_kthread && process->name[0] &&
	    strncmp(process->name, name, sizeof(process->name) - 1)) {
		spt_perf_tasks_exec(tasks, who, name, sink);
		process->has_maps = false;
	}
	process->snapshot = tasks->snapshot;
	if (!thread || !thread->is_exiting)
		tasks_add_thread(tasks, process, who->tid, name);
	tasks_put(sink, SYSPROF_TASK, is_kthread ? SYSPROF_TASK_KTHREAD : 0, who,
		  (struct sysprof_task){
			  .mm = process->mm,
			  .start_time = start_time,
			  .parent_pid = parent_pid,
		  },
		  name);
	return process;
}

struct spt_perf_process *spt_perf_tasks_lives(SptPerfTasks *tasks, uint32_t pid)
{
	struct spt_perf_process *process = perf_tasks_find_process(tasks, pid);

	if (process)
		process->snapshot = tasks->snapshot;
	return process;
}

void spt_perf_tasks_end_snapshot(SptPerfTasks *tasks, uint64_t before)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, tasks->processes);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct spt_perf_process *process = value;

		/* Processes without a thread wait until their exit is reported. */
		if (process->snapshot != tasks->snapshot && process->start_time < before &&
		    process->n_threads)
			hold_exit(tasks, process, &(struct spt_perf_who){
				.time = before, .pid = process->pid, .tid = process->pid }, 0);
	}
}

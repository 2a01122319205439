/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An exec shows in three records: COMM with the new name, then the first maps, then EXEC.  All
 * carry the new mm, and so may a sample in between: the first record with an unknown mm for a
 * process begins its next image.
 */
#include "process/tasks.h"

#include <string.h>

#include "base/words.h"

#define RECENT_THREADS 1024
/* That have ended, and may still be sampled while the kernel takes them apart. */
#define ENDED_THREADS 64
/* A new thread has the name of the one that made it until it gives itself its own. */
#define LEAST_NAMED_NS 10000000
/* Of a thread's former names: some programs name a thread by each task that it is given. */
#define FORMER_BYTES 256

/* Facts of a snapshot about a known thread. */
struct seen {
	uint32_t pid, tid;
	uint64_t mm, time;
	char *name;
};

struct SptTasks {
	SptTasksListener listener;
	GHashTable *processes;		/* pid -> SptProcess, the living image */
	GHashTable *threads;		/* tid -> SptThread */
	GHashTable *users;		/* mm -> number of processes in it */
	SptThread *recent[RECENT_THREADS]; /* sampled lately, by tid; NULL or of @threads */
	/* By tid; each has a process of its own, a copy without threads.  NULL: none */
	SptThread *ended[ENDED_THREADS];
	GArray *seen;			/* by time: those from @n_passed on are in the future */
	guint n_passed;
	uint32_t n_processes, n_threads;
	unsigned n_wanted;		/* of living processes */
};

static void seen_clear(void *data)
{
	g_free(((struct seen *)data)->name);
}

static void tasks_process_free(void *data)
{
	SptProcess *process = data;

	g_free(process->name);
	g_free(process);
}

static void tasks_thread_free(void *data)
{
	SptThread *thread = data;

	g_free(thread->name);
	g_free(thread->former);
	g_free(thread);
}

SptTasks *spt_tasks_new(const SptTasksListener *listener)
{
	SptTasks *tasks = g_new0(SptTasks, 1);

	tasks->listener = *listener;
	tasks->processes = g_hash_table_new_full(NULL, NULL, NULL, tasks_process_free);
	tasks->threads = g_hash_table_new_full(NULL, NULL, NULL, tasks_thread_free);
	tasks->users = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	tasks->seen = g_array_new(FALSE, FALSE, sizeof(struct seen));
	g_array_set_clear_func(tasks->seen, seen_clear);
	return tasks;
}

static void tasks_forget_ended(SptTasks *tasks, uint32_t tid)
{
	SptThread *ended = tasks->ended[tid % ENDED_THREADS];

	tasks->ended[tid % ENDED_THREADS] = NULL;
	if (!ended)
		return;
	tasks_process_free(ended->process);
	tasks_thread_free(ended);
}

/* An exit is reported when it begins: the thread runs on for a while. */
static void tasks_keep_ended(SptTasks *tasks, const SptThread *thread)
{
	SptThread *ended = g_memdup2(thread, sizeof(*thread));

	ended->name = g_strdup(thread->name);
	ended->former = NULL;
	ended->process = g_memdup2(thread->process, sizeof(*thread->process));
	ended->process->name = g_strdup(thread->process->name);
	g_queue_init(&ended->process->threads);
	tasks_forget_ended(tasks, thread->tid);
	tasks->ended[thread->tid % ENDED_THREADS] = ended;
}

/* The one of a sample of no living thread; NULL: it is not known, or has another address space. */
static SptThread *tasks_find_ended(const SptTasks *tasks, uint32_t pid, uint32_t tid, uint64_t mm)
{
	SptThread *ended = tasks->ended[tid % ENDED_THREADS];

	return ended && ended->tid == tid && ended->process->pid == pid &&
	       (!mm || ended->process->mm == mm) ? ended : NULL;
}

void spt_tasks_free(SptTasks *tasks)
{
	if (!tasks)
		return;
	for (unsigned i = 0; i < ENDED_THREADS; i++)
		tasks_forget_ended(tasks, i);
	g_hash_table_unref(tasks->threads);
	g_hash_table_unref(tasks->processes);
	g_hash_table_unref(tasks->users);
	g_array_unref(tasks->seen);
	g_free(tasks);
}

static SptProcess *tasks_find_process(const SptTasks *tasks, uint32_t pid)
{
	return g_hash_table_lookup(tasks->processes, GUINT_TO_POINTER(pid));
}

static SptThread *tasks_find_thread(const SptTasks *tasks, uint32_t tid)
{
	SptThread *recent = tasks->recent[tid % RECENT_THREADS];

	return recent && recent->tid == tid ?
		       recent : g_hash_table_lookup(tasks->threads, GUINT_TO_POINTER(tid));
}

static void use_space(SptTasks *tasks, uint64_t mm)
{
	unsigned users = GPOINTER_TO_UINT(g_hash_table_lookup(tasks->users, &mm));

	if (mm)
		g_hash_table_insert(tasks->users, g_memdup2(&mm, sizeof(mm)),
				    GUINT_TO_POINTER(users + 1));
}

static void leave_space(SptTasks *tasks, uint64_t mm)
{
	unsigned users = GPOINTER_TO_UINT(g_hash_table_lookup(tasks->users, &mm));

	if (users > 1) {
		g_hash_table_insert(tasks->users, g_memdup2(&mm, sizeof(mm)),
				    GUINT_TO_POINTER(users - 1));
	} else if (users) {
		g_hash_table_remove(tasks->users, &mm);
		tasks->listener.space_gone(mm, tasks->listener.data);
	}
}

static void tell_process(SptTasks *tasks, const SptProcess *process)
{
	tasks->listener.process(process, tasks->listener.data);
}

static void tell_thread(SptTasks *tasks, const SptThread *thread)
{
	tasks->listener.thread(thread, tasks->listener.data);
}

static void tasks_end_thread(SptTasks *tasks, SptThread *thread, uint64_t time)
{
	thread->end_time = time;
	tell_thread(tasks, thread);
	if (tasks->recent[thread->tid % RECENT_THREADS] == thread)
		tasks->recent[thread->tid % RECENT_THREADS] = NULL;
	g_queue_unlink(&thread->process->threads, &thread->link);
	g_hash_table_remove(tasks->threads, GUINT_TO_POINTER(thread->tid));
}

static void tasks_end_process(SptTasks *tasks, SptProcess *process, uint64_t time)
{
	while (process->threads.head)
		tasks_end_thread(tasks, process->threads.head->data, time);
	process->end_time = time;
	tell_process(tasks, process);
	leave_space(tasks, process->mm);
	tasks->n_wanted -= process->is_wanted;
	g_hash_table_remove(tasks->processes, GUINT_TO_POINTER(process->pid));
}

/* Inherits facts from the image before or the parent. */
struct marks {
	bool is_wanted, is_measured;
};

static struct marks marks_of(const SptProcess *process)
{
	return process ? (struct marks){ process->is_wanted, process->is_measured } :
			 (struct marks){ 0 };
}

static SptProcess *begin_process(SptTasks *tasks, uint32_t pid, uint32_t parent, uint64_t mm,
				 uint64_t time, bool is_kthread, struct marks marks,
				 const char *name)
{
	SptProcess *process = g_new0(SptProcess, 1);

	process->id = ++tasks->n_processes;
	process->pid = pid;
	process->parent = parent;
	process->is_kthread = is_kthread;
	process->is_wanted = marks.is_wanted;
	process->is_measured = marks.is_measured;
	tasks->n_wanted += marks.is_wanted;
	process->mm = mm;
	process->start_time = time;
	process->name = g_strdup(name);
	g_queue_init(&process->threads);
	use_space(tasks, mm);
	g_hash_table_insert(tasks->processes, GUINT_TO_POINTER(pid), process);
	tell_process(tasks, process);
	return process;
}

static SptThread *begin_thread(SptTasks *tasks, SptProcess *process, uint32_t tid, uint64_t time,
			       const char *name)
{
	SptThread *thread = tasks_find_thread(tasks, tid);

	if (thread)
		tasks_end_thread(tasks, thread, time);
	thread = g_new0(SptThread, 1);
	thread->id = ++tasks->n_threads;
	thread->tid = tid;
	thread->process = process;
	thread->start_time = time;
	thread->name = g_strdup(name);
	thread->name_time = time;
	thread->link.data = thread;
	g_queue_push_tail_link(&process->threads, &thread->link);
	g_hash_table_insert(tasks->threads, GUINT_TO_POINTER(tid), thread);
	tell_thread(tasks, thread);
	return thread;
}

/*
 * The image after an exec: the process's only thread continues under the process's own id.  @name
 * may be the old image's.
 */
static SptProcess *next_image(SptTasks *tasks, SptProcess *process, uint64_t mm, uint64_t time,
			      const char *name)
{
	uint32_t pid = process->pid, parent = process->id;
	struct marks marks = marks_of(process);
	g_autofree char *own_name = g_strdup(name);

	tasks_end_process(tasks, process, time);
	process = begin_process(tasks, pid, parent, mm, time, false, marks, own_name);
	begin_thread(tasks, process, pid, time, own_name);
	return process;
}

static bool is_same_image(const SptProcess *process, uint64_t mm)
{
	return !mm || !process->mm || process->mm == mm;
}

static void rename_process(SptTasks *tasks, SptProcess *process, const char *name)
{
	if (!strcmp(process->name, name))
		return;
	g_free(process->name);
	process->name = g_strdup(name);
	tell_process(tasks, process);
}

/* Whether the name is one that people may ask for, now that it ends at @time. */
static bool was_named(const SptThread *thread, uint64_t time)
{
	return thread->name_time < time && time - thread->name_time >= LEAST_NAMED_NS &&
	       *thread->name && !strchr(thread->name, '\n') &&
	       !(thread->former && spt_lines_have(thread->former, thread->name));
}

static void tasks_keep_name(SptThread *thread, uint64_t time)
{
	g_autofree char *before = thread->former;

	if (!was_named(thread, time) ||
	    (before && strlen(before) + strlen(thread->name) >= FORMER_BYTES))
		thread->former = g_steal_pointer(&before);
	else
		thread->former = g_strconcat(before ? before : "", thread->name, "\n", NULL);
}

static void rename_thread(SptTasks *tasks, SptThread *thread, uint64_t time, const char *name)
{
	if (!strcmp(thread->name, name))
		return;
	tasks_keep_name(thread, time);
	g_free(thread->name);
	thread->name = g_strdup(name);
	thread->name_time = time;
	tell_thread(tasks, thread);
}

/* Sets facts of the process and the thread that are not known yet. */
static void meet(SptTasks *tasks, uint32_t pid, uint32_t tid, uint32_t parent_pid, uint64_t mm,
		 uint64_t start_time, bool is_kthread, const char *name)
{
	SptProcess *parent = tasks_find_process(tasks, parent_pid),
		   *process = tasks_find_process(tasks, pid);

	if (!process)
		process = begin_process(tasks, pid, parent ? parent->id : 0, mm, start_time,
					is_kthread, marks_of(parent), name);
	if (!tasks_find_thread(tasks, tid))
		begin_thread(tasks, process, tid, start_time, name);
}

void spt_tasks_fork(SptTasks *tasks, uint32_t pid, uint32_t tid, uint32_t parent_pid, uint64_t mm,
		    uint64_t start_time, bool is_kthread, const char *name)
{
	SptProcess *process = tasks_find_process(tasks, pid);

	/* A snapshot may have been faster; and a reused pid is another process. */
	if (process && pid == tid && process->start_time < start_time)
		tasks_end_process(tasks, process, start_time);
	meet(tasks, pid, tid, parent_pid, mm, start_time, is_kthread, name);
}

void spt_tasks_exec(SptTasks *tasks, uint32_t pid, uint32_t old_tid, uint64_t mm, uint64_t time,
		    const char *name)
{
	SptProcess *process = tasks_find_process(tasks, pid);
	SptThread *thread;

	if (!process) {
		meet(tasks, pid, pid, 0, mm, time, false, name);
		return;
	}
	if (process->mm != mm)
		process = next_image(tasks, process, mm, time, name);
	rename_process(tasks, process, name);
	thread = tasks_find_thread(tasks, pid);
	if (thread)
		rename_thread(tasks, thread, time, name);
	thread = tasks_find_thread(tasks, old_tid);
	if (thread && old_tid != pid && thread->process == process)
		tasks_end_thread(tasks, thread, time);
}

void spt_tasks_rename(SptTasks *tasks, uint32_t pid, uint32_t tid, uint64_t mm, uint64_t time,
		      const char *name)
{
	SptProcess *process = tasks_find_process(tasks, pid);
	SptThread *thread;

	if (!process) {
		meet(tasks, pid, tid, 0, mm, time, false, name);
		return;
	}
	if (!is_same_image(process, mm)) {
		next_image(tasks, process, mm, time, name);
		return;
	}
	if (pid == tid)
		rename_process(tasks, process, name);
	thread = tasks_find_thread(tasks, tid);
	if (thread)
		rename_thread(tasks, thread, time, name);
}

void spt_tasks_seen(SptTasks *tasks, uint32_t pid, uint32_t tid, uint32_t parent_pid, uint64_t mm,
		    uint64_t start_time, uint64_t time, bool is_kthread, const char *name)
{
	if (!tasks_find_process(tasks, pid) || !tasks_find_thread(tasks, tid))
		meet(tasks, pid, tid, parent_pid, mm, start_time, is_kthread, name);
	else
		g_array_append_val(tasks->seen,
				   ((struct seen){ pid, tid, mm, time, g_strdup(name) }));
}

bool spt_tasks_pass(SptTasks *tasks, uint64_t time)
{
	const struct seen *seen = &g_array_index(tasks->seen, struct seen, tasks->n_passed);

	if (!tasks->seen->len)
		return false;
	for (; tasks->n_passed < tasks->seen->len && seen->time <= time; seen++, tasks->n_passed++)
		if (tasks_find_process(tasks, seen->pid) && tasks_find_thread(tasks, seen->tid))
			spt_tasks_rename(tasks, seen->pid, seen->tid, seen->mm, seen->time,
					 seen->name);
	if (tasks->n_passed < tasks->seen->len)
		return true;
	g_array_set_size(tasks->seen, 0);
	tasks->n_passed = 0;
	return false;
}

void spt_tasks_exit(SptTasks *tasks, uint32_t pid, uint32_t tid, uint64_t time, bool is_last)
{
	SptProcess *process = tasks_find_process(tasks, pid);
	SptThread *thread = tasks_find_thread(tasks, tid);

	if (thread && process && thread->process == process)
		tasks_keep_ended(tasks, thread);
	if (process && is_last)
		tasks_end_process(tasks, process, time);
	else if (thread)
		tasks_end_thread(tasks, thread, time);
}

/* Not inline: most threads were sampled lately. */
static G_GNUC_NO_INLINE SptThread *tasks_look_up(SptTasks *tasks, uint32_t pid, uint32_t tid,
						 uint64_t mm, uint64_t time)
{
	SptProcess *process = tasks_find_process(tasks, pid);
	bool is_guess = !process || !is_same_image(process, mm);
	SptThread *thread = tasks_find_thread(tasks, tid);

	if (!thread) {
		thread = tasks_find_ended(tasks, pid, tid, mm);
		if (thread)
			return thread;
	}
	if (process && is_guess)
		process = next_image(tasks, process, mm, time, process->name);
	if (!process) {
		g_autofree char *name = pid ? g_strdup_printf("pid %u", pid) : g_strdup("[idle]");

		process = begin_process(tasks, pid, 0, mm, time, !pid, marks_of(NULL), name);
	}
	thread = tasks_find_thread(tasks, tid);
	if (!thread || thread->process != process) {
		thread = begin_thread(tasks, process, tid, time, process->name);
		is_guess = true;
	}
	if (is_guess)
		thread->name_time = UINT64_MAX;
	tasks->recent[tid % RECENT_THREADS] = thread;
	return thread;
}

const SptThread *spt_tasks_sampled(SptTasks *tasks, uint32_t pid, uint32_t tid, uint64_t mm,
				   uint64_t time)
{
	const SptThread *recent = tasks->recent[tid % RECENT_THREADS];

	if (recent && recent->tid == tid && recent->process->pid == pid &&
	    is_same_image(recent->process, mm))
		return recent;
	return tasks_look_up(tasks, pid, tid, mm, time);
}

const SptThread *spt_tasks_find(const SptTasks *tasks, uint32_t tid)
{
	return tasks_find_thread(tasks, tid);
}

bool spt_tasks_want(SptTasks *tasks, uint32_t pid)
{
	SptProcess *process = tasks_find_process(tasks, pid);

	if (process && !process->is_wanted) {
		process->is_wanted = true;
		tasks->n_wanted++;
	}
	return process;
}

const SptProcess *spt_tasks_measure(SptTasks *tasks, uint32_t pid)
{
	SptProcess *process = tasks_find_process(tasks, pid);

	if (process)
		process->is_measured = true;
	return process;
}

bool spt_tasks_has_wanted(const SptTasks *tasks)
{
	return tasks->n_wanted > 0;
}

bool spt_tasks_use_space(const SptTasks *tasks, uint64_t mm)
{
	return g_hash_table_contains(tasks->users, &mm);
}

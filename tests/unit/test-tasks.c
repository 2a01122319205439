/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes and threads when records of them were lost: what samples and snapshots still say. */
#include "process/tasks.h"

#include <string.h>

#define PID 40

/* The last report of each image and thread, by id. */
struct told {
	GPtrArray *processes, *threads;	/* names */
	unsigned ended;
};

static void set(GPtrArray *names, uint32_t id, const char *name)
{
	if (names->len <= id)
		g_ptr_array_set_size(names, id + 1);
	g_free(names->pdata[id]);
	names->pdata[id] = g_strdup(name);
}

static void on_process(const SptProcess *process, void *data)
{
	struct told *told = data;

	set(told->processes, process->id, process->name);
	told->ended += process->end_time != 0;
}

static void on_thread(const SptThread *thread, void *data)
{
	set(((struct told *)data)->threads, thread->id, thread->name);
}

static void on_space_gone(uint64_t mm, void *data)
{
	(void)mm;
	(void)data;
}

static SptTasks *set_up(struct told *told)
{
	*told = (struct told){ g_ptr_array_new_with_free_func(g_free),
			       g_ptr_array_new_with_free_func(g_free), 0 };
	return spt_tasks_new(&(SptTasksListener){ .process = on_process,
						  .thread = on_thread,
						  .space_gone = on_space_gone,
						  .data = told });
}

static void tear_down(struct told *told)
{
	g_ptr_array_unref(told->processes);
	g_ptr_array_unref(told->threads);
}

/*
 * Of a shell's child that executes something nothing is reported but a sample in its new address
 * space, and later a snapshot.
 */
static void test_lost_exec(void)
{
	struct told told;
	g_autoptr(SptTasks) tasks = set_up(&told);
	const SptThread *thread;

	spt_tasks_fork(tasks, PID, PID, 1, 7, 1000, false, "shell");
	thread = spt_tasks_sampled(tasks, PID, PID, 8, 2000);
	g_assert_cmpstr(thread->name, ==, "shell");
	g_assert_cmpstr(thread->process->name, ==, "shell");
	g_assert_cmpuint(thread->process->id, ==, 2);
	g_assert_cmpuint(told.ended, ==, 1);
	spt_tasks_seen(tasks, PID, PID, 1, 8, 1000, 3000, false, "program");
	spt_tasks_pass(tasks, 3000);
	g_assert_true(spt_tasks_sampled(tasks, PID, PID, 8, 4000)->process == thread->process);
	g_assert_cmpstr(told.processes->pdata[1], ==, "shell");
	g_assert_cmpstr(told.processes->pdata[2], ==, "program");
	g_assert_cmpstr(told.threads->pdata[2], ==, "program");
	tear_down(&told);
}

/*
 * The same, and the snapshot comes first: what happened before it is reported behind it, and is not
 * its business.
 */
static void test_seen_first(void)
{
	struct told told;
	g_autoptr(SptTasks) tasks = set_up(&told);

	spt_tasks_fork(tasks, PID, PID, 1, 7, 1000, false, "shell");
	spt_tasks_seen(tasks, PID, PID, 1, 8, 1000, 3000, false, "program");
	spt_tasks_pass(tasks, 2000);
	g_assert_cmpstr(spt_tasks_sampled(tasks, PID, PID, 7, 2000)->name, ==, "shell");
	g_assert_cmpuint(told.ended, ==, 0);
	spt_tasks_pass(tasks, 3500);
	g_assert_cmpuint(told.ended, ==, 1);
	g_assert_cmpstr(told.processes->pdata[1], ==, "shell");
	g_assert_cmpstr(told.processes->pdata[2], ==, "program");
	/* A thread whose end was reported meanwhile does not come back. */
	spt_tasks_seen(tasks, PID, PID, 1, 8, 1000, 4000, false, "program");
	spt_tasks_exit(tasks, PID, PID, 3900, true);
	spt_tasks_pass(tasks, 5000);
	g_assert_cmpuint(told.processes->len, ==, 3);
	tear_down(&told);
}

/*
 * What a snapshot was faster than changes nothing; a thread's name is its own; a pid that was used
 * again is another process.
 */
static void test_names(void)
{
	struct told told;
	g_autoptr(SptTasks) tasks = set_up(&told);

	spt_tasks_seen(tasks, PID, PID, 1, 8, 1000, 3000, false, "program");
	spt_tasks_fork(tasks, PID, PID, 1, 8, 1000, false, "shell");
	g_assert_cmpstr(spt_tasks_sampled(tasks, PID, PID, 8, 4000)->name, ==, "program");
	spt_tasks_fork(tasks, PID, PID + 1, 1, 8, 3500, false, "program");
	spt_tasks_seen(tasks, PID, PID + 1, 1, 8, 3500, 4000, false, "worker");
	spt_tasks_pass(tasks, 4500);
	g_assert_cmpstr(spt_tasks_sampled(tasks, PID, PID + 1, 8, 4500)->name, ==, "worker");
	g_assert_cmpstr(told.processes->pdata[1], ==, "program");
	spt_tasks_fork(tasks, PID, PID, 1, 9, 5000, false, "other");
	g_assert_cmpuint(told.ended, ==, 1);
	g_assert_cmpstr(told.processes->pdata[2], ==, "other");
	tear_down(&told);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tasks/lost-exec", test_lost_exec);
	g_test_add_func("/tasks/seen-first", test_seen_first);
	g_test_add_func("/tasks/names", test_names);
	return g_test_run();
}

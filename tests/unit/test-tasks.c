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

#define SECOND 1000000000ull

/* A filter finds a thread by each name that it had for a while, however often it had it. */
static void test_former_names(void)
{
	struct told told;
	g_autoptr(SptTasks) tasks = set_up(&told);
	const SptThread *thread;

	spt_tasks_fork(tasks, PID, PID, 1, 8, 1000, false, "program");
	spt_tasks_fork(tasks, PID, PID + 1, 1, 8, SECOND, false, "program");
	/* The name of the one that made it, for a moment. */
	spt_tasks_rename(tasks, PID, PID + 1, 8, SECOND + 5000000, "idle");
	thread = spt_tasks_find(tasks, PID + 1);
	g_assert_null(thread->former);
	for (uint64_t time = 2 * SECOND; time < 4 * SECOND; time += SECOND) {
		spt_tasks_rename(tasks, PID, PID + 1, 8, time, "parse");
		spt_tasks_rename(tasks, PID, PID + 1, 8, time + SECOND / 2, "idle");
	}
	g_assert_cmpstr(thread->name, ==, "idle");
	g_assert_cmpstr(thread->former, ==, "idle\nparse\n");
	g_assert_cmpstr(told.processes->pdata[1], ==, "program");
	for (unsigned i = 0; i < 100; i++) {
		g_autofree char *name = g_strdup_printf("request %u", i);

		spt_tasks_rename(tasks, PID, PID + 1, 8, (5 + i) * SECOND, name);
	}
	g_assert_cmpstr(thread->name, ==, "request 99");
	g_assert_cmpuint(strlen(thread->former), <=, 256);
	g_assert_true(g_str_has_prefix(thread->former, "idle\nparse\nrequest 0\n"));
	tear_down(&told);
}

/* The kernel takes a thread apart, and samples of that come behind its end. */
static void test_samples_after_exit(void)
{
	struct told told;
	g_autoptr(SptTasks) tasks = set_up(&told);
	uint32_t main_thread, other;

	spt_tasks_fork(tasks, PID, PID, 1, 8, 1000, false, "program");
	spt_tasks_fork(tasks, PID, PID + 1, 1, 8, 2000, false, "program");
	spt_tasks_rename(tasks, PID, PID + 1, 8, 3000, "worker");
	main_thread = spt_tasks_sampled(tasks, PID, PID, 8, 3500)->id;
	other = spt_tasks_sampled(tasks, PID, PID + 1, 8, 3500)->id;
	spt_tasks_exit(tasks, PID, PID + 1, 4000, false);
	g_assert_cmpuint(spt_tasks_sampled(tasks, PID, PID + 1, 8, 4100)->id, ==, other);
	g_assert_cmpuint(spt_tasks_sampled(tasks, PID, PID + 1, 0, 4200)->id, ==, other);
	spt_tasks_exit(tasks, PID, PID, 5000, true);
	g_assert_cmpuint(spt_tasks_sampled(tasks, PID, PID, 0, 5100)->id, ==, main_thread);
	g_assert_cmpstr(spt_tasks_sampled(tasks, PID, PID, 0, 5200)->process->name, ==, "program");
	g_assert_cmpuint(told.threads->len, ==, 3);
	/* Another one has the number. */
	spt_tasks_fork(tasks, PID, PID, 1, 9, 6000, false, "other");
	g_assert_cmpstr(spt_tasks_sampled(tasks, PID, PID, 9, 6100)->name, ==, "other");
	spt_tasks_exit(tasks, PID, PID, 7000, true);
	/* Its fork was lost. */
	g_assert_cmpstr(spt_tasks_sampled(tasks, PID, PID, 10, 8000)->name, ==, "pid 40");
	tear_down(&told);
}

/* What was made up for a thread that no record was of is no name that it had. */
static void test_guessed_names(void)
{
	struct told told;
	g_autoptr(SptTasks) tasks = set_up(&told);
	const SptThread *thread = spt_tasks_sampled(tasks, PID, PID + 1, 8, 1000);

	g_assert_cmpstr(thread->name, ==, "pid 40");
	spt_tasks_seen(tasks, PID, PID + 1, 1, 8, 1000, SECOND, false, "worker");
	spt_tasks_pass(tasks, SECOND);
	g_assert_cmpstr(thread->name, ==, "worker");
	g_assert_null(thread->former);
	spt_tasks_rename(tasks, PID, PID + 1, 8, 2 * SECOND, "drawer");
	g_assert_cmpstr(thread->former, ==, "worker\n");
	tear_down(&told);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tasks/lost-exec", test_lost_exec);
	g_test_add_func("/tasks/seen-first", test_seen_first);
	g_test_add_func("/tasks/names", test_names);
	g_test_add_func("/tasks/former-names", test_former_names);
	g_test_add_func("/tasks/guessed-names", test_guessed_names);
	g_test_add_func("/tasks/samples-after-exit", test_samples_after_exit);
	return g_test_run();
}

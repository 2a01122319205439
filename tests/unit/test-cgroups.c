/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control groups that a thread reads: whose they are, and that nobody waits for it. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "record/cgroups.h"

#define ENDED 4u			/* a process that ends before its group is read */
#define GONE  5u			/* one that is not there any more */
#define LAST  ENDED

static SptTasks *tasks;

static void ignore_process(G_GNUC_UNUSED const SptProcess *process, G_GNUC_UNUSED void *data)
{
}

static void ignore_thread(G_GNUC_UNUSED const SptThread *thread, G_GNUC_UNUSED void *data)
{
}

static void ignore_space(G_GNUC_UNUSED uint64_t mm, G_GNUC_UNUSED void *data)
{
}

static char *make_root(void)
{
	char *root = g_dir_make_tmp("spt-cgroups-XXXXXX", NULL);

	for (unsigned pid = 1; pid <= LAST; pid++) {
		g_autofree char *process = g_strdup_printf("%s/%u", root, pid),
				*path = g_build_filename(process, "cgroup", NULL),
				*text = g_strdup_printf("0::/unit%u.service\n", pid);

		g_mkdir(process, 0700);
		g_file_set_contents(path, text, -1, NULL);
	}
	return root;
}

static void remove_root(const char *root)
{
	for (unsigned pid = 1; pid <= LAST; pid++) {
		g_autofree char *process = g_strdup_printf("%s/%u", root, pid),
				*path = g_build_filename(process, "cgroup", NULL);

		g_unlink(path);
		g_rmdir(process);
	}
	g_rmdir(root);
}

/* The groups of the capture at @path, by pid. */
static GHashTable *groups_in(const char *path)
{
	GHashTable *groups = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_autoptr(SptCapture) capture = spt_capture_open(path, NULL);
	g_autoptr(GHashTable) by_id = spt_capture_cgroups(capture);

	for (uint32_t i = 1; i < capture->n_processes; i++) {
		const char *group = g_hash_table_lookup(by_id, GUINT_TO_POINTER(i));

		if (group)
			g_hash_table_insert(groups, GUINT_TO_POINTER(capture->processes[i].pid),
					    g_strdup(group));
	}
	return groups;
}

static void expect_all(SptCgroups *cgroups, SptOutput *output)
{
	for (unsigned pid = 1; pid <= GONE; pid++) {
		const SptThread *thread;

		spt_tasks_fork(tasks, pid, pid, 0, pid, pid, false, "program");
		thread = spt_tasks_find(tasks, pid);
		spt_output_put(output, SPT_ROW_PROCESS, &(SptProcessRow){
			.id = thread->process->id, .pid = pid, .name = "program" });
		spt_cgroups_expect(cgroups, thread->process);
		if (pid != ENDED)
			continue;
		thread->process->end_time = 1;
		spt_cgroups_stage.process(cgroups, thread->process);
	}
}

static void test_groups(void)
{
	const SptTasksListener listener = { ignore_process, ignore_thread, ignore_space, NULL };
	g_autofree char *root = make_root(), *path = g_build_filename(root, "out.capture", NULL),
			*written = NULL;
	SptOutput *output = spt_output_new(&(SptRecorderOptions){ .output = path }, NULL, NULL);
	SptCgroups *cgroups = spt_cgroups_new(output, root);
	g_autoptr(GHashTable) groups = NULL;

	g_assert_nonnull(output);
	tasks = spt_tasks_new(&listener);
	/* Nothing is expected, and nothing has come. */
	spt_cgroups_step(cgroups, tasks, 1);
	spt_cgroups_step(NULL, tasks, 1);
	expect_all(cgroups, output);
	spt_cgroups_step(cgroups, tasks, 20000);
	for (unsigned pid = 1; pid < ENDED; pid++)
		g_assert_cmpuint(spt_tasks_find(tasks, pid)->process->read_time, >, 0);
	g_assert_true(spt_output_finish(output, 1, &written, NULL));
	spt_cgroups_free(cgroups);
	spt_output_free(output);
	spt_tasks_free(tasks);
	groups = groups_in(path);
	g_assert_cmpuint(g_hash_table_size(groups), ==, ENDED - 1);
	for (unsigned pid = 1; pid < ENDED; pid++) {
		g_autofree char *unit = g_strdup_printf("/unit%u.service", pid);

		g_assert_cmpstr(g_hash_table_lookup(groups, GUINT_TO_POINTER(pid)), ==, unit);
	}
	g_unlink(path);
	remove_root(root);
}

/* Who is expected when it ends was handed over or not. */
static void test_end(void)
{
	g_autofree char *root = make_root(), *path = g_build_filename(root, "out.capture", NULL);
	SptOutput *output = spt_output_new(&(SptRecorderOptions){ .output = path }, NULL, NULL);
	SptCgroups *cgroups = spt_cgroups_new(output, root);
	SptProcess process = { .id = 1, .pid = 1 };

	spt_cgroups_expect(cgroups, &process);
	spt_cgroups_step(cgroups, NULL, 0);
	process = (SptProcess){ .id = 2, .pid = 2 };
	spt_cgroups_expect(cgroups, &process);
	spt_cgroups_free(cgroups);
	spt_output_free(output);
	g_unlink(path);
	remove_root(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cgroups/groups", test_groups);
	g_test_add_func("/cgroups/end", test_end);
	return g_test_run();
}

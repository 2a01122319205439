/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that is started, stopped, and looked at as the module does it. */
#ifndef CHAIN_PROGRAM_H
#define CHAIN_PROGRAM_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chain-names.h"
#include "chain-native.h"

/* Of Java's, the thread that is in a method all the time. */
#define JAVA_THREAD "spins\n"

static struct sysprof_sent sent;

static void program_start(struct program *program, char *const *command)
{
	int to[2], from[2];

	g_assert_true(!pipe2(to, O_CLOEXEC) && !pipe2(from, O_CLOEXEC));
	program->pid = fork();
	if (program->pid == 0) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		if (*program->root && (chroot(program->root) || chdir("/")))
			_exit(127);
		execvp(command[0], command);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	program->go = fdopen(to[1], "w");
	program->said = fdopen(from[0], "r");
	program->names = g_hash_table_new_full(NULL, NULL, NULL, named_free);
	program->lines = spt_script_lines_new();
	memset(&sent, 0, sizeof(sent));
	chain_user_pid = program->pid;
}

/* False: the file at @path of the program is no interpreter. */
static bool program_describe(struct program *program, const char *path, u64 start, u64 offset)
{
	const SptInterpreter *interpreter = spt_interpreter_of_path(path);
	g_autoptr(SptObject) file = spt_object_open(path, NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) chain = NULL;
	gsize bytes;
	const void *data;

	if (file && !interpreter)
		interpreter = spt_interpreter_in_file(file);
	chain = file && interpreter ? interpreter->describe(file, &error) : NULL;
	g_assert_no_error(error);
	if (!chain)
		return false;
	data = g_bytes_get_data(chain, &bytes);
	program->chain = g_malloc0(sizeof(*program->chain) + bytes);
	program->chain->bytes = (u32)bytes;
	memcpy(program->chain->data, data, bytes);
	g_assert_true(sysprof_chain_check(program->chain));
	/* What it finds can be remembered. */
	g_assert_cmpuint(program->chain->n_kept, <=, SYSPROF_CHAIN_KEPT);
	program->bias = start - offset - (u64)program->chain->address_minus_offset;
	program->title = spt_interpreter_title(interpreter, chain);
	program->path = g_strdup(path);
	return true;
}

static void program_find(struct program *program)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/maps", program->pid);
	FILE *maps = fopen(path, "re");
	char line[1024], name[512], rights[8];
	unsigned long start, offset;

	while (!program->chain && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%*x %7s %lx %*s %*s %511s", &start, rights, &offset, name) ==
			    4 &&
		    rights[2] == 'x')
			program_describe(program, name, start, offset);
	fclose(maps);
}

/* The thread that waits for what is written to it; 0: none does yet. */
static pid_t find_waiting(const struct program *program)
{
	g_autofree char *tasks = g_strdup_printf("/proc/%d/task", program->pid);
	g_autoptr(GDir) dir = g_dir_open(tasks, 0, NULL);
	const char *task;

	while (dir && (task = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(tasks, task, "syscall", NULL),
				*call = NULL;

		/* read() of the standard input */
		if (g_file_get_contents(path, &call, NULL, NULL) &&
		    g_str_has_prefix(call, "0 0x0 "))
			return atoi(task);
	}
	return 0;
}

/* The thread of Java in which it all happens; 0: it has not begun. */
static pid_t find_java(const struct program *program)
{
	g_autofree char *tasks = g_strdup_printf("/proc/%d/task", program->pid);
	g_autoptr(GDir) dir = g_dir_open(tasks, 0, NULL);
	const char *task;

	while (dir && (task = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(tasks, task, "comm", NULL), *name = NULL;

		if (g_file_get_contents(path, &name, NULL, NULL) && !strcmp(name, JAVA_THREAD))
			return atoi(task);
	}
	return 0;
}

/* Whether frames are looked for behind all code: the tables of files need not lead to them. */
static bool is_by_frames(const struct sysprof_program *chain)
{
	return chain->is_of_frames && !chain->has_registers;
}

/* Stops the thread that waits, or is in the script all the time, and returns it. */
static pid_t program_stop(struct program *program)
{
	struct user_regs_struct registers;
	pid_t thread;
	int status;

	thread = is_by_frames(program->chain) ? program->pid : 0;
	for (unsigned i = 0; !thread && i < 5000; i++) {
		thread = program->chain->is_of_steps ? find_java(program) : find_waiting(program);
		g_usleep(thread ? 0 : 1000);
	}
	g_assert_cmpint(thread, !=, 0);
	g_assert_false(ptrace(PTRACE_SEIZE, thread, NULL, NULL));
	g_assert_false(ptrace(PTRACE_INTERRUPT, thread, NULL, NULL));
	g_assert_cmpint(waitpid(thread, &status, __WALL), ==, thread);
	g_assert_false(ptrace(PTRACE_GETREGS, thread, NULL, &registers));
	chain_user_thread_pointer = registers.fs_base;
	return thread;
}

static void program_end(struct program *program)
{
	int status;

	fclose(program->go);
	fclose(program->said);
	waitpid(program->pid, &status, 0);
	g_hash_table_unref(program->names);
	spt_script_lines_free(program->lines);
	g_free(program->chain);
	g_free(program->title);
	g_free(program->path);
}

static void run_chain(const struct program *program, pid_t thread)
{
	struct user_regs_struct registers;
	g_autoptr(GArray) code = NULL;
	int status;

	if (!program->chain->is_of_frames && !program->chain->is_of_steps) {
		sysprof_chain_run(program->chain, program->bias, &script);
		return;
	}
	code = find_code(program);
	if (program->chain->has_registers) {
		run_by_registers(program, code, thread);
		return;
	}
	for (unsigned i = 0; i < 5000; i++) {
		g_assert_false(ptrace(PTRACE_GETREGS, thread, NULL, &registers));
		if (find_frames(code, &registers))
			break;
		g_assert_false(ptrace(PTRACE_CONT, thread, NULL, NULL));
		g_usleep(1000);
		g_assert_false(ptrace(PTRACE_INTERRUPT, thread, NULL, NULL));
		g_assert_cmpint(waitpid(thread, &status, __WALL), ==, thread);
	}
	if (program->chain->is_of_steps)
		run_steps(program, code, &registers);
	else
		sysprof_chain_run_frames(program->chain, program->bias, &script);
}

/* Its stack now: "function (file:line)", the innermost first. */
static GPtrArray *program_look(struct program *program)
{
	struct sysprof_session_cpu sc = { .sent = &sent, .ring = { .bytes = 65536 } };
	struct sysprof_stack stack = { .pid = (u32)program->pid };
	struct sysprof_user_part part = { .script = &script };
	GPtrArray *frames = g_ptr_array_new_with_free_func(g_free);
	pid_t thread;

	thread = program_stop(program);
	script.stack = &stack;
	script.program = program->chain;
	script.object = 7;
	script.mm = (u64)program->pid;
	run_chain(program, thread);
	sysprof_codes_number(&script);
	chain_user_records = g_ptr_array_new_with_free_func(g_free);
	for (unsigned i = 0; i < 16; i++) {
		stack.names_fuel = SYSPROF_CHAIN_FUEL;
		sysprof_codes_send(&sc, &stack, &part);
	}
	for (unsigned i = 0; i < chain_user_records->len; i++)
		program_name(program, chain_user_records->pdata[i]);
	g_ptr_array_unref(chain_user_records);
	for (unsigned i = 0; i < script.n; i++)
		if (!is_left_out(program, i))
			g_ptr_array_add(frames, program_say(program, &script.frame[i]));
	if (script.is_cut)
		g_ptr_array_add(frames, g_strdup("(cut)"));
	g_assert_false(ptrace(PTRACE_DETACH, thread, NULL, NULL));
	return frames;
}

#endif

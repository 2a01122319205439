/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The child is forked before the recording starts, and released when it runs. */
#include "record-child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "profile/command.h"

bool spt_child_check(char **command)
{
	const char *name = command[0];
	g_autofree char *program = g_find_program_in_path(name);
	bool is_path = strchr(name, '/');

	if (program)
		return true;
	if (!is_path)
		spt_cli_complain(
			"Cannot run %s: there is no such program in the directories of $PATH",
			name);
	else if (access(name, X_OK) < 0)
		spt_cli_complain("Cannot run %s: %s", name, g_strerror(errno));
	else
		spt_cli_complain("Cannot run %s: it is not a program", name);
	return false;
}

/* Names and values in turn, each with its nul, and a nul behind the last one. */
static void set_environment(const char *text, size_t bytes)
{
	const char *end = text + bytes, *value;

	for (; text < end && *text; text = value + strlen(value) + 1) {
		value = text + strlen(text) + 1;
		g_setenv(text, value, TRUE);
	}
}

bool spt_child_prepare(struct spt_child *child, char **command)
{
	int go[2], failed[2], number;

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0) {
		spt_cli_complain("Cannot run %s: %s", command[0], g_strerror(errno));
		return false;
	}
	child->pid = fork();
	if (child->pid == 0) {
		char text[PIPE_BUF + 2] = "";
		ssize_t bytes;

		prctl(PR_SET_PDEATHSIG, SIGTERM);
		close(go[1]);
		/*
		 * Receives its environment and then runs the command.  End of file: the recorder
		 * gave up.
		 */
		bytes = read(go[0], text, PIPE_BUF);
		if (bytes < 1)
			_exit(SPT_CHILD_CANNOT_RUN);
		prctl(PR_SET_PDEATHSIG, 0);
		set_environment(text, (size_t)bytes);
		execvp(command[0], command);
		number = errno;
		spt_cli_complain("Cannot run %s: %s", command[0], g_strerror(number));
		_exit(write(failed[1], "", 1) == 1 ? SPT_CHILD_CANNOT_RUN : SPT_EXIT_FAILURE);
	}
	close(go[0]);
	close(failed[1]);
	child->go = go[1];
	child->failed = failed[0];
	if (child->pid > 0)
		return true;
	spt_cli_complain("Cannot run %s: %s", command[0], g_strerror(errno));
	return false;
}

static uint64_t now_ns(void)
{
	return (uint64_t)g_get_monotonic_time() * 1000;
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

static pid_t take_end(struct spt_child *child, int options)
{
	struct rusage usage;
	pid_t pid = wait4(child->pid, &child->status, options, &usage);

	if (pid != child->pid)
		return pid;
	child->ended = true;
	child->ended_ns = now_ns();
	child->ran_ns = timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
	return pid;
}

void spt_child_let_go(struct spt_child *child, const char *const *environment)
{
	g_autoptr(GByteArray) text = g_byte_array_new();

	for (; environment && *environment; environment++)
		g_byte_array_append(text, (const guint8 *)*environment, strlen(*environment) + 1);
	g_byte_array_append(text, (const guint8 *)"", 1);
	child->begun_ns = now_ns();
	/* A longer text might be written only in part. */
	if (child->pid && (text->len > PIPE_BUF ||
			   write(child->go, text->data, text->len) != (ssize_t)text->len))
		kill(child->pid, SIGKILL);
}

void spt_child_look_after(struct spt_child *child)
{
	if (child->pid && !child->ended)
		take_end(child, WNOHANG);
}

void spt_child_signal(struct spt_child *child, int number)
{
	spt_child_look_after(child);
	/* Until its end is noted, nobody else has its number. */
	if (child->pid && !child->ended)
		kill(child->pid, number);
}

bool spt_child_has_failed(const struct spt_child *child)
{
	char byte;

	return child->ended && read(child->failed, &byte, 1) == 1;
}

void spt_child_wait(struct spt_child *child)
{
	while (child->pid && !child->ended) {
		if (take_end(child, 0) < 0 && errno != EINTR)
			break;
	}
}

int spt_child_exit_status(const struct spt_child *child)
{
	if (!child->pid)
		return SPT_EXIT_OK;
	if (WIFSIGNALED(child->status))
		return SPT_SIGNAL_STATUS + WTERMSIG(child->status);
	return WEXITSTATUS(child->status);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The child is forked before the recording starts, and released when it runs. */
#include "record-child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "profile/command.h"
#include "record/control.h"
#include "record/inherited.h"

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

/* Names and values in turn, each with its nul, which another process has written into @fd. */
static bool record_child_set_environment(int fd)
{
	struct stat status;
	size_t bytes = fstat(fd, &status) == 0 ? (size_t)status.st_size : 0;
	const char *text = bytes ? mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0) : "",
		   *end = text + bytes, *value;

	if (text == MAP_FAILED)
		return false;
	for (; text < end; text = value + strlen(value) + 1) {
		value = text + strlen(text) + 1;
		g_setenv(text, value, TRUE);
	}
	return true;
}

/* In the process that becomes the command.  Its libraries find the socket by its number. */
static void inherit_control(int fd)
{
	g_autofree char *text = NULL;

	if (fd < 0 || fcntl(fd, F_SETFD, 0) < 0)
		return;
	text = g_strdup_printf("%d", fd);
	g_setenv(SPT_CONTROL_VARIABLE, text, TRUE);
}

bool spt_child_prepare(struct spt_child *child, char **command, bool has_control)
{
	int go[2], failed[2], control[2] = { -1, -1 }, number;

	child->environment = memfd_create("environment", MFD_CLOEXEC);
	if (child->environment < 0 || pipe2(failed, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) < 0 ||
	    (has_control && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) < 0)) {
		spt_cli_complain("Cannot run %s: %s", command[0], g_strerror(errno));
		return false;
	}
	child->pid = fork();
	if (child->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		close(go[1]);
		if (has_control)
			close(control[0]);
		/* End of file: the recorder gave up. */
		if (!spt_inherited_take(go[0]))
			_exit(SPT_CHILD_CANNOT_RUN);
		prctl(PR_SET_PDEATHSIG, 0);
		if (child->standard_error >= 0)
			dup2(child->standard_error, STDERR_FILENO);
		if (record_child_set_environment(child->environment)) {
			inherit_control(control[1]);
			execvp(command[0], command);
		}
		number = errno;
		spt_cli_complain("Cannot run %s: %s", command[0], g_strerror(number));
		_exit(write(failed[1], "", 1) == 1 ? SPT_CHILD_CANNOT_RUN : SPT_EXIT_FAILURE);
	}
	close(go[0]);
	close(failed[1]);
	if (has_control)
		close(control[1]);
	if (child->standard_error >= 0)
		close(child->standard_error);
	child->control = control[0];
	child->go = go[1];
	child->failed = failed[0];
	if (child->pid > 0)
		return true;
	spt_cli_complain("Cannot run %s: %s", command[0], g_strerror(errno));
	return false;
}

static uint64_t record_child_now_ns(void)
{
	return (uint64_t)g_get_monotonic_time() * 1000;
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

/* Also of a process that has ended, until that is taken note of; 0: not known. */
static uint64_t read_ready_ns(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/schedstat", (int)pid), *text = NULL;
	g_auto(GStrv) fields = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	fields = g_strsplit(text, " ", 3);
	return g_strv_length(fields) > 1 ? g_ascii_strtoull(fields[1], NULL, 10) : 0;
}

static pid_t record_child_take_end(struct spt_child *child, int options)
{
	siginfo_t info = { .si_pid = 0 };
	struct rusage usage;
	pid_t pid;

	if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT | options) == 0 && info.si_pid)
		child->ready_ns = read_ready_ns(child->pid);
	pid = wait4(child->pid, &child->status, options, &usage);
	if (pid != child->pid)
		return pid;
	child->ended = true;
	child->ended_ns = record_child_now_ns();
	child->ran_ns = timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
	return pid;
}

void spt_child_let_go(struct spt_child *child, const char *const *environment)
{
	const char *const *text = environment;
	bool ok = true;

	for (; child->pid && text && *text; text++) {
		size_t bytes = strlen(*text) + 1;

		ok &= write(child->environment, *text, bytes) == (ssize_t)bytes;
	}
	child->begun_ns = record_child_now_ns();
	child->ready_before_ns = child->pid ? read_ready_ns(child->pid) : 0;
	/* Without the byte it ends, as if it could not be run. */
	if (!ok)
		spt_cli_complain("Cannot run %s: %s", "the command", g_strerror(errno));
	else if (child->pid && spt_inherited_send(child->go, environment))
		return;
	if (child->go >= 0)
		close(child->go);
	child->go = -1;
}

void spt_child_look_after(struct spt_child *child)
{
	if (child->pid && !child->ended)
		record_child_take_end(child, WNOHANG);
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
		if (record_child_take_end(child, 0) < 0 && errno != EINTR)
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

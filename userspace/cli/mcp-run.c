/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs this program in a process of its own.  A crash, a full memory or an endless file ends only
 * that.  Its output does not reach the client, whose lines are messages.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mcp.h"
#include "terminal.h"

#define SELF "/proc/self/exe"
/* Of each of output and complaints; what comes after that is dropped. */
#define MOST_BYTES (256 << 10)
#define STEP_MS	   100
/* How long a process may take to end after it was asked to. */
#define GRACE_US   (3 * G_USEC_PER_SEC)

enum { OUT, ERR, STREAMS };

struct run {
	pid_t pid;
	int fds[STREAMS];		/* -1: it has ended */
	GString *texts[STREAMS];
};

static void become(const char *const *argv, const int (*pipes)[2])
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
	    dup2(pipes[OUT][1], STDOUT_FILENO) < 0 || dup2(pipes[ERR][1], STDERR_FILENO) < 0)
		_exit(127);
	/* Of long names more than that is not worth its part of an answer. */
	setenv(SPT_CLI_COLUMNS, "100", 1);
	execv(SELF, (char *const *)argv);
	_exit(127);
}

static bool start(struct run *run, const char *const *argv)
{
	int pipes[STREAMS][2] = { { -1, -1 }, { -1, -1 } };
	bool ok = pipe2(pipes[OUT], O_CLOEXEC) == 0 && pipe2(pipes[ERR], O_CLOEXEC) == 0;

	run->pid = ok ? fork() : -1;
	if (run->pid == 0)
		become(argv, (const int (*)[2])pipes);
	for (unsigned i = 0; i < STREAMS; i++) {
		if (pipes[i][1] >= 0)
			close(pipes[i][1]);
		run->fds[i] = pipes[i][0];
		run->texts[i] = g_string_new(NULL);
	}
	if (run->pid > 0)
		setpgid(run->pid, run->pid);
	return run->pid > 0;
}

static void take(struct run *run, unsigned stream)
{
	char bytes[4096];
	ssize_t n = read(run->fds[stream], bytes, sizeof(bytes));
	GString *text = run->texts[stream];

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close(run->fds[stream]);
		run->fds[stream] = -1;
	} else if (text->len < MOST_BYTES) {
		g_string_append_len(text, bytes, MIN(n, (ssize_t)(MOST_BYTES - text->len)));
	}
}

/* Something that it started may live on with its output open: the end of the process counts. */
static bool follow(struct run *run, int64_t until_us, int *ret_status)
{
	while (g_get_monotonic_time() < until_us) {
		struct pollfd fds[STREAMS] = { { run->fds[OUT], POLLIN, 0 },
					       { run->fds[ERR], POLLIN, 0 } };
		bool has_ended = waitpid(run->pid, ret_status, WNOHANG) == run->pid;
		int n;

		do {
			n = poll(fds, STREAMS, has_ended ? 0 : STEP_MS);
			for (unsigned i = 0; n > 0 && i < STREAMS; i++) {
				if (fds[i].revents)
					take(run, i);
				fds[i].fd = run->fds[i];
			}
		} while (n > 0 && has_ended && g_get_monotonic_time() < until_us);
		if (has_ended)
			return true;
	}
	return false;
}

/* Ends it and what it started: first so that a recording is complete. */
static void stop(struct run *run, int *ret_status)
{
	kill(run->pid, SIGINT);
	if (follow(run, g_get_monotonic_time() + GRACE_US, ret_status))
		return;
	kill(-run->pid, SIGKILL);
	waitpid(run->pid, ret_status, 0);
}

static char *answer_of(struct run *run, bool both, bool has_ended, int status, bool *ret_failed)
{
	bool failed = !has_ended || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	GString *text = g_string_new(NULL);
	g_autofree char *all = NULL;

	if (!failed || both)
		g_string_append(text, run->texts[OUT]->str);
	if (failed || both)
		g_string_append(text, run->texts[ERR]->str);
	if (text->len >= MOST_BYTES)
		g_string_append(text, "\n... and more than is kept: ask for less.\n");
	if (!has_ended)
		g_string_append(text, "It took too long and was ended.\n");
	if (!text->len)
		g_string_append(text, failed ? "It failed without a word.\n" : "Nothing.\n");
	*ret_failed = failed;
	all = g_string_free(text, FALSE);
	return g_utf8_make_valid(all, -1);
}

char *spt_mcp_run(const char *const *argv, unsigned most_s, bool both, bool *ret_failed)
{
	struct run run = { .fds = { -1, -1 } };
	int status = 0;
	bool has_ended;
	char *answer;

	*ret_failed = true;
	if (start(&run, argv)) {
		has_ended = follow(&run, g_get_monotonic_time() + most_s * G_USEC_PER_SEC, &status);
		if (!has_ended)
			stop(&run, &status);
		answer = answer_of(&run, both, has_ended, status, ret_failed);
	} else {
		answer = g_strdup_printf("Cannot run %s: %s\n", argv[0], g_strerror(errno));
	}
	for (unsigned i = 0; i < STREAMS; i++) {
		if (run.fds[i] >= 0)
			close(run.fds[i]);
		if (run.texts[i])
			g_string_free(run.texts[i], TRUE);
	}
	return answer;
}

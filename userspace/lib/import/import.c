/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trusted side: starts a helper for one file, and stores what it writes. */
#include "import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/words.h"
#include "import/helper.h"
#include "import/questions.h"
#include "object/regular.h"
#include "symbols/helpers-private.h"
#include "symbols/helpers.h"

/* Most bytes of a capture that is made of a file; a helper that writes more is stopped. */
#define CAPTURE_MAX_BYTES (1ull << 31)
/* It may be slow, but not silent. */
#define PATIENCE_S   120
#define CLAUSE_BYTES 1000

extern char **environ;

struct import_helper {
	pid_t pid;
	/* Our ends; its standard input, output and error. */
	int socket, questions, clause;
};

/* Its standard input and output are the sockets, its standard error the pipe. */
static int spawn_import(int socket, int questions, int clause, pid_t *ret)
{
	char *arguments[] = { SPT_HELPER_NAME, SPT_IMPORT_OPTION, NULL };
	g_autofree char *program = spt_helper_program();
	posix_spawn_file_actions_t actions;
	int status;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, questions, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, clause, STDERR_FILENO);
	status = posix_spawn(ret, program, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return status;
}

static void close_import(const int ends[6], int first)
{
	for (int i = first; i < 6; i += 2)
		if (ends[i] >= 0)
			close(ends[i]);
}

/* 0, or an errno. */
static int start_import(struct import_helper *helper)
{
	int ends[6] = { -1, -1, -1, -1, -1, -1 }, status;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends + 2) < 0 ||
	    pipe2(ends + 4, O_CLOEXEC) < 0)
		status = errno;
	else
		status = spawn_import(ends[1], ends[3], ends[5], &helper->pid);
	close_import(ends, 1);
	if (status != 0)
		close_import(ends, 0);
	helper->socket = ends[0];
	helper->questions = ends[2];
	helper->clause = ends[4];
	return status;
}

/* Answers questions until there is something of the capture; false: it takes too long. */
static bool wait_for_import(const struct import_helper *helper, SptImportAnswers *answers)
{
	struct pollfd polls[] = { { helper->socket, POLLIN, 0 }, { helper->questions, POLLIN, 0 } };

	for (;;) {
		int n = poll(polls, G_N_ELEMENTS(polls), PATIENCE_S * 1000);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		if (polls[1].revents && !spt_import_answers_next(answers))
			polls[1].fd = -1;
		if (polls[0].revents)
			return true;
	}
}

/* What the helper writes, to its end; NULL, or what went wrong, a clause. */
static const char *store_import(const struct import_helper *helper, SptImportAnswers *answers,
				int to)
{
	char buffer[1u << 16];
	uint64_t all = 0;
	ssize_t n;

	for (;;) {
		if (!wait_for_import(helper, answers))
			return spt_words(SPT_WORDS("reading it takes too long"));
		n = recv(helper->socket, buffer, sizeof(buffer), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return g_strerror(errno);
		if (n == 0)
			return NULL;
		all += (uint64_t)n;
		if (all > CAPTURE_MAX_BYTES)
			return spt_words(SPT_WORDS("it is too large"));
		if (write(to, buffer, (size_t)n) != n)
			return g_strerror(errno ? errno : ENOSPC);
	}
}

/* Ends it, and says how it went; @problem: what went wrong here, or NULL. */
static bool end_import(struct import_helper *helper, const char *path, const char *problem,
		       GError **error)
{
	char clause[CLAUSE_BYTES + 1] = "";
	int status = 0;
	bool is_unknown;
	g_autofree char *line = NULL;

	close(helper->socket);
	close(helper->questions);
	if (problem)
		kill(helper->pid, SIGKILL);
	while (waitpid(helper->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (read(helper->clause, clause, CLAUSE_BYTES) < 0)
		*clause = '\0';
	close(helper->clause);
	if (!problem && WIFEXITED(status) && WEXITSTATUS(status) == SPT_IMPORT_DONE)
		return true;
	is_unknown = !problem && WIFEXITED(status) && WEXITSTATUS(status) == SPT_IMPORT_UNKNOWN;
	line = spt_one_line(
		*clause ? clause : spt_words(SPT_WORDS("the process that reads it failed")));
	spt_set_error(error, SPT_IMPORT_ERROR,
		      is_unknown ? SPT_IMPORT_ERROR_FORMAT : SPT_IMPORT_ERROR_REFUSED,
		      "Cannot import %s: %s", path,
		      is_unknown ? spt_words(SPT_WORDS("its format is not known")) :
		      problem	 ? problem :
				   line);
	return false;
}

static bool refuse_import(const char *path, int problem, GError **error)
{
	spt_set_error(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED, "Cannot import %s: %s",
		      path, g_strerror(problem));
	return false;
}

bool spt_import_file(const char *path, int to_fd, GError **error)
{
	g_autoptr(SptImportAnswers) answers = NULL;
	struct import_helper helper;
	int fd = spt_open_regular(path), status;
	const char *problem = NULL;

	if (fd < 0)
		return refuse_import(path, errno, error);
	status = start_import(&helper);
	if (status != 0) {
		close(fd);
		return refuse_import(path, status, error);
	}
	if (spt_send_descriptor(helper.socket, "", 1, fd, 0) != 1)
		problem = g_strerror(errno);
	answers = spt_import_answers_new(helper.questions, fd);
	close(fd);
	if (!problem)
		problem = store_import(&helper, answers, to_fd);
	return end_import(&helper, path, problem, error);
}

SptCapture *spt_import_open(const char *path, GError **error)
{
	int fd = memfd_create("sysprof-import", MFD_CLOEXEC);
	g_autofree char *name = g_strdup_printf("/proc/self/fd/%d", fd);
	SptCapture *capture = NULL;

	if (fd < 0)
		refuse_import(path, errno, error);
	else if (spt_import_file(path, fd, error))
		capture = spt_capture_open(name, error);
	if (capture) {
		g_free((char *)capture->path);
		capture->path = g_strdup(path);
	}
	if (fd >= 0)
		close(fd);
	return capture;
}

SptCapture *spt_import_instead(const char *path, GError **error)
{
	g_autoptr(GError) problem = NULL;
	SptCapture *capture;

	if (!g_error_matches(*error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_NOT_A_CAPTURE))
		return NULL;
	capture = spt_import_open(path, &problem);
	if (capture || !g_error_matches(problem, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_FORMAT)) {
		g_clear_error(error);
		*error = g_steal_pointer(&problem);
	}
	return capture;
}

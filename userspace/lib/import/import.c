/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trusted side: starts a helper for one file, and stores what it writes. */
#include "import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/words.h"
#include "import/helper.h"
#include "object/regular.h"
#include "symbols/reader-private.h"
#include "symbols/reader.h"

/* Most bytes of a capture that is made of a file; a helper that writes more is stopped. */
#define CAPTURE_MAX_BYTES (1ull << 31)
/* It may be slow, but not silent. */
#define PATIENCE_S   120
#define CLAUSE_BYTES 1000

extern char **environ;

struct import_helper {
	pid_t pid;
	int socket, clause;		/* our ends; its standard input, and error */
};

/* Its standard input is the socket, its standard error the pipe. */
static int spawn_import(int socket, int clause, pid_t *ret)
{
	char *arguments[] = { SPT_READER_NAME, SPT_IMPORT_OPTION, NULL };
	g_autofree char *program = spt_reader_program();
	posix_spawn_file_actions_t actions;
	int status;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, clause, STDERR_FILENO);
	status = posix_spawn(ret, program, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return status;
}

/* 0, or an errno. */
static int start_import(struct import_helper *helper)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int ends[2], pipes[2], status;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return errno;
	if (pipe2(pipes, O_CLOEXEC) < 0) {
		status = errno;
		close(ends[0]);
		close(ends[1]);
		return status;
	}
	status = spawn_import(ends[1], pipes[1], &helper->pid);
	close(ends[1]);
	close(pipes[1]);
	helper->socket = ends[0];
	helper->clause = pipes[0];
	setsockopt(helper->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (status == 0)
		return 0;
	close(ends[0]);
	close(pipes[0]);
	return status;
}

/* What the helper writes, to its end; NULL, or what went wrong, a clause. */
static const char *store_import(int from, int to)
{
	char buffer[1u << 16];
	uint64_t all = 0;
	ssize_t n;

	while ((n = recv(from, buffer, sizeof(buffer), 0)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ?
				       spt_words(SPT_WORDS("reading it takes too long")) :
				       g_strerror(errno);
		all += (uint64_t)n;
		if (all > CAPTURE_MAX_BYTES)
			return spt_words(SPT_WORDS("it is too large"));
		if (write(to, buffer, (size_t)n) != n)
			return g_strerror(errno ? errno : ENOSPC);
	}
	return NULL;
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
	if (spt_reader_send_fd(helper.socket, "", 1, fd) != 1)
		problem = g_strerror(errno);
	close(fd);
	if (!problem)
		problem = store_import(helper.socket, to_fd);
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

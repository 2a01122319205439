/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A regular file is written beside its name and renamed at the end. */
#include "export/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (256u << 10)

struct SptOut {
	GString *text;
	int fd;				/* -1: memory */
	bool owns_text, owns_fd;
	char *path, *part;		/* of a file that will appear; or NULL */
	mode_t mode;			/* of the file that it replaces; else 0 */
	int problem;			/* errno of the first write that failed */
};

static bool set_problem(GError **error, int problem)
{
	g_set_error_literal(error, G_FILE_ERROR, (int)g_file_error_from_errno(problem),
			    g_strerror(problem));
	return false;
}

SptOut *spt_out_new_fd(int fd)
{
	SptOut *out = g_new0(SptOut, 1);

	out->fd = fd;
	out->text = g_string_sized_new(BUFFER_BYTES);
	out->owns_text = true;
	return out;
}

SptOut *spt_out_new_memory(GString *text)
{
	SptOut *out = g_new0(SptOut, 1);

	out->fd = -1;
	out->text = text;
	return out;
}

/*
 * Where @path leads, or NULL: nothing is there (ENOENT), or errno.  The kernel follows the links:
 * where everybody may write it refuses those of strangers, which who reads them does not notice.
 */
static char *out_follow(const char *path, struct stat *ret_status)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
	char *target;

	if (fd < 0)
		return NULL;
	target = fstat(fd, ret_status) == 0 ? g_file_read_link(link, NULL) : NULL;
	close(fd);
	return target ? target : g_strdup(path);
}

static int out_open_part(SptOut *out)
{
	out->part = g_strconcat(out->path, ".XXXXXX", NULL);
	return g_mkstemp_full(out->part, O_WRONLY | O_CLOEXEC, 0666);
}

SptOut *spt_out_new_file(const char *path, GError **error)
{
	SptOut *out = spt_out_new_fd(-1);
	struct stat st = { .st_mode = 0 };

	out->owns_fd = true;
	out->path = out_follow(path, &st);
	if (out->path && !S_ISREG(st.st_mode)) {
		out->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else if (out->path || errno == ENOENT) {
		out->mode = st.st_mode & 07777;
		if (!out->path)
			out->path = g_strdup(path);
		out->fd = out_open_part(out);
	}
	if (out->fd >= 0)
		return out;
	set_problem(error, errno);
	g_clear_pointer(&out->part, g_free);
	spt_out_free(out);
	return NULL;
}

void spt_out_free(SptOut *out)
{
	if (!out)
		return;
	if (out->owns_fd && out->fd >= 0)
		close(out->fd);
	if (out->part)
		unlink(out->part);
	if (out->owns_text)
		g_string_free(out->text, TRUE);
	g_free(out->path);
	g_free(out->part);
	g_free(out);
}

static void out_write_out(SptOut *out)
{
	for (size_t at = 0; at < out->text->len && !out->problem;) {
		ssize_t n = write(out->fd, out->text->str + at, out->text->len - at);

		if (n >= 0)
			at += (size_t)n;
		else if (errno != EINTR)
			out->problem = errno;
	}
	g_string_truncate(out->text, 0);
}

GString *spt_out_text(SptOut *out)
{
	if (out->owns_text && out->text->len >= BUFFER_BYTES / 2)
		out_write_out(out);
	return out->text;
}

static void out_publish(SptOut *out)
{
	if (!out->problem && out->part &&
	    ((out->mode && fchmod(out->fd, out->mode) < 0) || fsync(out->fd) < 0))
		out->problem = errno;
	if (close(out->fd) < 0 && !out->problem)
		out->problem = errno;
	out->fd = -1;
	if (out->problem || !out->part)
		return;
	if (rename(out->part, out->path) < 0)
		out->problem = errno;
	else
		g_clear_pointer(&out->part, g_free);
}

bool spt_out_finish(SptOut *out, GError **error)
{
	if (out->owns_text)
		out_write_out(out);
	if (out->owns_fd)
		out_publish(out);
	return !out->problem || set_problem(error, out->problem);
}

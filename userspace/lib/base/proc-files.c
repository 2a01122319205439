/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that waits for the lock cannot be called back.  It is abandoned, and another one takes
 * its place; when it continues, its result is dropped, and it reads for others again.
 */
#include "base/proc-files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#define FIRST_BYTES 4096
/* A read that takes no longer than this costs no patience: nobody delays it. */
#define FREE_US 5000
/* The largest patience, and the part of the passing time that restores it. */
#define PATIENCE_US 1000000
#define PATIENCE_PART 2

struct request {
	char *path;
	uint32_t pid;
	const char *name;		/* a string constant */
	size_t most, bytes;
	char *text;			/* NULL: there is none */
	bool is_done, is_left;		/* left: nobody waits for it any more */
};

/* The helpers have references, too: the last one to drop it frees it. */
struct SptProcFiles {
	char *root;
	GMutex lock;
	GCond asked, answered;
	struct request *next;		/* no helper has begun it */
	struct request *late;		/* a helper has, and it can be fetched; NULL: none */
	unsigned n_helpers, n_idle;
	int refs;
	bool is_closed;
	int64_t patience_us, last_us;
	SptProcFilesOpener opener;	/* NULL: there is no other way */
	void *data;
	GDestroyNotify destroy;
};

static void request_free(struct request *request)
{
	g_free(request->path);
	g_free(request->text);
	g_free(request);
}

static void proc_files_unref(SptProcFiles *files)
{
	if (!g_atomic_int_dec_and_test(&files->refs))
		return;
	g_mutex_clear(&files->lock);
	g_cond_clear(&files->asked);
	g_cond_clear(&files->answered);
	if (files->destroy)
		files->destroy(files->data);
	g_free(files->root);
	g_free(files);
}

static void proc_files_read_file(const SptProcFiles *files, struct request *request)
{
	int fd = open(request->path, O_RDONLY | O_CLOEXEC);
	size_t room = 0;
	ssize_t n;

	if (fd < 0 && files->opener && (errno == EACCES || errno == EPERM))
		fd = files->opener(request->pid, request->name, files->data);
	while (fd >= 0 && request->bytes < request->most) {
		if (request->bytes == room) {
			room = MIN(request->most, MAX(2 * room, FIRST_BYTES));
			request->text = g_realloc(request->text, room + 1);
		}
		n = read(fd, request->text + request->bytes, room - request->bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		request->bytes += n;
	}
	if (fd >= 0)
		close(fd);
	if (request->bytes)
		request->text[request->bytes] = '\0';
	else
		g_clear_pointer(&request->text, g_free);
}

static void *proc_files_help(void *data)
{
	SptProcFiles *files = data;

	g_mutex_lock(&files->lock);
	while (!files->is_closed) {
		struct request *request = g_steal_pointer(&files->next);

		if (!request) {
			files->n_idle++;
			g_cond_wait(&files->asked, &files->lock);
			files->n_idle--;
			continue;
		}
		g_mutex_unlock(&files->lock);
		proc_files_read_file(files, request);
		g_mutex_lock(&files->lock);
		request->is_done = true;
		if (request->is_left)
			request_free(request);
		else
			g_cond_signal(&files->answered);
	}
	g_mutex_unlock(&files->lock);
	proc_files_unref(files);
	return NULL;
}

SptProcFiles *spt_proc_files_new(const char *root)
{
	SptProcFiles *files = g_new0(SptProcFiles, 1);

	files->root = g_strdup(root);
	files->refs = 1;
	files->patience_us = PATIENCE_US;
	files->last_us = g_get_monotonic_time();
	g_mutex_init(&files->lock);
	g_cond_init(&files->asked);
	g_cond_init(&files->answered);
	return files;
}

/* Call with the lock held. */
static void proc_files_drop_late(SptProcFiles *files)
{
	struct request *late = g_steal_pointer(&files->late);

	if (late && late->is_done)
		request_free(late);
	else if (late)
		late->is_left = true;
}

void spt_proc_files_free(SptProcFiles *files)
{
	if (!files)
		return;
	g_mutex_lock(&files->lock);
	files->is_closed = true;
	proc_files_drop_late(files);
	g_cond_broadcast(&files->asked);
	g_mutex_unlock(&files->lock);
	proc_files_unref(files);
}

void spt_proc_files_set_opener(SptProcFiles *files, SptProcFilesOpener func, void *data,
			       GDestroyNotify destroy)
{
	files->opener = func;
	files->data = data;
	files->destroy = destroy;
}

/* Call with the lock held.  False: all are held. */
static bool have_helper(SptProcFiles *files)
{
	GThread *thread;

	if (files->n_idle)
		return true;
	if (files->n_helpers == SPT_PROC_HELPERS)
		return false;
	g_atomic_int_inc(&files->refs);
	thread = g_thread_try_new("proc-files", proc_files_help, files, NULL);
	if (!thread) {
		g_atomic_int_add(&files->refs, -1);
		return false;
	}
	g_thread_unref(thread);
	files->n_helpers++;
	return true;
}

/*
 * Call with the lock held; takes @request.  Returns the contents, or NULL.  @is_kept: what does not
 * come in time can be fetched later.
 */
static char *proc_files_wait_for(SptProcFiles *files, struct request *request, int64_t wait_us,
				 bool is_kept, size_t *ret_bytes)
{
	int64_t until_us = g_get_monotonic_time() + wait_us;
	char *text;

	files->next = request;
	g_cond_signal(&files->asked);
	while (!request->is_done && g_cond_wait_until(&files->answered, &files->lock, until_us))
		;
	if (!request->is_done && files->next != request) {
		if (is_kept) {
			proc_files_drop_late(files);
			files->late = request;
		} else {
			request->is_left = true;
		}
		return NULL;
	}
	files->next = NULL;
	text = g_steal_pointer(&request->text);
	*ret_bytes = request->bytes;
	request_free(request);
	return text;
}

static char *proc_files_read(SptProcFiles *files, uint32_t pid, const char *name, size_t most,
			     bool is_kept, size_t *ret_bytes)
{
	int64_t begin_us = g_get_monotonic_time(), wait_us, waited_us;
	struct request *request;
	char *text = NULL;

	files->patience_us = MIN(files->patience_us + (begin_us - files->last_us) / PATIENCE_PART,
				 PATIENCE_US);
	files->last_us = begin_us;
	wait_us = MIN(files->patience_us, SPT_PROC_WAIT_MS * 1000);
	g_mutex_lock(&files->lock);
	if (wait_us >= FREE_US && have_helper(files)) {
		request = g_new0(struct request, 1);
		request->path = g_strdup_printf("%s/%u/%s", files->root, pid, name);
		request->pid = pid;
		request->name = name;
		request->most = most;
		text = proc_files_wait_for(files, request, wait_us, is_kept, ret_bytes);
	}
	g_mutex_unlock(&files->lock);
	waited_us = g_get_monotonic_time() - begin_us;
	files->patience_us -= MAX(waited_us - FREE_US, 0);
	return text;
}

char *spt_proc_files_read(SptProcFiles *files, uint32_t pid, const char *name, size_t most,
			  size_t *ret_bytes)
{
	return proc_files_read(files, pid, name, most, false, ret_bytes);
}

char *spt_proc_files_request(SptProcFiles *files, uint32_t pid, const char *name, size_t most,
			     size_t *ret_bytes)
{
	return proc_files_read(files, pid, name, most, true, ret_bytes);
}

char *spt_proc_files_fetch(SptProcFiles *files, uint32_t pid, bool *ret_is_awaited,
			   size_t *ret_bytes)
{
	struct request *late;
	char *text = NULL;

	g_mutex_lock(&files->lock);
	late = files->late;
	*ret_is_awaited = late && late->pid == pid && !late->is_done;
	if (late && late->pid == pid && late->is_done) {
		text = g_steal_pointer(&late->text);
		*ret_bytes = late->bytes;
		proc_files_drop_late(files);
	}
	g_mutex_unlock(&files->lock);
	return text;
}

void spt_proc_files_forget(SptProcFiles *files, uint32_t pid)
{
	g_mutex_lock(&files->lock);
	if (files->late && files->late->pid == pid)
		proc_files_drop_late(files);
	g_mutex_unlock(&files->lock);
}

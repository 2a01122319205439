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
/* For what can be fetched later, and how many of these there are: the oldest is dropped. */
#define KEPT_WAIT_US 50000
#define KEPT_MOST 64

struct request {
	char *path;
	uint32_t pid;
	const char *name;		/* a string constant */
	uint64_t offset;
	size_t most, bytes;
	char *text;			/* NULL: there is none */
	bool is_begun, is_done;		/* by a helper */
	bool is_left;			/* nobody waits for it any more */
};

/* The helpers have references, too: the last one to drop it frees it. */
struct SptProcFiles {
	char *root;
	GMutex lock;
	GCond asked, answered;
	GQueue queue;			/* struct request, which no helper has begun */
	GQueue kept;			/* those that can be fetched, the oldest first */
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
	if (fd >= 0 && request->offset && lseek(fd, (off_t)request->offset, SEEK_SET) < 0)
		request->most = 0;
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
		struct request *request = g_queue_pop_head(&files->queue);

		if (!request) {
			files->n_idle++;
			g_cond_wait(&files->asked, &files->lock);
			files->n_idle--;
			continue;
		}
		request->is_begun = true;
		g_mutex_unlock(&files->lock);
		proc_files_read_file(files, request);
		g_mutex_lock(&files->lock);
		request->is_done = true;
		if (request->is_left)
			request_free(request);
		else
			g_cond_broadcast(&files->answered);
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

/* Call with the lock held: nobody wants it any more. */
static void proc_files_leave(SptProcFiles *files, struct request *request)
{
	if (request->is_begun && !request->is_done) {
		request->is_left = true;
		return;
	}
	g_queue_remove(&files->queue, request);
	request_free(request);
}

/* Call with the lock held.  What was requested of the process; NULL: nothing. */
static struct request *proc_files_kept_of(SptProcFiles *files, uint32_t pid)
{
	for (GList *link = files->kept.head; link; link = link->next)
		if (((struct request *)link->data)->pid == pid)
			return link->data;
	return NULL;
}

void spt_proc_files_free(SptProcFiles *files)
{
	if (!files)
		return;
	g_mutex_lock(&files->lock);
	files->is_closed = true;
	while (files->kept.head)
		proc_files_leave(files, g_queue_pop_head(&files->kept));
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

	/* One that does not run yet may be called for what is in the queue. */
	if (files->n_idle > g_queue_get_length(&files->queue))
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

	/* Nobody waits for long for what is kept. */
	if (is_kept)
		g_queue_push_tail(&files->queue, request);
	else
		g_queue_push_head(&files->queue, request);
	g_cond_signal(&files->asked);
	while (!request->is_done && wait_us > 0 &&
	       g_cond_wait_until(&files->answered, &files->lock, until_us))
		;
	if (!request->is_done && is_kept) {
		if (g_queue_get_length(&files->kept) == KEPT_MOST)
			proc_files_leave(files, g_queue_pop_head(&files->kept));
		g_queue_push_tail(&files->kept, request);
		return NULL;
	}
	if (!request->is_done) {
		proc_files_leave(files, request);
		return NULL;
	}
	text = g_steal_pointer(&request->text);
	*ret_bytes = request->bytes;
	request_free(request);
	return text;
}

/* The time for which a caller may wait now, in us. */
static int64_t proc_files_patience(SptProcFiles *files, int64_t now_us, bool is_kept)
{
	int64_t most_us = is_kept ? KEPT_WAIT_US : SPT_PROC_WAIT_MS * 1000;

	files->patience_us = MIN(files->patience_us + (now_us - files->last_us) / PATIENCE_PART,
				 PATIENCE_US);
	files->last_us = now_us;
	return files->patience_us >= FREE_US ? MIN(files->patience_us, most_us) : 0;
}

static char *proc_files_read(SptProcFiles *files, uint32_t pid, const char *name, uint64_t offset,
			     size_t most, bool is_kept, size_t *ret_bytes)
{
	int64_t begin_us = g_get_monotonic_time(), waited_us,
		wait_us = proc_files_patience(files, begin_us, is_kept);
	struct request *request;
	char *text = NULL;

	g_mutex_lock(&files->lock);
	if (!have_helper(files))
		wait_us = 0;
	if (wait_us || is_kept) {
		request = g_new0(struct request, 1);
		request->path = g_strdup_printf("%s/%u/%s", files->root, pid, name);
		request->pid = pid;
		request->name = name;
		request->offset = offset;
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
	return proc_files_read(files, pid, name, 0, most, false, ret_bytes);
}

char *spt_proc_files_read_at(SptProcFiles *files, uint32_t pid, const char *name, uint64_t offset,
			     size_t most, size_t *ret_bytes)
{
	return proc_files_read(files, pid, name, offset, most, false, ret_bytes);
}

char *spt_proc_files_request(SptProcFiles *files, uint32_t pid, const char *name, size_t most,
			     size_t *ret_bytes)
{
	spt_proc_files_forget(files, pid);
	return proc_files_read(files, pid, name, 0, most, true, ret_bytes);
}

char *spt_proc_files_fetch(SptProcFiles *files, uint32_t pid, bool *ret_is_awaited,
			   size_t *ret_bytes)
{
	struct request *late;
	char *text = NULL;

	g_mutex_lock(&files->lock);
	late = proc_files_kept_of(files, pid);
	*ret_is_awaited = late && !late->is_done;
	if (late && late->is_done) {
		text = g_steal_pointer(&late->text);
		*ret_bytes = late->bytes;
		g_queue_remove(&files->kept, late);
		request_free(late);
	}
	g_mutex_unlock(&files->lock);
	return text;
}

void spt_proc_files_forget(SptProcFiles *files, uint32_t pid)
{
	struct request *late;

	g_mutex_lock(&files->lock);
	late = proc_files_kept_of(files, pid);
	if (late) {
		g_queue_remove(&files->kept, late);
		proc_files_leave(files, late);
	}
	g_mutex_unlock(&files->lock);
}

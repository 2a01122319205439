/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job is a table to be made.  Whoever takes it out of the queue makes it: the worker, or who asks for it before its turn has come. */
#include "record/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "symbols/symbols.h"

/* A desktop's worth of objects is a tenth of it. */
#define TABLES_MAX_BYTES (256u << 20)
/* With so much at hand nothing is made that nobody has asked for. */
#define EXPECTED_MAX_BYTES (64u << 20)
#define CACHE_MAX_BYTES (256u << 20)

struct job {
	SptObject *file;		/* a descriptor and a handle of its own: another thread may use the recorder's */
	SptUnwindTable *table;
	GList *queued;			/* its link in the queue; NULL: somebody has taken it */
	bool is_done;
	bool is_busy;			/* somebody is at it */
	bool is_kept_only;		/* it is not to be made, if it is not kept: then it lies here until it is asked for */
	bool is_asked_for;		/* the recorder's thread alone has this */
};

struct SptTables {
	SptTablesOpen open;
	void *data;
	SptTableCache *cache, *of_system;	/* NULL: none */
	GHashTable *jobs;		/* object id -> struct job */
	GMutex lock;			/* of all that follows, and of jobs' table, queued and is_done */
	GCond changed;
	GQueue queue;			/* struct job */
	size_t bytes;			/* of the tables that are there */
	GThread *worker;		/* begun with the first job */
	bool is_ending;
};

static void job_free(void *data)
{
	struct job *job = data;

	spt_object_free(job->file);
	spt_unwind_table_unref(job->table);
	g_free(job);
}

SptTables *spt_tables_new(SptTablesOpen open, void *data, const char *cache_path)
{
	SptTables *tables = g_new0(SptTables, 1);

	tables->open = open;
	tables->data = data;
	tables->cache = cache_path ? spt_table_cache_new(cache_path, CACHE_MAX_BYTES) : NULL;
	tables->of_system = cache_path ? spt_table_cache_of_system(SPT_TABLE_CACHE_OF_SYSTEM) : NULL;
	tables->jobs = g_hash_table_new_full(NULL, NULL, NULL, job_free);
	g_mutex_init(&tables->lock);
	g_cond_init(&tables->changed);
	return tables;
}

/* With debug information there is more to know of code that was written by hand. */
static char kind_of(const SptObject *debug)
{
	return debug ? 'd' : 'e';
}

static SptUnwindTable *look_up(SptTableCache *cache, const SptObject *file, const SptObject *debug)
{
	unsigned n;
	const uint8_t *build_id = spt_object_build_id(file, &n);

	return cache && n > 0 ? spt_table_cache_get(cache, build_id, n, kind_of(debug)) : NULL;
}

static SptUnwindTable *make(SptTableCache *cache, const SptObject *file, const SptObject *debug)
{
	SptUnwindTable *table = spt_unwind_table_new_with_debug(file, debug, NULL);
	unsigned n;
	const uint8_t *build_id = spt_object_build_id(file, &n);

	if (table && cache && n > 0)
		spt_table_cache_put(cache, build_id, n, kind_of(debug), table);
	return table;
}

int spt_tables_give(SptTrace *trace, const SptObject *file, const SptUnwindTable *table)
{
	gsize bytes;
	const void *data = g_bytes_get_data(spt_unwind_table_bytes(table), &bytes);
	unsigned n;
	const uint8_t *build_id = spt_object_build_id(file, &n);
	int problem = n ? spt_trace_give_table(trace, build_id, n, data, bytes) : ENODATA;

	return problem == EEXIST ? 0 : problem;
}

SptUnwindTable *spt_tables_make(SptTableCache *cache, const SptObject *file)
{
	g_autoptr(SptObject) debug = spt_debug_file_open(file, NULL);
	SptUnwindTable *table = look_up(cache, file, debug);

	return table ? table : make(cache, file, debug);
}

/* The system's first: what is there need not be kept once more. */
static SptUnwindTable *find_or_make(const SptTables *tables, const SptObject *file, bool is_kept_only)
{
	g_autoptr(SptObject) debug = spt_debug_file_open(file, NULL);
	SptUnwindTable *table = look_up(tables->of_system, file, debug);

	if (!table)
		table = look_up(tables->cache, file, debug);
	return table || is_kept_only ? table : make(tables->cache, file, debug);
}

/* The lock is held. */
static void queue(SptTables *tables, struct job *job)
{
	/* What came last is wanted first. */
	g_queue_push_head(&tables->queue, job);
	job->queued = g_queue_peek_head_link(&tables->queue);
}

/* The lock is held, but not meanwhile. */
static void do_job(SptTables *tables, struct job *job)
{
	bool is_kept_only = job->is_kept_only;
	SptUnwindTable *table;

	g_queue_delete_link(&tables->queue, job->queued);
	job->queued = NULL;
	job->is_busy = true;
	g_mutex_unlock(&tables->lock);
	table = job->file ? find_or_make(tables, job->file, is_kept_only) : NULL;
	g_mutex_lock(&tables->lock);
	job->is_busy = false;
	if (table || !is_kept_only) {
		g_clear_pointer(&job->file, spt_object_free);
		job->table = table;
		job->is_done = true;
		if (table)
			tables->bytes += g_bytes_get_size(spt_unwind_table_bytes(table));
	} else if (!job->is_kept_only) {
		/* It was asked for meanwhile. */
		queue(tables, job);
	}
	g_cond_broadcast(&tables->changed);
}

static void *work(void *data)
{
	SptTables *tables = data;

	g_mutex_lock(&tables->lock);
	while (!tables->is_ending) {
		struct job *job = g_queue_peek_head(&tables->queue);

		if (job)
			do_job(tables, job);
		else
			g_cond_wait(&tables->changed, &tables->lock);
	}
	g_mutex_unlock(&tables->lock);
	return NULL;
}

void spt_tables_free(SptTables *tables)
{
	if (!tables)
		return;
	g_mutex_lock(&tables->lock);
	tables->is_ending = true;
	g_cond_broadcast(&tables->changed);
	g_mutex_unlock(&tables->lock);
	if (tables->worker)
		g_thread_join(tables->worker);
	g_hash_table_unref(tables->jobs);
	g_queue_clear(&tables->queue);
	spt_table_cache_free(tables->cache);
	spt_table_cache_free(tables->of_system);
	g_mutex_clear(&tables->lock);
	g_cond_clear(&tables->changed);
	g_free(tables);
}

static SptObject *open_again(const SptObject *file)
{
	int fd = fcntl(spt_object_fd(file), F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? NULL : spt_object_open_fd(fd, spt_object_name(file), NULL);
}

static struct job *new_job(SptTables *tables, uint32_t object, bool is_kept_only)
{
	const SptObject *file = tables->open(object, tables->data);
	struct job *job = g_new0(struct job, 1);

	if (file && spt_object_fd(file) >= 0)
		job->file = open_again(file);
	else if (file)
		/* An image in memory, of some KiB: that of the vdso. */
		job->table = spt_unwind_table_new(file, NULL);
	job->is_done = !job->file;
	g_hash_table_insert(tables->jobs, GUINT_TO_POINTER(object), job);
	if (!job->is_done) {
		g_mutex_lock(&tables->lock);
		job->is_kept_only = is_kept_only;
		queue(tables, job);
		g_mutex_unlock(&tables->lock);
	}
	return job;
}

/* It is to be made, too, if it was only looked for so far; true then. */
static bool wake_job(SptTables *tables, struct job *job)
{
	bool was_kept_only;

	g_mutex_lock(&tables->lock);
	was_kept_only = !job->is_done && job->is_kept_only;
	job->is_kept_only = false;
	if (was_kept_only && !job->queued && !job->is_busy) {
		queue(tables, job);
		g_cond_broadcast(&tables->changed);
	}
	g_mutex_unlock(&tables->lock);
	return was_kept_only;
}

bool spt_tables_expect(SptTables *tables, uint32_t object, bool is_kept_only)
{
	struct job *job = g_hash_table_lookup(tables->jobs, GUINT_TO_POINTER(object));
	bool is_welcome;

	if (job)
		return !is_kept_only && wake_job(tables, job);
	g_mutex_lock(&tables->lock);
	is_welcome = tables->bytes < EXPECTED_MAX_BYTES;
	g_mutex_unlock(&tables->lock);
	if (!is_welcome)
		return false;
	new_job(tables, object, is_kept_only);
	g_mutex_lock(&tables->lock);
	g_cond_broadcast(&tables->changed);
	g_mutex_unlock(&tables->lock);
	/* Without a thread who asks does the work. */
	if (!tables->worker)
		tables->worker = g_thread_try_new("unwind-tables", work, tables, NULL);
	return true;
}

bool spt_tables_is_done(SptTables *tables, uint32_t object, const SptUnwindTable **ret)
{
	struct job *job = g_hash_table_lookup(tables->jobs, GUINT_TO_POINTER(object));
	bool is_done;

	*ret = NULL;
	if (!job)
		return true;
	g_mutex_lock(&tables->lock);
	if (job->queued && !tables->worker)
		do_job(tables, job);
	*ret = job->table;
	/* One that is not kept will not be done. */
	is_done = job->is_done || (job->is_kept_only && !job->queued && !job->is_busy);
	g_mutex_unlock(&tables->lock);
	return is_done;
}

static struct job *get_done(SptTables *tables, uint32_t object)
{
	struct job *job = g_hash_table_lookup(tables->jobs, GUINT_TO_POINTER(object));

	if (!job)
		job = new_job(tables, object, false);
	wake_job(tables, job);
	if (job->is_asked_for)
		return job;
	job->is_asked_for = true;
	g_mutex_lock(&tables->lock);
	while (!job->is_done) {
		if (job->queued)
			do_job(tables, job);
		else
			g_cond_wait(&tables->changed, &tables->lock);
	}
	g_mutex_unlock(&tables->lock);
	return job;
}

SptUnwindTable *spt_tables_get(SptTables *tables, uint32_t object)
{
	return get_done(tables, object)->table;
}

bool spt_tables_keep_frame_pointer(SptTables *tables, uint32_t object)
{
	const struct job *job = get_done(tables, object);

	return job->table && spt_unwind_table_keeps_frame_pointer(job->table);
}

void spt_tables_foreach(SptTables *tables, void (*each)(uint32_t object, bool keeps_frame_pointer, void *data), void *data)
{
	GHashTableIter iter;
	void *id, *value;

	g_hash_table_iter_init(&iter, tables->jobs);
	while (g_hash_table_iter_next(&iter, &id, &value)) {
		const struct job *job = value;

		if (job->is_asked_for && job->table)
			each(GPOINTER_TO_UINT(id), spt_unwind_table_keeps_frame_pointer(job->table), data);
	}
}

bool spt_tables_trim(SptTables *tables)
{
	GHashTableIter iter;
	void *value;
	bool is_too_much;

	g_mutex_lock(&tables->lock);
	is_too_much = tables->bytes > TABLES_MAX_BYTES;
	if (is_too_much) {
		g_hash_table_iter_init(&iter, tables->jobs);
		while (g_hash_table_iter_next(&iter, NULL, &value))
			/* What somebody is at, or waits for its turn, stays. */
			if (((struct job *)value)->is_done)
				g_hash_table_iter_remove(&iter);
		tables->bytes = 0;
	}
	g_mutex_unlock(&tables->lock);
	return is_too_much;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job is to get one table.  One thread looks for it in the caches, which is quick.  Another
 * thread has missing tables made, which takes a while.  Each does one job after the other, first
 * those for which somebody waits.
 */
#include "record/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <unistd.h>

#include "base/realtime.h"
#include "base/words.h"
#include "object/trusted.h"
#include "symbols/dwarf/debug-file.h"
#include "symbols/symbols.h"
#include "unwind/extract.h"

/* A desktop's worth of objects is a tenth of it. */
#define TABLES_MAX_BYTES (128u << 20)
#define EXPECTED_PART 2
#define DROP_US G_TIME_SPAN_SECOND /* not more often: needed tables are requested again at once */
#define REST_US (10 * G_TIME_SPAN_SECOND) /* all pages that stacks ever led to are most of them */
#define PATIENCE_MS 10000		/* until the process that reads a file counts as hung */
#define WAIT_MS 2000			/* for the caller; not again while the table is late */
#define WAIT_STEP_US 10000
#define NOTES_MAX 40

enum stage {
	STAGE_LOOK,
	STAGE_MAKE,
	STAGES,
};

struct job {
	/* A descriptor of its own: another thread may use the recorder's */
	SptObject *file;
	SptUnwindTable *table;
	char *problem;			/* the process that reads it failed */
	enum stage stage;		/* next stage */
	GList *queued;			/* its link in that queue; NULL: a thread has taken it */
	bool is_done;
	bool is_busy;			/* a thread works on it */
	/* It is not made if no cache has it; it stays here until it is requested. */
	bool is_kept_only;
	bool is_late;			/* the caller went on without it */
	/*
	 * the recorder's thread alone has these two: it was asked for when it was done; its problem
	 * was reported
	 */
	bool is_asked_for;
	bool is_reported;
};

struct SptTables {
	SptTablesOpen open;
	SptTablesFailed failed;
	void *data;
	bool (*may_wait)(void *data);	/* NULL: it may */
	void *waiting_data;
	SptTableCache *cache, *of_system;	/* NULL: none */
	SptHelpers *helpers;			/* for processes that make tables */
	uint64_t max_bytes;
	int64_t dropped_us, rested_us;	/* times of the last drop, and of when pages went back */
	GHashTable *jobs;		/* object id -> struct job */
	unsigned n_notes;
	/*
	 * Protects all that follows, and of jobs: table, problem, stage, queued, is_done and
	 * is_late
	 */
	GMutex lock;
	GCond queued[STAGES], done;	/* signals: there is a job; one was done */
	GQueue queues[STAGES];		/* struct job */
	bool is_waiting;		/* the caller waits for a job */
	size_t bytes;			/* of existing tables */
	bool is_late, has_news; /* a table in the making is late; a late one has come */
	GThread *threads[STAGES];	/* started with the first job */
	gint is_ending;
};

static void job_free(void *data)
{
	struct job *job = data;

	spt_object_free(job->file);
	spt_unwind_table_unref(job->table);
	g_free(job->problem);
	g_free(job);
}

SptHelpers *spt_tables_helpers(void)
{
	return spt_helpers_new(NULL, 1, PATIENCE_MS, NULL);
}

SptTables *spt_tables_new(SptTablesOpen open, SptTablesFailed failed, void *data,
			  SptTableCache *cache, SptHelpers *helpers)
{
	SptTables *tables = g_new0(SptTables, 1);

	tables->open = open;
	tables->failed = failed;
	tables->data = data;
	tables->cache = cache;
	tables->of_system = cache ? spt_table_cache_of_system(SPT_TABLE_CACHE_OF_SYSTEM) : NULL;
	tables->helpers = helpers;
	tables->max_bytes = TABLES_MAX_BYTES;
	tables->jobs = g_hash_table_new_full(NULL, NULL, NULL, job_free);
	g_mutex_init(&tables->lock);
	g_cond_init(&tables->done);
	for (unsigned i = 0; i < STAGES; i++)
		g_cond_init(&tables->queued[i]);
	return tables;
}

void spt_tables_wait_while(SptTables *tables, bool (*may_wait)(void *data), void *data)
{
	tables->may_wait = may_wait;
	tables->waiting_data = data;
}

static const SptObject *tables_open_held(uint32_t object, void *data)
{
	return spt_output_file(data, object);
}

static void note_failure(uint32_t object, const char *problem, void *data)
{
	const char *path = spt_output_path(data, object);
	g_autofree char *name = g_path_get_basename(path ? path : "[unknown]"),
			*key = g_strdup_printf("unwinding %s", name);

	spt_output_host(data, key, problem);
}

void spt_tables_limit(SptTables *tables, uint64_t bytes)
{
	tables->max_bytes = MIN(bytes, TABLES_MAX_BYTES);
}

SptTables *spt_tables_of_output(SptOutput *output)
{
	SptTables *tables = spt_tables_new(tables_open_held, note_failure, output,
					   spt_table_cache_of_user(), spt_tables_helpers());

	spt_tables_limit(tables, spt_output_memory(output) / 8);
	return tables;
}

static SptUnwindTable *tables_look_up(SptTableCache *cache,
				      const uint8_t key[SPT_EXTRACT_KEY_BYTES], char kind)
{
	return cache ? spt_table_cache_get(cache, key, SPT_EXTRACT_KEY_BYTES, kind) : NULL;
}

/* No file: it is an image in our own memory, as the kernel made it. */
static bool is_believed(const SptObject *file)
{
	return spt_object_fd(file) < 0 ||
	       spt_trusted_is(spt_object_name(file), spt_object_fd(file));
}

/* Kept itself for the system's programs, whose inodes and times nobody can forge. */
static bool tables_key(SptTableCache *cache, const SptObject *file,
		       uint8_t ret[SPT_EXTRACT_KEY_BYTES])
{
	int fd = spt_object_fd(file);
	struct stat stat;
	bool is_kept = cache && fd >= 0 && is_believed(file) && fstat(fd, &stat) == 0;

	if (is_kept && spt_table_cache_get_key(cache, &stat, ret, SPT_EXTRACT_KEY_BYTES))
		return true;
	if (!spt_extract_key(fd, ret))
		return false;
	if (is_kept)
		spt_table_cache_put_key(cache, &stat, ret, SPT_EXTRACT_KEY_BYTES);
	return true;
}

/*
 * With debug information more is known about hand-written code, so such a table is better.  A table
 * without it is kept only where there can be no debug file.  The system's tables come first: no
 * second copy of them is kept.
 */
static SptUnwindTable *tables_find_kept(SptTableCache *of_system, SptTableCache *cache,
					const SptObject *file)
{
	uint8_t key[SPT_EXTRACT_KEY_BYTES];
	SptUnwindTable *table;

	if ((!of_system && !cache) || !tables_key(cache, file, key))
		return NULL;
	table = tables_look_up(of_system, key, 'd');
	if (!table)
		table = tables_look_up(cache, key, 'd');
	if (table || spt_debug_file_may_be_there(file, NULL))
		return table;
	table = tables_look_up(of_system, key, 'e');
	return table ? table : tables_look_up(cache, key, 'e');
}

/* As the cache has it from now on, in pages that are not all in memory; takes @table. */
static SptUnwindTable *keep(SptTableCache *cache, const uint8_t key[SPT_EXTRACT_KEY_BYTES],
			    char kind, SptUnwindTable *table)
{
	SptUnwindTable *kept;

	spt_table_cache_put(cache, key, SPT_EXTRACT_KEY_BYTES, kind, table);
	kept = tables_look_up(cache, key, kind);
	if (!kept)
		return table;
	spt_unwind_table_unref(table);
	return kept;
}

static SptUnwindTable *tables_make(SptTableCache *cache, SptHelpers *helpers, const SptObject *file,
				   const gint *stop, GError **error)
{
	uint8_t key[SPT_EXTRACT_KEY_BYTES];
	int fd = spt_extract(spt_object_fd(file), key);
	/*
	 * Without a directory: anybody may have put a debug file beside @file, and its
	 * checksum proves nothing.
	 */
	g_autofree char *name = g_path_get_basename(spt_object_name(file));
	g_autoptr(SptObject) parts = fd < 0 ? NULL : spt_object_open_fd(fd, name, NULL);
	SptUnwindTable *table;
	bool has_debug;

	if (!parts) {
		spt_set_error(
			error, SPT_UNWIND_ERROR, SPT_UNWIND_ERROR_NO_INFO,
			"Stacks cannot be unwound through %s: it is no program of this machine",
			spt_object_name(file));
		return NULL;
	}
	table = spt_helpers_unwind_table(helpers, parts, stop, &has_debug, error);
	return table && cache ? keep(cache, key, has_debug ? 'd' : 'e', table) : table;
}

/*
 * The module uses tables of a process with one of these capabilities for everybody; in the form of
 * /proc/self/status.
 */
static bool serves_everybody(void)
{
	const uint64_t either = 1ull << CAP_SYS_ADMIN | 1ull << CAP_PERFMON;
	g_autofree char *text = NULL;
	const char *at;

	if (!g_file_get_contents("/proc/thread-self/status", &text, NULL, NULL))
		return true;
	at = strstr(text, "\nCapEff:");
	return !at || g_ascii_strtoull(at + strlen("\nCapEff:"), NULL, 16) & either;
}

int spt_tables_may_give(const SptObject *file)
{
	unsigned n;

	spt_object_build_id(file, &n);
	if (!n)
		return ENODATA;
	return serves_everybody() && !is_believed(file) ? EPERM : 0;
}

int spt_tables_give_all(SptTrace *trace, const SptObject *file, const SptUnwindTable *table)
{
	gsize bytes;
	const void *data = g_bytes_get_data(spt_unwind_table_bytes(table), &bytes);
	unsigned n;
	const uint8_t *build_id = spt_object_build_id(file, &n);
	int problem = spt_tables_may_give(file);

	if (!problem)
		problem = spt_trace_give_table(trace, build_id, n, data, bytes);
	return problem == EEXIST ? 0 : problem;
}

/* The module finds the file's object itself; another one is a file of the same path. */
static int give_to_file(SptTrace *trace, const SptObject *file, const SptUnwindTable *table,
			uint32_t object)
{
	gsize bytes;
	const void *data = g_bytes_get_data(spt_unwind_table_bytes(table), &bytes);
	uint32_t found = object;
	int problem = spt_trace_give_table_of_file(trace, spt_object_fd(file), data, bytes, &found);

	if (problem)
		return problem == EEXIST ? 0 : problem;
	return object && found != object ? ESTALE : 0;
}

bool spt_tables_are_of_file(const SptObject *file)
{
	unsigned n;

	spt_object_build_id(file, &n);
	return spt_object_fd(file) >= 0 && (!n || !is_believed(file));
}

int spt_tables_give(SptTrace *trace, const SptObject *file, const SptUnwindTable *table,
		    uint32_t object)
{
	int problem = EOPNOTSUPP;

	if (spt_tables_are_of_file(file))
		problem = give_to_file(trace, file, table, object);
	return problem == EOPNOTSUPP ? spt_tables_give_all(trace, file, table) : problem;
}

SptUnwindTable *spt_tables_make(SptTableCache *cache, SptHelpers *helpers, const SptObject *file,
				GError **error)
{
	SptUnwindTable *table = tables_find_kept(NULL, cache, file);

	return table ? table : tables_make(cache, helpers, file, NULL, error);
}

SptUnwindTable *spt_tables_have(SptTableCache *cache, SptHelpers *helpers, const SptObject *file,
				const gint *stop)
{
	SptTableCache *of_system = spt_table_cache_of_system(SPT_TABLE_CACHE_OF_SYSTEM);
	SptUnwindTable *table = tables_find_kept(of_system, cache, file);

	spt_table_cache_free(of_system);
	return table ? table : tables_make(cache, helpers, file, stop, NULL);
}

/* Call with the lock held. */
static void queue(SptTables *tables, struct job *job, enum stage stage)
{
	job->stage = stage;
	/* The latest request is needed first. */
	g_queue_push_head(&tables->queues[stage], job);
	job->queued = g_queue_peek_head_link(&tables->queues[stage]);
	g_cond_signal(&tables->queued[stage]);
}

/* Call with the lock held. */
static void end_job(SptTables *tables, struct job *job, SptUnwindTable *table)
{
	g_clear_pointer(&job->file, spt_object_free);
	job->table = table;
	job->is_done = true;
	tables->has_news |= job->is_late;
	if (table)
		tables->bytes += g_bytes_get_size(spt_unwind_table_bytes(table));
}

/* Does the next stage of the job.  Call with the lock held; it is released meanwhile. */
static void do_job(SptTables *tables, struct job *job)
{
	g_autoptr(GError) error = NULL;
	SptUnwindTable *table;

	g_queue_delete_link(&tables->queues[job->stage], job->queued);
	job->queued = NULL;
	job->is_busy = true;
	g_mutex_unlock(&tables->lock);
	if (job->stage == STAGE_LOOK)
		table = tables_find_kept(tables->of_system, tables->cache, job->file);
	else
		table = tables_make(tables->cache, tables->helpers, job->file, &tables->is_ending,
				    &error);
	g_mutex_lock(&tables->lock);
	job->is_busy = false;
	if (job->stage == STAGE_MAKE) {
		tables->is_late = false;
		if (g_error_matches(error, SPT_UNWIND_ERROR, SPT_UNWIND_ERROR_UNREADABLE))
			job->problem = g_strdup(error->message);
	}
	if (table || job->stage == STAGE_MAKE)
		end_job(tables, job, table);
	else if (job->is_kept_only)
		job->stage = STAGE_MAKE;
	else
		queue(tables, job, STAGE_MAKE);
	if (tables->is_waiting)
		g_cond_signal(&tables->done);
}

static void tables_work(SptTables *tables, enum stage stage)
{
	g_mutex_lock(&tables->lock);
	while (!tables->is_ending) {
		struct job *job = g_queue_peek_head(&tables->queues[stage]);

		if (job)
			do_job(tables, job);
		else
			g_cond_wait(&tables->queued[stage], &tables->lock);
	}
	g_mutex_unlock(&tables->lock);
}

static void *look_for_kept(void *data)
{
	spt_realtime_none();
	tables_work(data, STAGE_LOOK);
	return NULL;
}

static void *make_them(void *data)
{
	spt_realtime_none();
	tables_work(data, STAGE_MAKE);
	return NULL;
}

void spt_tables_free(SptTables *tables)
{
	if (!tables)
		return;
	g_mutex_lock(&tables->lock);
	g_atomic_int_set(&tables->is_ending, 1);
	for (unsigned i = 0; i < STAGES; i++)
		g_cond_signal(&tables->queued[i]);
	g_mutex_unlock(&tables->lock);
	for (unsigned i = 0; i < STAGES; i++) {
		if (tables->threads[i])
			g_thread_join(tables->threads[i]);
		g_queue_clear(&tables->queues[i]);
	}
	g_hash_table_unref(tables->jobs);
	spt_table_cache_free(tables->cache);
	spt_table_cache_free(tables->of_system);
	spt_helpers_free(tables->helpers);
	g_mutex_clear(&tables->lock);
	g_cond_clear(&tables->done);
	for (unsigned i = 0; i < STAGES; i++)
		g_cond_clear(&tables->queued[i]);
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
		queue(tables, job, STAGE_LOOK);
		g_mutex_unlock(&tables->lock);
	}
	return job;
}

/* The table is to be made, too, if it was only looked for so far; true then. */
static bool wake_job(SptTables *tables, struct job *job)
{
	bool was_kept_only;

	g_mutex_lock(&tables->lock);
	was_kept_only = !job->is_done && job->is_kept_only;
	job->is_kept_only = false;
	if (was_kept_only && !job->queued && !job->is_busy)
		queue(tables, job, job->stage);
	g_mutex_unlock(&tables->lock);
	return was_kept_only;
}

/* Without a thread the caller does the work. */
static void begin_work(SptTables *tables)
{
	if (!tables->threads[STAGE_LOOK])
		tables->threads[STAGE_LOOK] =
			g_thread_try_new("kept-tables", look_for_kept, tables, NULL);
	if (!tables->threads[STAGE_MAKE])
		tables->threads[STAGE_MAKE] =
			g_thread_try_new("unwind-tables", make_them, tables, NULL);
}

bool spt_tables_expect(SptTables *tables, uint32_t object, bool is_kept_only)
{
	struct job *job = g_hash_table_lookup(tables->jobs, GUINT_TO_POINTER(object));
	bool is_welcome;

	if (job)
		return !is_kept_only && wake_job(tables, job);
	g_mutex_lock(&tables->lock);
	is_welcome = tables->bytes < tables->max_bytes / EXPECTED_PART;
	g_mutex_unlock(&tables->lock);
	if (!is_welcome)
		return false;
	new_job(tables, object, is_kept_only);
	begin_work(tables);
	return true;
}

static void tables_tell(SptTables *tables, uint32_t object, struct job *job)
{
	if (!job->is_reported && job->problem && tables->n_notes++ < NOTES_MAX)
		tables->failed(object, job->problem, tables->data);
	job->is_reported = true;
}

bool spt_tables_is_done(SptTables *tables, uint32_t object, const SptUnwindTable **ret)
{
	struct job *job = g_hash_table_lookup(tables->jobs, GUINT_TO_POINTER(object));
	bool is_done;

	*ret = NULL;
	if (!job)
		return true;
	g_mutex_lock(&tables->lock);
	if (job->queued && !tables->threads[job->stage])
		do_job(tables, job);
	*ret = job->table;
	/* A job that is not kept will not be done. */
	is_done = job->is_done || (job->is_kept_only && !job->queued && !job->is_busy);
	g_mutex_unlock(&tables->lock);
	if (is_done)
		tables_tell(tables, object, job);
	return is_done;
}

/* Call with the lock held. */
static void tables_wait_for(SptTables *tables, struct job *job)
{
	int64_t now = g_get_monotonic_time(),
		until = now + (tables->is_late ? 0 : WAIT_MS * G_TIME_SPAN_MILLISECOND);

	if (job->queued) {
		g_queue_unlink(&tables->queues[job->stage], job->queued);
		g_queue_push_head_link(&tables->queues[job->stage], job->queued);
	}
	while (!job->is_done) {
		if (job->queued && !tables->threads[job->stage]) {
			do_job(tables, job);
			continue;
		}
		now = g_get_monotonic_time();
		if (now >= until || (tables->may_wait && !tables->may_wait(tables->waiting_data)))
			break;
		tables->is_waiting = true;
		g_cond_wait_until(&tables->done, &tables->lock, MIN(until, now + WAIT_STEP_US));
		tables->is_waiting = false;
	}
	job->is_late = tables->is_late = !job->is_done;
}

/* NULL: it is late. */
static struct job *get_done(SptTables *tables, uint32_t object, bool may_wait)
{
	struct job *job = g_hash_table_lookup(tables->jobs, GUINT_TO_POINTER(object));

	if (!job)
		job = new_job(tables, object, false);
	begin_work(tables);
	wake_job(tables, job);
	if (job->is_asked_for)
		return job;
	g_mutex_lock(&tables->lock);
	if (may_wait)
		tables_wait_for(tables, job);
	else
		job->is_late = !job->is_done;
	job->is_asked_for = job->is_done;
	g_mutex_unlock(&tables->lock);
	if (!job->is_asked_for)
		return NULL;
	tables_tell(tables, object, job);
	return job;
}

SptUnwindTable *spt_tables_get(SptTables *tables, uint32_t object)
{
	const struct job *job = get_done(tables, object, true);

	return job ? job->table : NULL;
}

bool spt_tables_get_now(SptTables *tables, uint32_t object, SptUnwindTable **ret)
{
	const struct job *job = get_done(tables, object, false);

	*ret = job ? job->table : NULL;
	return job;
}

bool spt_tables_keep_frame_pointer(SptTables *tables, uint32_t object)
{
	const struct job *job = get_done(tables, object, true);

	return job && job->table && spt_unwind_table_keeps_frame_pointer(job->table);
}

void spt_tables_foreach(SptTables *tables,
			void (*each)(uint32_t object, bool keeps_frame_pointer, void *data),
			void *data)
{
	GHashTableIter iter;
	void *id, *value;

	g_hash_table_iter_init(&iter, tables->jobs);
	while (g_hash_table_iter_next(&iter, &id, &value)) {
		const struct job *job = value;

		if (job->is_asked_for && job->table)
			each(GPOINTER_TO_UINT(id), spt_unwind_table_keeps_frame_pointer(job->table),
			     data);
	}
}

/* Call with the lock held. */
static void rest_tables(SptTables *tables)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, tables->jobs);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct job *job = value;

		if (job->table)
			spt_unwind_table_rest(job->table);
	}
}

bool spt_tables_renew(SptTables *tables)
{
	int64_t now = g_get_monotonic_time();
	GHashTableIter iter;
	void *value;
	bool is_too_much, has_news;

	g_mutex_lock(&tables->lock);
	has_news = tables->has_news;
	tables->has_news = false;
	if (now - tables->rested_us >= REST_US) {
		tables->rested_us = now;
		rest_tables(tables);
	}
	is_too_much = tables->bytes > tables->max_bytes &&
		      now - tables->dropped_us >= DROP_US;
	if (is_too_much) {
		tables->dropped_us = now;
		g_hash_table_iter_init(&iter, tables->jobs);
		while (g_hash_table_iter_next(&iter, NULL, &value)) {
			const struct job *job = value;

			/*
			 * Jobs that a thread works on or that wait for their turn stay, and so do
			 * those that are not to be tried again.
			 */
			if (job->is_done && !job->problem)
				g_hash_table_iter_remove(&iter);
		}
		tables->bytes = 0;
	}
	g_mutex_unlock(&tables->lock);
	return is_too_much || has_news;
}

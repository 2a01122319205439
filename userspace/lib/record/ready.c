/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/ready.h"

#include "base/realtime.h"
#include "object/needed.h"
#include "object/regular.h"
#include "record/scripts.h"
#include "record/tables.h"

struct SptReady {
	char *program;
	SptTrace *trace;
	GThread *thread;
	gint stop;
	GMutex lock;
	GCond done;
	bool is_done;			/* with the lock */
};

static void have(SptReady *ready, SptTableCache *cache, SptReader *reader, const char *path)
{
	int fd = spt_open_regular(path);
	g_autoptr(SptObject) file = fd < 0 ? NULL : spt_object_open_fd(fd, path, NULL);
	SptUnwindTable *table;

	if (!file)
		return;
	table = spt_tables_have(cache, reader, file, &ready->stop);
	if (table && ready->trace)
		spt_tables_give(ready->trace, file, table);
	if (ready->trace)
		spt_scripts_have(reader, ready->trace, file, &ready->stop, NULL);
	spt_unwind_table_unref(table);
}

static void *have_all(void *data)
{
	SptReady *ready = data;
	g_autoptr(GPtrArray) files = spt_needed_files(ready->program);
	SptTableCache *cache = spt_table_cache_of_user();
	SptReader *reader = spt_tables_reader();

	spt_realtime_none();
	for (unsigned i = 0; i < files->len && !g_atomic_int_get(&ready->stop); i++)
		have(ready, cache, reader, g_ptr_array_index(files, i));
	spt_reader_free(reader);
	spt_table_cache_free(cache);
	g_mutex_lock(&ready->lock);
	ready->is_done = true;
	g_cond_signal(&ready->done);
	g_mutex_unlock(&ready->lock);
	return NULL;
}

SptReady *spt_ready_new(const char *program, SptTrace *trace)
{
	SptReady *ready = g_new0(SptReady, 1);

	ready->program = g_strdup(program);
	ready->trace = trace;
	g_mutex_init(&ready->lock);
	g_cond_init(&ready->done);
	ready->thread = g_thread_try_new("ready-tables", have_all, ready, NULL);
	ready->is_done = !ready->thread;
	return ready;
}

void spt_ready_wait(SptReady *ready, unsigned most_ms)
{
	gint64 until = g_get_monotonic_time() + most_ms * G_TIME_SPAN_MILLISECOND;

	g_mutex_lock(&ready->lock);
	while (!ready->is_done && g_cond_wait_until(&ready->done, &ready->lock, until))
		;
	g_mutex_unlock(&ready->lock);
}

void spt_ready_free(SptReady *ready)
{
	if (!ready)
		return;
	g_atomic_int_set(&ready->stop, 1);
	if (ready->thread)
		g_thread_join(ready->thread);
	g_mutex_clear(&ready->lock);
	g_cond_clear(&ready->done);
	g_free(ready->program);
	g_free(ready);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/table-prefetch.h"

#include "base/realtime.h"
#include "object/needed.h"
#include "object/regular.h"
#include "record/scripts.h"
#include "record/tables.h"

struct SptTablePrefetch {
	char *program;
	SptTrace *trace;
	SptScriptsTo scripts;
	GThread *thread;
	bool has_tables;
	gint stop;
	GMutex lock;
	GCond done;
	bool is_done; /* with the lock */
};

static void have(SptTablePrefetch *prefetch, SptTableCache *cache, SptHelpers *helpers,
		 const char *path)
{
	int fd = spt_open_regular(path);
	g_autoptr(SptObject) file = fd < 0 ? NULL : spt_object_open_fd(fd, path, NULL);
	SptUnwindTable *table;

	if (!file)
		return;
	/* First: programs look for chains from their first allocation on. */
	if (prefetch->scripts.trace || prefetch->scripts.programs)
		spt_scripts_have(helpers, &prefetch->scripts, file, &prefetch->stop, NULL, NULL);
	if (!prefetch->has_tables)
		return;
	table = spt_tables_have(cache, helpers, file, &prefetch->stop);
	if (table && prefetch->trace)
		spt_tables_give(prefetch->trace, file, table, 0);
	spt_unwind_table_unref(table);
}

static void *have_all(void *data)
{
	SptTablePrefetch *prefetch = data;
	g_autoptr(GPtrArray) files = spt_needed_files(prefetch->program);
	SptTableCache *cache = spt_table_cache_of_user();
	SptHelpers *helpers = spt_tables_helpers();

	spt_realtime_none();
	for (unsigned i = 0; i < files->len && !g_atomic_int_get(&prefetch->stop); i++)
		have(prefetch, cache, helpers, g_ptr_array_index(files, i));
	spt_helpers_free(helpers);
	spt_table_cache_free(cache);
	g_mutex_lock(&prefetch->lock);
	prefetch->is_done = true;
	g_cond_signal(&prefetch->done);
	g_mutex_unlock(&prefetch->lock);
	return NULL;
}

SptTablePrefetch *spt_table_prefetch_new(const char *program, bool has_tables, SptTrace *trace,
					 SptScriptChains *programs)
{
	SptTablePrefetch *prefetch = g_new0(SptTablePrefetch, 1);

	prefetch->program = g_strdup(program);
	prefetch->has_tables = has_tables;
	prefetch->trace = trace;
	prefetch->scripts = (SptScriptsTo){ .trace = trace, .programs = programs };
	g_mutex_init(&prefetch->lock);
	g_cond_init(&prefetch->done);
	prefetch->thread = g_thread_try_new("table-prefetch", have_all, prefetch, NULL);
	prefetch->is_done = !prefetch->thread;
	return prefetch;
}

void spt_table_prefetch_wait(SptTablePrefetch *prefetch, unsigned most_ms)
{
	gint64 until = g_get_monotonic_time() + most_ms * G_TIME_SPAN_MILLISECOND;

	g_mutex_lock(&prefetch->lock);
	while (!prefetch->is_done && g_cond_wait_until(&prefetch->done, &prefetch->lock, until))
		;
	g_mutex_unlock(&prefetch->lock);
}

void spt_table_prefetch_free(SptTablePrefetch *prefetch)
{
	if (!prefetch)
		return;
	g_atomic_int_set(&prefetch->stop, 1);
	if (prefetch->thread)
		g_thread_join(prefetch->thread);
	g_mutex_clear(&prefetch->lock);
	g_cond_clear(&prefetch->done);
	g_free(prefetch->program);
	g_free(prefetch);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --malloc-arenas: how arenas of glibc's allocator grew, and which threads shared one. */
#include <stdio.h>

#include "cmd.h"
#include "profile/malloc-arenas.h"
#include "report.h"

#define MOST_SHOWN 4u			/* threads of an arena */

static bool find_malloc_arenas(struct spt_report *report)
{
	GArray *found;

	if (!spt_malloc_arenas_are_in(report->capture)) {
		spt_cli_complain("%s has nothing of arenas: \"" SPT_CLI
				 " record --malloc-arenas\" records them",
				 report->capture->path);
		return false;
	}
	report->found = found = spt_malloc_arenas(report->capture, report->filter);
	report->n_more = found->len - MIN(found->len, report->limit);
	if (found->len == 0)
		spt_cli_complain("%s has no events of arenas that meet the conditions; remove some of them",
				 report->capture->path);
	return found->len > 0;
}

/* "-1.2 MiB": what there was before the recording can be given back. */
static char *signed_bytes(int64_t bytes)
{
	g_autofree char *text = spt_format_bytes((uint64_t)ABS(bytes));

	return g_strconcat(bytes < 0 ? "-" : "", text, NULL);
}

static const SptProcessRow *arenas_process(const struct spt_report *report,
					   const SptMallocArenas *arenas)
{
	return &report->capture->processes[arenas->process];
}

/* "worker (1234)", the first of them. */
static char *arena_threads(const struct spt_report *report, const SptArena *arena)
{
	const SptCapture *capture = report->capture;
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < MIN(arena->threads->len, MOST_SHOWN); i++) {
		uint32_t id = g_array_index(arena->threads, uint32_t, i);
		const SptThreadRow *thread = &capture->threads[id];
		g_autofree char *name = spt_format_cut(thread->name, 0);

		g_string_append_printf(text, "%s%s (%u)", i ? ", " : "", name, thread->tid);
	}
	if (arena->threads->len > MOST_SHOWN)
		g_string_append_printf(text, " and %u more", arena->threads->len - MOST_SHOWN);
	return g_string_free(text, FALSE);
}

static void print_each_arena(const struct spt_report *report, const SptMallocArenas *arenas)
{
	const GPtrArray *each = arenas->arenas;

	for (unsigned i = 0; i < MIN(each->len, report->limit); i++) {
		const SptArena *arena = each->pdata[i];
		g_autofree char *bytes = spt_format_bytes(arena->bytes),
				*most = spt_format_bytes(arena->most),
				*threads = arena_threads(report, arena);

		if (arena->is_main)
			printf("  main arena    given to %s\n", threads);
		else
			printf("  arena %-6u  %s, %s at most; given to %s\n", i + 1, bytes, most,
			       threads);
	}
	if (each->len > report->limit)
		printf("  %u more arenas\n", each->len - report->limit);
}

static void print_settings(const SptMallocArenas *arenas)
{
	g_autofree char *mmap = spt_format_bytes(arenas->mmap_threshold),
			*trim = spt_format_bytes(arenas->trim_threshold),
			*cache = spt_format_bytes(arenas->cache_bytes);

	if (arenas->retries)
		printf("  no memory     tried again elsewhere: %" G_GUINT64_FORMAT "\n",
		       arenas->retries);
	if (arenas->changes)
		printf("  thresholds    mmap %s, trim %s; changes: %" G_GUINT64_FORMAT "\n",
		       arenas->mmap_threshold ? mmap : "as it was",
		       arenas->trim_threshold ? trim : "as it was", arenas->changes);
	if (arenas->cache_bytes)
		printf("  tcache        blocks up to %s\n", cache);
	if (arenas->cache_blocks)
		printf("  tcache        blocks of a size: %" G_GUINT64_FORMAT "\n",
		       arenas->cache_blocks);
}

static void print_arenas_of(const struct spt_report *report, const SptMallocArenas *arenas)
{
	const SptProcessRow *process = arenas_process(report, arenas);
	g_autofree char *name = spt_format_cut(process->name, 0),
			*heap = spt_format_bytes(arenas->heap_bytes),
			*heap_most = spt_format_bytes(arenas->heap_most),
			*main_now = signed_bytes(arenas->sbrk_bytes),
			*main_most = signed_bytes(arenas->sbrk_most);

	printf("%s%s (pid %u)%s\n", spt_color(SPT_COLOR_TITLE), name, process->pid,
	       spt_color(SPT_COLOR_OFF));
	printf("  main arena    %s by sbrk, %s at most; calls: %" G_GUINT64_FORMAT "\n", main_now,
	       main_most, arenas->sbrk_calls);
	printf("  other arenas  made: %" G_GUINT64_FORMAT "; given to other threads: %" G_GUINT64_FORMAT
	       ", free ones of them: %" G_GUINT64_FORMAT "; waits: %" G_GUINT64_FORMAT
	       "; threads in one at most: %" G_GUINT64_FORMAT "\n",
	       arenas->made, arenas->reused, arenas->from_free, arenas->waits, arenas->threads);
	printf("  their heaps   made: %" G_GUINT64_FORMAT "; freed: %" G_GUINT64_FORMAT
	       "; %s, %s at most\n",
	       arenas->heaps_made, arenas->heaps_freed, heap, heap_most);
	print_each_arena(report, arenas);
	print_settings(arenas);
}

static void print_malloc_arenas(const struct spt_report *report)
{
	const GArray *found = report->found;

	printf("Since the recording began:\n");
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++)
		print_arenas_of(report, &g_array_index(found, SptMallocArenas, i));
}

static void add_each_arena(const struct spt_report *report, SptJson *json,
			   const SptMallocArenas *arenas)
{
	spt_json_array(json, "each");
	for (unsigned i = 0; i < MIN(arenas->arenas->len, report->limit); i++) {
		const SptArena *arena = arenas->arenas->pdata[i];

		spt_json_object(json, NULL);
		spt_json_flag(json, "is_main", arena->is_main);
		spt_json_count(json, "bytes", arena->bytes);
		spt_json_count(json, "bytes_most", arena->most);
		spt_json_array(json, "threads");
		for (unsigned k = 0; k < arena->threads->len; k++) {
			uint32_t id = g_array_index(arena->threads, uint32_t, k);

			spt_json_count(json, NULL, report->capture->threads[id].tid);
		}
		spt_json_end_array(json);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static void add_malloc_arenas(const struct spt_report *report, SptJson *json)
{
	const GArray *found = report->found;

	spt_json_text(json, "file", report->capture->path);
	spt_json_array(json, "arenas");
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++) {
		const SptMallocArenas *arenas = &g_array_index(found, SptMallocArenas, i);
		const SptProcessRow *process = arenas_process(report, arenas);

		spt_json_object(json, NULL);
		spt_json_text(json, "process", process->name);
		spt_json_count(json, "pid", process->pid);
		spt_json_count(json, "made", arenas->made);
		spt_json_count(json, "reused", arenas->reused);
		spt_json_count(json, "reused_free", arenas->from_free);
		spt_json_count(json, "waits", arenas->waits);
		spt_json_count(json, "most_threads", arenas->threads);
		spt_json_count(json, "retries", arenas->retries);
		spt_json_count(json, "heaps_made", arenas->heaps_made);
		spt_json_count(json, "heaps_freed", arenas->heaps_freed);
		spt_json_count(json, "heap_bytes", arenas->heap_bytes);
		spt_json_count(json, "heap_bytes_most", arenas->heap_most);
		spt_json_count(json, "sbrk_calls", arenas->sbrk_calls);
		spt_json_number(json, "sbrk_bytes", (double)arenas->sbrk_bytes);
		spt_json_number(json, "sbrk_bytes_most", (double)arenas->sbrk_most);
		spt_json_count(json, "threshold_changes", arenas->changes);
		spt_json_count(json, "mmap_threshold", arenas->mmap_threshold);
		spt_json_count(json, "trim_threshold", arenas->trim_threshold);
		spt_json_count(json, "tcache_bytes", arenas->cache_bytes);
		spt_json_count(json, "tcache_blocks", arenas->cache_blocks);
		add_each_arena(report, json, arenas);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_malloc_arenas = {
	.option = { "malloc-arenas", 0, 0, G_OPTION_ARG_NONE, NULL,
		    "How the arenas of glibc's allocator grew in each process, and which threads shared one",
		    NULL },
	.of = SPT_REPORT_OF_SAMPLES,
	.find = find_malloc_arenas,
	.text = print_malloc_arenas,
	.json = add_malloc_arenas,
	.clear = (GDestroyNotify)g_array_unref,
};

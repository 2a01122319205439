/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info --json.  The keys are a contract with scripts (json.md): add some, but never rename one. */
#include "cmd.h"
#include "info-files.h"
#include "info-finders.h"
#include "info.h"
#include "info-declared.h"
#include "info-sources.h"
#include "json.h"
#include "memory-use.h"
#include "import/fleet.h"

static void info_json_add_host(SptJson *json, const SptCapture *capture)
{
	g_autoptr(GList) keys =
		g_list_sort(g_hash_table_get_keys(capture->host), (GCompareFunc)g_strcmp0);

	spt_json_object(json, "host");
	for (const GList *key = keys; key; key = key->next)
		spt_json_text(json, key->data, spt_capture_host(capture, key->data));
	spt_json_end_object(json);
}

static void add_streams(SptJson *json, const SptCapture *capture)
{
	spt_json_array(json, "streams");
	for (uint32_t i = 0; i < capture->n_streams; i++) {
		const SptStreamRow *stream = &capture->streams[i];

		if (stream->id == 0)
			continue;
		spt_json_object(json, NULL);
		spt_json_text(json, "name", stream->name);
		spt_json_text(json, "kind", spt_info_stream_kind(stream->kind));
		spt_json_text(json, "metric", stream->metric);
		spt_json_text(json, "unit", stream->unit);
		spt_json_count(json, "rows", stream->rows);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static void info_json_add_former_names(SptJson *json, const SptThreadRow *thread)
{
	g_auto(GStrv) names = g_strsplit(thread->former ? thread->former : "", "\n", -1);

	spt_json_array(json, "former_names");
	/* The text behind the last line's end is none. */
	for (char **name = names; *name && name[1]; name++)
		spt_json_text(json, NULL, *name);
	spt_json_end_array(json);
}

static void info_json_add_threads(SptJson *json, const struct spt_info *info)
{
	const SptCapture *capture = info->capture;

	spt_json_array(json, "threads");
	for (uint32_t i = 0; i < capture->n_threads; i++) {
		const SptThreadRow *thread = &capture->threads[i];
		const SptProcessRow *process = thread->process < capture->n_processes ?
			&capture->processes[thread->process] : NULL;

		if (info->thread_samples[i] == 0)
			continue;
		spt_json_object(json, NULL);
		spt_json_count(json, "pid", process ? process->pid : 0);
		spt_json_count(json, "tid", thread->tid);
		spt_json_text(json, "process", process && process->name ? process->name : "");
		spt_json_text(json, "name", thread->name ? thread->name : "");
		info_json_add_former_names(json, thread);
		spt_json_count(json, "samples", info->thread_samples[i]);
		spt_json_count(json, "weight", info->thread_weight[i]);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static void info_json_add_cpus(SptJson *json, const GArray *cpus)
{
	spt_json_array(json, "cpus");
	for (unsigned i = 0; i < cpus->len; i++) {
		const SptCpuSummary *cpu = &g_array_index(cpus, SptCpuSummary, i);
		const SptAccountRow *account = cpu->account;

		spt_json_object(json, NULL);
		spt_json_count(json, "cpu", account->cpu);
		spt_json_count(json, "grid", account->grid);
		spt_json_count(json, "delivered", account->delivered);
		spt_json_count(json, "lost", spt_account_lost(account));
		spt_json_object(json, "lost_by_reason");
		for (unsigned reason = 0; reason < SPT_LOST_REASONS; reason++) {
			if (account->lost[reason] > 0)
				spt_json_count(json, spt_lost_reason_name(reason),
					       account->lost[reason]);
		}
		spt_json_end_object(json);
		spt_json_count(json, "idle", account->idle);
		spt_json_count(json, "offline", account->offline);
		spt_json_count(json, "excluded", account->excluded);
		spt_json_count(json, "budget", account->budget);
		spt_json_count(json, "pending", account->pending);
		spt_json_count(json, "samples", account->samples);
		spt_json_count(json, "state_lost", account->state_lost);
		spt_json_count(json, "filtered", account->filtered);
		spt_json_signed(json, "residue", spt_account_residue(account));
		spt_json_count(json, "weight", cpu->weight);
		spt_json_count(json, "weight_after", cpu->weight_after);
		spt_json_signed(json, "missing", spt_cpu_summary_missing(cpu));
		spt_json_count(json, "time", account->time);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static void info_json_add_losses(SptJson *json, const SptCapture *capture)
{
	spt_json_array(json, "losses");
	for (uint64_t i = 0; i < capture->n_losses; i++) {
		const SptLossRow *loss = &capture->losses[i];

		spt_json_object(json, NULL);
		spt_json_count(json, "cpu", loss->cpu);
		spt_json_text(json, "reason", spt_lost_reason_name(loss->reason));
		spt_json_count(json, "first_ns", loss->first_time);
		spt_json_count(json, "last_ns", loss->last_time);
		spt_json_count(json, "weight", loss->weight);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static void add_command_lines(SptJson *json, const SptCapture *capture)
{
	g_autoptr(GHashTable) lines = spt_capture_command_lines(capture);

	spt_json_array(json, "command_lines");
	for (uint32_t i = 1; i < capture->n_processes; i++) {
		const char *line = g_hash_table_lookup(lines, GUINT_TO_POINTER(i));

		if (!line)
			continue;
		spt_json_object(json, NULL);
		spt_json_count(json, "pid", capture->processes[i].pid);
		spt_json_text(json, "process", capture->processes[i].name);
		spt_json_text(json, "command_line", line);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static void add_coverage(SptJson *json, const struct spt_info *info)
{
	spt_json_array(json, "coverage");
	for (unsigned i = 0; i < info->coverage->len; i++) {
		const SptCoverageRow *row = &g_array_index(info->coverage, SptCoverageRow, i);
		const SptObjectRow *object =
			row->object ? &info->capture->objects[row->object] : NULL;
		g_autofree char *build_id = object ? spt_info_build_id(object) : g_strdup("");

		spt_json_object(json, NULL);
		spt_json_text(json, "object", row->name);
		spt_json_text(json, "path",
			      object && object->path && *object->path ? object->path : NULL);
		spt_json_text(json, "build_id", *build_id ? build_id : NULL);
		spt_json_count(json, "weight", row->weight);
		spt_json_count(json, "named", row->named);
		spt_json_number(json, "weight_pct", spt_percent(row->weight, info->summary.weight));
		spt_json_number(json, "named_pct", spt_percent(row->named, row->weight));
		spt_json_text(json, "problem", row->problem);
		spt_json_object(json, "sources");
		for (unsigned source = 0; source < SPT_SOURCES; source++) {
			if (row->sources[source] > 0)
				spt_json_count(json, spt_source_name(source), row->sources[source]);
		}
		spt_json_end_object(json);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static void add_address(SptJson *json, const char *key, uint64_t address)
{
	g_autofree char *text = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", address);

	spt_json_text(json, key, text);
}

static void add_map(const struct spt_info *info, const SptProcessRow *process,
		    const SptMapSpan *span, const char *begins, void *data)
{
	const SptObjectRow *object = &info->capture->objects[span->map.object];
	g_autofree char *build_id = spt_info_build_id(object);
	SptJson *json = data;

	(void)begins;
	spt_json_object(json, NULL);
	spt_json_count(json, "pid", process->pid);
	spt_json_text(json, "process", process->name);
	add_address(json, "start", span->map.start);
	add_address(json, "end", span->map.end);
	spt_json_count(json, "offset", span->map.offset);
	spt_json_text(json, "path", *object->path ? object->path : NULL);
	spt_json_text(json, "build_id", *build_id ? build_id : NULL);
	spt_json_count(json, "from_ns", span->map.from);
	spt_json_flag(json, "was_there", span->map.is_seen);
	if (span->until == UINT64_MAX)
		spt_json_text(json, "until_ns", NULL);
	else
		spt_json_count(json, "until_ns", span->until);
	spt_json_flag(json, "was_gone", span->is_gone_by);
	spt_json_end_object(json);
}

/* Only for stacks that were unwound from copies. */
static void add_ends(SptJson *json, const struct spt_info *info)
{
	if (!spt_info_has_ends(info))
		return;
	spt_json_number(json, "whole_stacks_pct", spt_info_whole_pct(info));
	spt_json_object(json, "user_ends");
	for (unsigned end = 0; end < G_N_ELEMENTS(info->user_ends); end++)
		if (spt_info_end_key(end))
			spt_json_count(json, spt_info_end_key(end), info->user_ends[end]);
	spt_json_end_object(json);
}

void spt_info_print_json(const struct spt_info *info)
{
	SptJson *json = &(SptJson){ 0 };
	const SptCapture *capture = info->capture;

	spt_json_object(json, NULL);
	spt_json_text(json, "file", capture->path);
	spt_json_flag(json, "finished", capture->finished);
	spt_json_text(json, "damage", capture->damage);
	spt_json_count(json, "period_ns", spt_capture_period_ns(capture));
	spt_json_count(json, "duration_ns", info->summary.end_ns - info->summary.start_ns);
	spt_json_count(json, "samples", spt_fleet_samples(capture));
	spt_json_count(json, "weight", info->summary.weight);
	spt_json_count(json, "lost", info->summary.lost);
	if (info->summary.budget > 0)
		spt_json_number(json, "sampled_pct",
				spt_percent(info->summary.delivered,
					    info->summary.delivered + info->summary.budget));
	spt_json_count(json, "named", spt_coverage_named(info->coverage));
	spt_json_count(json, "bytes", capture->file_bytes);
	spt_json_number(json, "bytes_per_sample", info->bytes_per_sample);
	spt_json_count(json, "cost_ns_per_sample", spt_summary_cost_ns(&info->summary));
	spt_json_count(json, "processes", spt_info_processes(info));
	spt_json_count(json, "objects", spt_info_objects(info));
	add_ends(json, info);
	spt_cli_add_resident(json, capture);
	spt_cli_add_heap(json, capture);
	info_json_add_host(json, capture);
	add_streams(json, capture);
	spt_info_add_declared(json, capture);
	spt_info_add_sources(json, capture);
	info_json_add_threads(json, info);
	info_json_add_cpus(json, info->summary.cpus);
	info_json_add_losses(json, capture);
	add_command_lines(json, capture);
	spt_info_add_files(json, capture);
	add_coverage(json, info);
	spt_info_add_finders(json, info);
	if (info->has_maps) {
		spt_json_array(json, "maps");
		spt_info_each_map(info, add_map, json);
		spt_json_end_array(json);
	}
	spt_json_end_object(json);
}

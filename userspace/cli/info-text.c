/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "events/facts.h"
#include "info-finders.h"
#include "info-sources.h"
#include "info.h"
#include "info-declared.h"
#include "memory-use.h"
#include "profile/wholeness.h"
#include "span.h"
#include "import/fleet.h"

#define OBJECTS_SHOWN 20

static void print_fact(const char *key, const char *value)
{
	g_autofree char *shown_key = spt_format_cut(key, 0);
	g_autofree char *shown = spt_format_cut(value, 0);

	printf("%-18s %s\n", shown_key, shown);
}

/* The option that would have made room for them; NULL: nothing is known to help. */
static const char *help_for_loss(unsigned reason)
{
	switch (reason) {
	case SPT_LOST_RING_FULL:
		return "more room helps: record --ring-bytes 16M; or a lower rate: -F 500";
	case SPT_LOST_TOO_BIG:
		return "larger rings or shorter copies of stacks help: record --ring-bytes 16M, --stacks dwarf,8192";
	case SPT_LOST_THROTTLED:
		return "a lower rate helps: record -F 500";
	default:
		return NULL;
	}
}

struct loss {
	uint64_t n_gaps, weight, first, last;
};

/* @reason SPT_LOST_REASONS: all unknown reasons. */
static struct loss info_text_add_losses(const SptCapture *capture, unsigned reason)
{
	struct loss sum = { .first = UINT64_MAX };

	for (uint64_t i = 0; i < capture->n_losses; i++) {
		const SptLossRow *loss = &capture->losses[i];

		if (MIN(loss->reason, SPT_LOST_REASONS) != reason)
			continue;
		sum.n_gaps++;
		sum.weight += loss->weight;
		sum.first = MIN(sum.first, loss->first_time);
		sum.last = MAX(sum.last, loss->last_time);
	}
	return sum;
}

/* "2026-11-23 14:03:10 on vm, Linux 6.1, by perf events: make -j2" */
static void print_recorded(const SptCapture *capture)
{
	const char *source = spt_capture_host(capture, "source"),
		   *host = spt_capture_host(capture, "host"),
		   *kernel = spt_capture_host(capture, "kernel"),
		   *command = spt_capture_host(capture, "command"),
		   *start = spt_capture_host(capture, "start_realtime_ns");
	g_autoptr(GString) text = g_string_new(NULL);
	guint64 start_ns;

	if (start && g_ascii_string_to_unsigned(start, 10, 1, INT64_MAX, &start_ns, NULL)) {
		g_autoptr(GDateTime) date =
			g_date_time_new_from_unix_local((gint64)(start_ns / 1000000000));
		g_autofree char *shown = date ? g_date_time_format(date, "%F %T") : NULL;

		g_string_append(text, shown ? shown : "");
	}
	if (host)
		g_string_append_printf(text, "%son %s", text->len ? " " : "", host);
	if (kernel)
		g_string_append_printf(text, "%sLinux %s", text->len ? ", " : "", kernel);
	if (source)
		g_string_append_printf(text, "%sby %s", text->len ? ", " : "",
				       strcmp(source, "perf") == 0   ? "perf events" :
				       strcmp(source, "module") == 0 ? "the module" :
								       source);
	if (command)
		g_string_append_printf(text, "%s%s", text->len ? ": " : "", command);
	if (text->len)
		print_fact("recorded", text->str);
}

/* Number of losses, reason and time, and how to avoid them. */
static void print_lost(const struct spt_info *info)
{
	const SptSummary *summary = &info->summary;
	const SptCapture *capture = info->capture;
	g_autofree char *lost = spt_format_count(summary->lost);
	g_autofree char *all = spt_format_count(summary->weight + summary->lost);

	if (summary->lost == 0)
		print_fact("lost", "no samples");
	else
		printf("%-18s %s%s of %s periods (%.2f %%)%s\n", "lost",
		       spt_color(SPT_COLOR_HOT), lost, all,
		       spt_percent(summary->lost, summary->weight + summary->lost),
		       spt_color(SPT_COLOR_OFF));
	for (unsigned reason = 0; reason <= SPT_LOST_REASONS; reason++) {
		struct loss loss = info_text_add_losses(capture, reason);
		const char *help = help_for_loss(reason);

		if (loss.n_gaps == 0)
			continue;
		printf("%-18s %s: %" PRIu64 " in %" PRIu64 " %s, from %.3f to %.3f s\n", "",
		       spt_lost_reason_name(reason), loss.weight, loss.n_gaps,
		       loss.n_gaps == 1 ? "gap" : "gaps",
		       (double)(int64_t)(loss.first - summary->start_ns) / 1e9,
		       (double)(int64_t)(loss.last - summary->start_ns) / 1e9);
		if (help)
			printf("%-18s -> %s\n", "", help);
	}
	spt_info_print_source_losses(capture);
}

/* Number of whole stacks; if few, where the others stop and what helps. */
static void info_text_print_stacks(const SptCapture *capture)
{
	g_autofree char *line = NULL;
	const char *text;
	double pct;

	if (!spt_wholeness(capture, NULL, &pct, &line))
		return;
	text = line && strchr(line, ':') ? g_strchug(strchr(line, ':') + 1) : NULL;
	if (text)
		print_fact("stacks", text);
	else
		printf("%-18s %.1f %% complete\n", "stacks", pct);
}

/* The first questions of people: duration, losses, and how many stacks are whole. */
static void print_first(const struct spt_info *info)
{
	const SptCapture *capture = info->capture;
	const SptSummary *summary = &info->summary;
	g_autofree char *samples = spt_format_count(spt_fleet_samples(capture));
	g_autofree char *weight = spt_format_count(summary->weight);
	g_autofree char *duration = spt_cli_span(capture, summary, "");
	g_autofree char *period = spt_format_period(capture);

	print_recorded(capture);
	print_fact("duration", duration);
	if (capture->damage)
		print_fact("finished", "not known: damaged, what follows is what can be read");
	else if (!capture->finished)
		print_fact("finished", "no: cut off, complete up to its last flush");
	printf("%-18s %s, of %s periods; %s\n", "samples", samples, weight, period);
	print_lost(info);
	info_text_print_stacks(capture);
	spt_cli_print_resident(capture, info->summary.start_ns, 18);
	spt_cli_print_heap(capture, info->summary.start_ns, 18);
	printf("%-18s %.2f %% of the weight is in functions with a name\n", "named",
	       spt_percent(spt_coverage_named(info->coverage), summary->weight));
	if (summary->budget > 0)
		printf("%-18s lowered to keep to the budget of CPU time: %.1f %% of the periods were sampled\n",
		       "rate",
		       spt_percent(summary->delivered, summary->delivered + summary->budget));
}

static void print_rest(const struct spt_info *info)
{
	const SptCapture *capture = info->capture;
	g_autofree char *bytes = spt_format_bytes(capture->file_bytes);
	g_autofree char *cost = spt_format_ns(spt_summary_cost_ns(&info->summary));

	printf("\n");
	print_fact("file", capture->path);
	printf("%-18s %s, %.1f bytes per sample\n", "size", bytes, info->bytes_per_sample);
	if (info->summary.ticks > 0)
		printf("%-18s %s per sample\n", "cost", cost);
	printf("%-18s %" PRIu32 "\n", "processes", spt_info_processes(info));
	printf("%-18s %" PRIu32 "\n", "objects", spt_info_objects(info));
}

static void print_sources(const struct spt_info *info)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned source = 0; source < SPT_SOURCES; source++) {
		uint64_t weight = spt_coverage_from(info->coverage, source);

		if (weight > 0)
			g_string_append_printf(text, "%s%.2f %% %s", text->len ? ", " : "",
					       spt_percent(weight, info->summary.weight),
					       spt_source_name(source));
	}
	if (text->len)
		print_fact("names from", text->str);
}

/* Reason why the stacks have no more frames. */
static void print_ends(const struct spt_info *info)
{
	uint64_t all = 0;
	const char *comma = "";

	for (unsigned end = 0; spt_info_has_ends(info) && end < G_N_ELEMENTS(info->user_ends);
	     end++)
		all += spt_info_end_key(end) ? info->user_ends[end] : 0;
	if (!all)
		return;
	printf("%-18s ", "user stacks");
	for (unsigned end = 0; end < G_N_ELEMENTS(info->user_ends); end++) {
		if (!spt_info_end_text(end) || !info->user_ends[end])
			continue;
		printf("%s%.1f %% %s", comma, spt_percent(info->user_ends[end], all),
		       spt_info_end_text(end));
		comma = ", ";
	}
	printf("\n");
}

static void print_host(const SptCapture *capture)
{
	g_autoptr(GList) keys =
		g_list_sort(g_hash_table_get_keys(capture->host), (GCompareFunc)g_strcmp0);

	if (keys)
		printf("\n%sRecorded on%s\n", spt_color(SPT_COLOR_TITLE),
		       spt_color(SPT_COLOR_OFF));
	for (const GList *key = keys; key; key = key->next)
		print_fact(key->data, spt_capture_host(capture, key->data));
}

static void print_streams(const SptCapture *capture)
{
	printf("\n%s%-18s %-8s %-10s %-8s %12s%s\n", spt_color(SPT_COLOR_TITLE), "Stream", "Kind",
	       "Metric", "Unit", "Rows", spt_color(SPT_COLOR_OFF));
	for (uint32_t i = 0; i < capture->n_streams; i++) {
		const SptStreamRow *stream = &capture->streams[i];
		g_autofree char *name = spt_format_cut(stream->name ? stream->name : "", 18);
		g_autofree char *metric = spt_format_cut(stream->metric ? stream->metric : "", 10);
		g_autofree char *unit = spt_format_cut(stream->unit ? stream->unit : "", 8);

		if (stream->id != 0)
			printf("%-18s %-8s %-10s %-8s %12" PRIu64 "\n", name,
			       spt_info_stream_kind(stream->kind), metric, unit, stream->rows);
	}
}

static void print_cpus(const GArray *cpus)
{
	if (cpus->len == 0)
		return;
	printf("\nWhere each CPU's periods went; the residue is what the account leaves unexplained: 0 if it holds\n");
	printf("%s%5s %12s %12s %10s %12s %10s %10s %10s %8s %8s%s\n",
	       spt_color(SPT_COLOR_TITLE), "CPU", "Periods", "Delivered",
	       "Lost", "Idle", "Offline", "Excluded", "Budget", "Pending", "Residue",
	       spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; i < cpus->len; i++) {
		const SptCpuSummary *cpu = &g_array_index(cpus, SptCpuSummary, i);
		const SptAccountRow *account = cpu->account;

		printf("%5" PRIu32 " %12" PRIu64 " %12" PRIu64 " %10" PRIu64 " %12" PRIu64
		       " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8" PRIu64 " %8" PRId64 "\n",
		       account->cpu, account->grid, account->delivered, spt_account_lost(account),
		       account->idle, account->offline, account->excluded, account->budget,
		       account->pending, spt_account_residue(account));
		if (account->filtered > 0)
			printf("      of these %" PRIu64 " delivered but filtered out, as asked\n",
			       account->filtered);
		if (spt_cpu_summary_missing(cpu) > 0)
			printf("      and %" PRId64 " of those delivered are missing in the file\n",
			       spt_cpu_summary_missing(cpu));
		else if (spt_cpu_summary_missing(cpu) < 0)
			printf("      and the file has %" PRId64 " more than were delivered\n",
			       -spt_cpu_summary_missing(cpu));
		if (account->state_lost > 0)
			printf("      and %" PRIu64 " records of processes and mappings lost\n",
			       account->state_lost);
	}
}

/* "libc.so.6" is printed by its path, where it has one. */
static const char *info_text_object_name(const SptCapture *capture, const SptCoverageRow *row)
{
	const char *path = row->object ? capture->objects[row->object].path : NULL;

	return path && *path && row->name[0] != '[' ? path : row->name;
}

static void print_coverage(const struct spt_info *info)
{
	uint64_t all = info->summary.weight;
	unsigned shown = MIN(info->coverage->len, OBJECTS_SHOWN);
	bool a_file_lacks = false;

	if (info->coverage->len > 0)
		printf("\n%8s  %7s  Object that has the innermost function, and why names are missing\n",
		       "Of all %", "Named %");
	for (unsigned i = 0; i < shown; i++) {
		const SptCoverageRow *row = &g_array_index(info->coverage, SptCoverageRow, i);
		g_autofree char *line =
			g_strdup_printf("%s%s%s", info_text_object_name(info->capture, row),
					row->problem ? ": " : "", row->problem ? row->problem : "");
		g_autofree char *text = spt_format_cut(line, 0);

		a_file_lacks |=
			row->problem && info->capture->objects[row->object].kind == SPT_OBJECT_FILE;
		printf("%8.2f  %7.2f  %s\n", spt_percent(row->weight, all),
		       spt_percent(row->named, row->weight), text);
	}
	if (info->coverage->len > shown)
		printf("                   and %u more; --json lists all\n",
		       info->coverage->len - shown);
	if (a_file_lacks)
		printf("Debug packages of these files (-dbgsym, -debuginfo) bring names, also for a recording that is there already.\n");
}

void spt_info_print_text(const struct spt_info *info)
{
	print_first(info);
	print_rest(info);
	print_sources(info);
	print_ends(info);
	print_host(info->capture);
	print_streams(info->capture);
	spt_info_print_declared(info->capture);
	print_cpus(info->summary.cpus);
	print_coverage(info);
	spt_info_print_finders(info);
}

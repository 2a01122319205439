/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info as text. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "info.h"
#include "symbols/symbols.h"

#define UNNAMED_SHOWN 10
#define LOSSES_SHOWN 20

static void print_fact(const char *key, const char *value)
{
	g_autofree char *shown_key = spt_format_cut(key, 0);
	g_autofree char *shown = spt_format_cut(value, 0);

	printf("%-18s %s\n", shown_key, shown);
}

static void print_summary(const struct spt_info *info)
{
	const SptCapture *capture = info->capture;
	g_autofree char *samples = spt_format_count(capture->n_samples);
	g_autofree char *weight = spt_format_count(info->summary.weight);
	g_autofree char *lost = spt_format_count(info->summary.lost);
	g_autofree char *bytes = spt_format_bytes(capture->file_bytes);
	g_autofree char *duration = spt_format_ns(info->summary.end_ns - info->summary.start_ns);
	g_autofree char *period = spt_format_ns(spt_capture_period_ns(capture));
	g_autofree char *cost = spt_format_ns(spt_summary_cost_ns(&info->summary));

	print_fact("file", capture->path);
	printf("%-18s %s, %.1f bytes per sample\n", "size", bytes, info->bytes_per_sample);
	printf("%-18s %s\n", "finished", capture->finished ? "yes" : "no: cut off, complete up to its last flush");
	printf("%-18s %s\n", "duration", duration);
	printf("%-18s %s, of %s periods of %s\n", "samples", samples, weight, period);
	printf("%-18s %s periods\n", "lost", lost);
	if (info->summary.budget > 0)
		printf("%-18s lowered to keep to the budget of CPU time: %.1f %% of the periods were sampled\n", "rate",
		       spt_percent(info->summary.delivered, info->summary.delivered + info->summary.budget));
	if (info->summary.ticks > 0)
		printf("%-18s %s per sample\n", "cost", cost);
	printf("%-18s %" PRIu32 "\n", "processes", spt_info_processes(info));
	printf("%-18s %" PRIu32 "\n", "objects", spt_info_objects(info));
}

static void print_host(const SptCapture *capture)
{
	g_autoptr(GList) keys = g_list_sort(g_hash_table_get_keys(capture->host), (GCompareFunc)g_strcmp0);

	if (keys)
		printf("\nRecorded on\n");
	for (const GList *key = keys; key; key = key->next)
		print_fact(key->data, spt_capture_host(capture, key->data));
}

static void print_streams(const SptCapture *capture)
{
	printf("\n%-18s %-8s %-10s %-8s %12s\n", "Stream", "Kind", "Metric", "Unit", "Rows");
	for (uint32_t i = 0; i < capture->n_streams; i++) {
		const SptStreamRow *stream = &capture->streams[i];
		g_autofree char *name = spt_format_cut(stream->name ? stream->name : "", 18);
		g_autofree char *metric = spt_format_cut(stream->metric ? stream->metric : "", 10);
		g_autofree char *unit = spt_format_cut(stream->unit ? stream->unit : "", 8);

		if (stream->id != 0)
			printf("%-18s %-8s %-10s %-8s %12" PRIu64 "\n", name, spt_info_stream_kind(stream->kind),
			       metric, unit, stream->rows);
	}
}

static void print_cpus(const GArray *cpus)
{
	if (cpus->len == 0)
		return;
	printf("\nWhere each CPU's periods went; the residue is what the account leaves unexplained: 0 if it holds\n");
	printf("%5s %12s %12s %10s %12s %10s %10s %10s %8s %8s\n", "CPU", "Periods", "Delivered", "Lost", "Idle", "Offline",
	       "Excluded", "Budget", "Pending", "Residue");
	for (unsigned i = 0; i < cpus->len; i++) {
		const SptCpuSummary *cpu = &g_array_index(cpus, SptCpuSummary, i);
		const SptAccountRow *account = cpu->account;

		printf("%5" PRIu32 " %12" PRIu64 " %12" PRIu64 " %10" PRIu64 " %12" PRIu64 " %10" PRIu64 " %10" PRIu64
		       " %10" PRIu64 " %8" PRIu64 " %8" PRId64 "\n", account->cpu, account->grid, account->delivered,
		       spt_account_lost(account), account->idle, account->offline, account->excluded, account->budget,
		       account->pending, spt_account_residue(account));
		if (account->filtered > 0)
			printf("      of these %" PRIu64 " delivered but filtered out, as asked\n", account->filtered);
		if (spt_cpu_summary_missing(cpu) != 0)
			printf("      and %" PRId64 " of those delivered are missing in the file\n", spt_cpu_summary_missing(cpu));
		if (account->state_lost > 0)
			printf("      and %" PRIu64 " records of processes and mappings lost\n", account->state_lost);
	}
}

static void print_losses(const struct spt_info *info)
{
	const SptCapture *capture = info->capture;
	uint64_t start = info->summary.start_ns;

	if (capture->n_losses > 0)
		printf("\n%5s %12s %12s %10s  %s\n", "CPU", "From s", "To s", "Periods", "Lost because");
	for (uint64_t i = 0; i < capture->n_losses && i < LOSSES_SHOWN; i++) {
		const SptLossRow *loss = &capture->losses[i];

		printf("%5" PRIu32 " %12.6f %12.6f %10" PRIu64 "  %s\n", loss->cpu,
		       (double)(int64_t)(loss->first_time - start) / 1e9, (double)(int64_t)(loss->last_time - start) / 1e9,
		       loss->weight, spt_lost_reason_name(loss->reason));
	}
	if (capture->n_losses > LOSSES_SHOWN)
		printf("      and %" PRIu64 " more; --json lists all\n", capture->n_losses - LOSSES_SHOWN);
}

static int compare_weights(gconstpointer a, gconstpointer b, gpointer data)
{
	const uint64_t *weights = data;
	uint64_t x = weights[*(const uint32_t *)a], y = weights[*(const uint32_t *)b];

	return (x < y) - (x > y);
}

/* By object: weight of the samples whose innermost frame has no name. */
static uint64_t *weigh_unnamed(const SptCapture *capture, SptSymbols *symbols)
{
	uint64_t *weights = g_new0(uint64_t, MAX(capture->n_objects, 1));
	g_autofree uint64_t *nodes = g_new0(uint64_t, MAX(capture->n_nodes, 1));
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	const SptSampleRow *rows;
	uint32_t n;

	while ((rows = spt_samples_next(samples, &n)))
		for (uint32_t i = 0; i < n; i++)
			nodes[rows[i].node] += rows[i].weight;
	for (uint32_t i = 1; i < capture->n_nodes; i++) {
		const SptFrame *frame = &capture->nodes[i].frame;

		if (nodes[i] > 0 && !spt_symbols_name(symbols, frame).has_symbol)
			weights[frame->object < capture->n_objects ? frame->object : 0] += nodes[i];
	}
	return weights;
}

static void print_unnamed(const struct spt_info *info)
{
	const SptCapture *capture = info->capture;
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autofree uint64_t *weights = weigh_unnamed(capture, symbols);
	g_autofree uint32_t *order = g_new(uint32_t, MAX(capture->n_objects, 1));
	uint32_t n = 0;

	for (uint32_t i = 0; i < capture->n_objects; i++) {
		if (weights[i] > 0)
			order[n++] = i;
	}
	if (n == 0)
		return;
	g_qsort_with_data(order, n, sizeof(*order), compare_weights, weights);
	printf("\n%7s  Objects whose functions have no names\n", "Of all %");
	for (uint32_t i = 0; i < n && i < UNNAMED_SHOWN; i++) {
		const SptObjectRow *object = &capture->objects[order[i]];
		SptFrame frame = { .object = order[i] };
		const char *problem = spt_symbols_problem(symbols, order[i]);
		const char *path = object->id && object->path && *object->path ? object->path :
			spt_symbols_name(symbols, &frame).object;
		g_autofree char *shown = spt_format_cut(path, 0);

		printf("%8.2f  %s%s%s\n", spt_percent(weights[order[i]], info->summary.weight), shown,
		       problem ? ": " : "", problem ? problem : "");
	}
}

void spt_info_print_text(const struct spt_info *info)
{
	print_summary(info);
	print_host(info->capture);
	print_streams(info->capture);
	print_cpus(info->summary.cpus);
	print_losses(info);
	print_unnamed(info);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounts are cumulative, some for each CPU and second: the last of each CPU counts. */
#include "profile/summary.h"

#include "capture/declared.h"

static uint64_t host_number(const SptCapture *capture, const char *key)
{
	const char *text = spt_capture_host(capture, key);
	uint64_t value = 0;

	return text && g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, &value, NULL) ? value :
											   0;
}

static int compare_cpus(gconstpointer a, gconstpointer b)
{
	uint32_t x = ((const SptCpuSummary *)a)->account->cpu,
		 y = ((const SptCpuSummary *)b)->account->cpu;

	return (x > y) - (x < y);
}

static void take_accounts(SptSummary *summary, const SptCapture *capture)
{
	g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);
	GHashTableIter iter;
	gpointer row;

	for (uint64_t i = 0; i < capture->n_accounts; i++)
		g_hash_table_insert(last, GUINT_TO_POINTER(capture->accounts[i].cpu),
				    &capture->accounts[i]);
	g_hash_table_iter_init(&iter, last);
	while (g_hash_table_iter_next(&iter, NULL, &row)) {
		SptCpuSummary cpu = { .account = row };

		g_array_append_val(summary->cpus, cpu);
		summary->lost += spt_account_lost(row);
		summary->delivered += cpu.account->delivered;
		summary->budget += cpu.account->budget;
		summary->cost_ns += cpu.account->cost_ns;
		summary->ticks += cpu.account->ticks;
		summary->end_ns = MAX(summary->end_ns, cpu.account->time);
	}
	g_array_sort(summary->cpus, compare_cpus);
	for (uint64_t i = 0; summary->cpus->len == 0 && i < capture->n_losses; i++)
		summary->lost += capture->losses[i].weight;
}

/* By CPU; CPUs without an account have no entry. */
static SptCpuSummary **index_cpus(const SptSummary *summary, uint32_t *ret_n)
{
	GArray *cpus = summary->cpus;
	uint32_t n = cpus->len ? g_array_index(cpus, SptCpuSummary, cpus->len - 1).account->cpu : 0;
	SptCpuSummary **by_cpu;

	/* No machine has this many; a hostile file might claim so. */
	*ret_n = cpus->len && n < UINT16_MAX ? n + 1 : 0;
	by_cpu = g_new0(SptCpuSummary *, *ret_n + 1);
	for (unsigned i = 0; *ret_n && i < cpus->len; i++) {
		SptCpuSummary *cpu = &g_array_index(cpus, SptCpuSummary, i);

		by_cpu[cpu->account->cpu] = cpu;
	}
	return by_cpu;
}

void spt_summary_count_cpus(SptSummary *summary, const SptCapture *capture)
{
	uint32_t n, n_rows;
	g_autofree SptCpuSummary **by_cpu = index_cpus(summary, &n);
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	const SptSampleRow *rows;

	while ((rows = spt_samples_next(samples, &n_rows))) {
		for (uint32_t i = 0; i < n_rows; i++) {
			SptCpuSummary *cpu = rows[i].cpu < n ? by_cpu[rows[i].cpu] : NULL;

			if (cpu && rows[i].time <= cpu->account->time)
				cpu->weight += rows[i].weight;
			else if (cpu)
				cpu->weight_after += rows[i].weight;
		}
	}
}

/* A recording without samples lasts from its first declared event to the end of its last one. */
static uint64_t take_declared(SptSummary *summary, const SptCapture *capture)
{
	const SptDeclared *kind;
	uint64_t first = UINT64_MAX;

	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++) {
		g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, kind);
		const SptDeclaredRow *rows;
		uint32_t n;

		while ((rows = spt_declared_reader_next(reader, &n)))
			for (uint32_t k = 0; k < n; k++) {
				uint64_t time = rows[k].time,
					 rest = UINT64_MAX - time;

				first = MIN(first, time);
				summary->end_ns = MAX(summary->end_ns,
						      time + MIN(rows[k].duration_ns, rest));
			}
	}
	return first;
}

void spt_summary_init(SptSummary *summary, const SptCapture *capture)
{
	uint64_t first = capture->first_time, start = host_number(capture, "start_time");

	*summary = (SptSummary){
		.samples = capture->n_samples,
		.weight = capture->weight,
		.period_ns = spt_capture_period_ns(capture),
		.cpus = g_array_new(FALSE, FALSE, sizeof(SptCpuSummary)),
	};
	take_accounts(summary, capture);
	if (capture->n_samples == 0)
		first = take_declared(summary, capture);
	summary->end_ns = MAX(summary->end_ns, capture->last_time);
	summary->start_ns = start != 0 ? MIN(start, first) : MIN(first, summary->end_ns);
	summary->end_ns = MAX(summary->end_ns, summary->start_ns);

	summary->n_cpus = summary->cpus->len;
	if (summary->n_cpus == 0)
		summary->n_cpus = (unsigned)MIN(host_number(capture, "cpus"), G_MAXUINT);
	/* A file that says of no sample where it ran has all on the first one. */
	if (summary->n_cpus == 0 && capture->n_samples > 0 && capture->last_cpu > 0)
		summary->n_cpus = capture->last_cpu + 1;
	if (summary->ticks == 0) {
		summary->cost_ns = host_number(capture, "cost_ns");
		summary->ticks = host_number(capture, "ticks");
	}
}

void spt_summary_clear(SptSummary *summary)
{
	g_clear_pointer(&summary->cpus, g_array_unref);
}

uint64_t spt_summary_cost_ns(const SptSummary *summary)
{
	return summary->ticks ? summary->cost_ns / summary->ticks : 0;
}

int64_t spt_cpu_summary_missing(const SptCpuSummary *cpu)
{
	return (int64_t)(cpu->account->delivered - cpu->account->filtered - cpu->weight);
}

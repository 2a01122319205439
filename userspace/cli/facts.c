/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums over a recording.  Where it lacks a fact (it was cut off early), the samples themselves stand in. */
#include "facts.h"

static uint64_t host_number(const SptCapture *capture, const char *key)
{
	const char *text = spt_capture_host(capture, key);
	uint64_t value = 0;

	return text && g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, &value, NULL) ? value : 0;
}

static int compare_cpus(gconstpointer a, gconstpointer b)
{
	const SptAccountRow *x = *(SptAccountRow *const *)a, *y = *(SptAccountRow *const *)b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void take_accounts(struct spt_facts *facts, const SptCapture *capture)
{
	g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);
	GHashTableIter iter;
	gpointer row;

	for (uint64_t i = 0; i < capture->n_accounts; i++)
		g_hash_table_insert(last, GUINT_TO_POINTER(capture->accounts[i].cpu), &capture->accounts[i]);

	facts->accounts = g_ptr_array_new();
	g_hash_table_iter_init(&iter, last);
	while (g_hash_table_iter_next(&iter, NULL, &row))
		g_ptr_array_add(facts->accounts, row);
	g_ptr_array_sort(facts->accounts, compare_cpus);

	for (unsigned i = 0; i < facts->accounts->len; i++) {
		const SptAccountRow *account = facts->accounts->pdata[i];

		facts->lost += spt_account_lost(account);
		facts->cost_ns += account->cost_ns;
		facts->ticks += account->ticks;
		facts->end_ns = MAX(facts->end_ns, account->time);
	}
	if (facts->accounts->len == 0) {
		for (uint64_t i = 0; i < capture->n_losses; i++)
			facts->lost += capture->losses[i].weight;
	}
}

void spt_facts_init(struct spt_facts *facts, const SptCapture *capture)
{
	uint64_t first = UINT64_MAX, start = host_number(capture, "start_time");
	uint32_t last_cpu = 0;

	*facts = (struct spt_facts){ 0 };
	take_accounts(facts, capture);
	for (uint64_t i = 0; i < capture->n_samples; i++) {
		const SptSampleRow *sample = &capture->samples[i];

		first = MIN(first, sample->time);
		facts->end_ns = MAX(facts->end_ns, sample->time);
		facts->weight += sample->weight;
		last_cpu = MAX(last_cpu, sample->cpu);
	}
	facts->start_ns = start != 0 ? MIN(start, first) : MIN(first, facts->end_ns);
	facts->end_ns = MAX(facts->end_ns, facts->start_ns);

	facts->n_cpus = facts->accounts->len;
	if (facts->n_cpus == 0)
		facts->n_cpus = host_number(capture, "cpus");
	if (facts->n_cpus == 0 && capture->n_samples > 0)
		facts->n_cpus = last_cpu + 1;
	if (facts->ticks == 0) {
		facts->cost_ns = host_number(capture, "cost_ns");
		facts->ticks = host_number(capture, "ticks");
	}
}

void spt_facts_clear(struct spt_facts *facts)
{
	g_clear_pointer(&facts->accounts, g_ptr_array_unref);
}

uint64_t spt_facts_cost_ns(const struct spt_facts *facts)
{
	return facts->ticks ? facts->cost_ns / facts->ticks : 0;
}

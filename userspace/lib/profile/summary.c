/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounts are cumulative, one row a CPU and second: the last of each CPU counts. */
#include "profile/summary.h"

static uint64_t host_number(const SptCapture *capture, const char *key)
{
	const char *text = spt_capture_host(capture, key);
	uint64_t value = 0;

	return text && g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, &value, NULL) ? value : 0;
}

static void add_up_losses(const SptCapture *capture, SptSummary *summary, uint64_t *end)
{
	g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);
	GHashTableIter iter;
	gpointer row;

	for (uint64_t i = 0; i < capture->n_accounts; i++)
		g_hash_table_insert(last, GUINT_TO_POINTER(capture->accounts[i].cpu), &capture->accounts[i]);
	g_hash_table_iter_init(&iter, last);
	while (g_hash_table_iter_next(&iter, NULL, &row)) {
		const SptAccountRow *account = row;

		summary->lost += spt_account_lost(account);
		*end = MAX(*end, account->time);
	}
	summary->cpus = g_hash_table_size(last);
	for (uint64_t i = 0; summary->cpus == 0 && i < capture->n_losses; i++)
		summary->lost += capture->losses[i].weight;
}

void spt_summary_make(const SptCapture *capture, SptSummary *ret)
{
	uint64_t start = host_number(capture, "start_time"), begin = UINT64_MAX, end = 0;
	SptSummary summary = { .samples = capture->n_samples, .period_ns = spt_capture_period_ns(capture) };

	add_up_losses(capture, &summary, &end);
	for (uint64_t i = 0; i < capture->n_samples; i++) {
		begin = MIN(begin, capture->samples[i].time);
		end = MAX(end, capture->samples[i].time);
	}
	if (start != 0)
		begin = MIN(begin, start);
	summary.duration_ns = end > begin ? end - begin : 0;
	if (summary.cpus == 0)
		summary.cpus = (unsigned)MIN(host_number(capture, "cpus"), G_MAXUINT);
	*ret = summary;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report-rates.h"

#include "profile/selection.h"
#include "profile/summary.h"

/*
 * No row has the reading before the first one.  A process that began during the recording was read
 * as often at first as it was later.
 */
static uint64_t first_interval(const SptCapture *capture, const SptDeclared *kind,
			       uint64_t start_ns)
{
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, kind);
	const SptProcessRow *process = NULL;
	uint64_t first = 0, second = 0;
	const SptDeclaredRow *rows;
	uint32_t n;

	while (!second && (rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n && !second; i++) {
			if (!first) {
				first = rows[i].time;
				process = spt_process_of_thread(capture, rows[i].thread);
			}
			second = rows[i].time > first ? rows[i].time : 0;
		}
	if (!process || process->start_time <= start_ns)
		return first - MIN(start_ns, first);
	return MIN(first - MIN(process->start_time, first), second ? second - first : UINT64_MAX);
}

void spt_rates_init(struct spt_rates *rates, const struct spt_report *report,
		    const SptDeclared *kind)
{
	SptSummary summary;

	spt_summary_init(&summary, report->capture);
	*rates = (struct spt_rates){
		.first_ns = first_interval(report->capture, kind, summary.start_ns),
	};
	spt_summary_clear(&summary);
}

void spt_rates_see(struct spt_rates *rates, uint64_t time)
{
	if (time <= rates->now)
		return;
	rates->before = rates->now ? rates->now : time - rates->first_ns;
	rates->now = time;
}

double spt_rates_weight(const struct spt_rates *rates, const SptDeclaredField *field)
{
	return g_str_has_suffix(field->unit, "/s") ? (double)(rates->now - rates->before) : 1;
}

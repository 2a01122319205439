/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts about memory that two commands share. */
#include "memory-use.h"

#include <stdio.h>

#include "cmd.h"
#include "profile/allocations.h"
#include "profile/memory-use.h"

static void print_line(const char *name, int width, const char *text)
{
	if (width)
		printf("%-*s %s\n", width, name, text);
	else
		printf("%s: %s\n", name, text);
}

void spt_cli_print_resident(const SptCapture *capture, uint64_t start_ns, int width)
{
	g_autofree char *text = NULL;
	SptMemoryUse use;

	if (!spt_resident_use(capture, &use))
		return;
	text = spt_memory_use_text(&use, start_ns, spt_format_bytes);
	print_line("resident memory", width, text);
}

void spt_cli_print_heap(const SptCapture *capture, uint64_t start_ns, int width)
{
	const char *attached = spt_capture_host(capture, "memory_attached");
	g_autofree char *bytes = NULL, *calls = NULL, *all = NULL, *text = NULL, *part = NULL;
	SptAllocationSums sums;
	SptMemoryUse use;

	if (!spt_allocation_sums(capture, &sums))
		return;
	bytes = spt_format_bytes(sums.bytes);
	calls = spt_format_count(sums.calls);
	if (sums.has_temporary)
		part = g_strdup_printf(", %.1f %% of it temporary",
				       spt_percent(sums.temporary, sums.bytes));
	all = g_strdup_printf("%s by %s calls%s", bytes, calls, part ? part : "");
	use = (SptMemoryUse){ .most = sums.most, .most_time = sums.most_time, .last = sums.live };
	text = spt_memory_use_text(&use, start_ns, spt_format_bytes);
	print_line("allocated", width, all);
	print_line(attached ? "live memory, without what the process had before" : "live memory",
		   width, text);
}

void spt_cli_add_resident(SptJson *json, const SptCapture *capture)
{
	SptMemoryUse use;

	if (!spt_resident_use(capture, &use))
		return;
	spt_json_object(json, "resident");
	spt_json_count(json, "first", use.first);
	spt_json_count(json, "most", use.most);
	spt_json_count(json, "most_time_ns", use.most_time);
	spt_json_count(json, "last", use.last);
	spt_json_end_object(json);
}

void spt_cli_add_heap(SptJson *json, const SptCapture *capture)
{
	SptAllocationSums sums;

	if (!spt_allocation_sums(capture, &sums))
		return;
	spt_json_object(json, "heap");
	spt_json_count(json, "bytes", sums.bytes);
	spt_json_count(json, "calls", sums.calls);
	spt_json_count(json, "freed", sums.freed);
	if (sums.has_temporary)
		spt_json_count(json, "temporary", sums.temporary);
	spt_json_count(json, "most", sums.most);
	spt_json_count(json, "most_time_ns", sums.most_time);
	spt_json_count(json, "last", sums.live);
	spt_json_end_object(json);
}

bool spt_cli_is_of_heap(const SptMetric *metric)
{
	return metric->option && g_str_has_prefix(metric->option, "--memory");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts and names that info uses in both text and JSON. */
#include "info.h"

#include "capture/format.h"
#include "cmd.h"
#include "events/facts.h"

uint32_t spt_info_processes(const struct spt_info *info)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < info->capture->n_processes; i++)
		n += info->capture->processes[i].id != 0;
	return n;
}

uint32_t spt_info_objects(const struct spt_info *info)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < info->capture->n_objects; i++)
		n += info->capture->objects[i].id != 0 &&
		     info->capture->objects[i].kind != SPT_OBJECT_EMBEDDED;
	return n;
}

const char *spt_info_stream_kind(uint32_t kind)
{
	static const char *const names[] = { "samples", "spans", "counter", "marks",
					     "sums",	"switches" };

	return kind < G_N_ELEMENTS(names) ? names[kind] : "unknown";
}

/* For stacks that were unwound, and for others. */
static const struct {
	const char *key, *text;
} ends[] = {
	[SPT_END_ROOT] = { "root", "whole" },
	[SPT_END_LIMIT] = { "limit", "with too many frames" },
	[SPT_END_FAULT] = { "fault", "at memory that was not there" },
	[SPT_END_BAD] = { "bad_memory", "lost in memory that is no stack" },
	[SPT_END_UNMAPPED] = { "unmapped", "lost outside of code" },
	[SPT_END_CUT] = { "cut", "cut off by the copy's size" },
	[SPT_END_NO_INFO] = { "no_info", "at code without unwind information" },
	[SPT_END_FRAME_POINTERS] = { "frame_pointers", "along frame pointers" },
};

bool spt_info_has_ends(const struct spt_info *info)
{
	return spt_capture_host(info->capture, "stacks") != NULL;
}

double spt_info_whole_pct(const struct spt_info *info)
{
	uint64_t all = 0;

	for (unsigned end = 0; end < G_N_ELEMENTS(info->user_ends); end++)
		all += spt_info_end_key(end) ? info->user_ends[end] : 0;
	return all ? spt_percent(info->user_ends[SPT_END_ROOT], all) : 0;
}

const char *spt_info_end_key(unsigned end)
{
	return end < G_N_ELEMENTS(ends) ? ends[end].key : NULL;
}

const char *spt_info_end_text(unsigned end)
{
	return end < G_N_ELEMENTS(ends) ? ends[end].text : NULL;
}

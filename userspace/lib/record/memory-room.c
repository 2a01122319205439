/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Room for the blocks that programs have in use: each is known until it is freed.  They have a
 * budget of their own, since their number is the programs', not the recording's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "record/memory-private.h"

/* One part in this number of the memory that is free at the start is for blocks. */
#define FREE_PART 2
#define LEAST_BYTES (1ULL << 30)
/* Memory of a node of the own stash in the worst case. */
#define NODE_BYTES 192

static uint64_t free_bytes(void)
{
	g_autofree char *text = NULL;
	const char *line;
	uint64_t kib = 0;

	if (!g_file_get_contents("/proc/meminfo", &text, NULL, NULL) ||
	    !(line = strstr(text, "MemAvailable:")) ||
	    sscanf(line, "MemAvailable: %" SCNu64, &kib) != 1)
		return 0;
	return kib << 10;
}

static uint64_t used_bytes(const SptMemory *memory)
{
	uint64_t bytes = (uint64_t)spt_stash_n_nodes(memory->stash) * NODE_BYTES +
			 (uint64_t)memory->late->len * sizeof(struct spt_late_row) +
			 (uint64_t)memory->owners->len * sizeof(struct spt_owner);
	GHashTableIter iter;
	gpointer image;

	g_hash_table_iter_init(&iter, memory->images);
	while (g_hash_table_iter_next(&iter, NULL, &image))
		bytes += spt_blocks_bytes(&((struct spt_image *)image)->blocks);
	return bytes;
}

bool spt_memory_has_room(SptMemory *memory, GError **error)
{
	uint64_t used = used_bytes(memory), most = spt_output_memory(memory->output);

	spt_output_set_reserved(memory->output, used);
	if (!memory->most_bytes)
		memory->most_bytes = spt_output_has_default_memory(memory->output) ?
					     MAX(LEAST_BYTES, free_bytes() / FREE_PART) :
					     most;
	if (used <= memory->most_bytes)
		return true;
	spt_set_error(
		error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		"The recorder needs %" PRIu64
		" MiB for the blocks that programs have in use, and may have %" PRIu64
		" MiB: record some of them (--memory=64K), or give it more (--memory-limit)",
		used >> 20, memory->most_bytes >> 20);
	return false;
}

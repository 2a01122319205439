/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests to block devices: who submitted them and how long they took become one row.  Memory of
 * the kernel has a row for each end, as a program's has that lives long.
 */
#include "record/event-pairs.h"

#include <string.h>

#include "record/events.h"
#include "record/futex-names.h"
#include "record/inode-names.h"
#include "record/recorder-private.h"

/* More requests than this are not under way in a kernel: the CLOSE of some was lost. */
#define MOST 65536u
/* More blocks of memory than this have no number of their own: their key is reused some day. */
#define MOST_BLOCKS (4u << 20)

struct open {
	uint64_t key;
	SptEventRow row;
	unsigned stash; /* the index of the row with the same node */
};

struct SptEventPairs {
	GHashTable *by_key; /* struct open, by key */
	SptInodeNames *names;
	SptFutexNames *futexes;
	GHashTable *blocks; /* key of a block of memory -> its number */
	uint64_t n_blocks;
	bool is_full;
};

SptEventPairs *spt_event_pairs_new(SptProcFiles *files)
{
	SptEventPairs *pairs = g_new0(SptEventPairs, 1);

	pairs->by_key = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	pairs->names = spt_inode_names_new();
	pairs->futexes = spt_futex_names_new(files);
	pairs->blocks = g_hash_table_new(NULL, NULL);
	return pairs;
}

void spt_event_pairs_free(SptEventPairs *pairs)
{
	if (!pairs)
		return;
	g_hash_table_unref(pairs->by_key);
	spt_inode_names_free(pairs->names);
	spt_futex_names_free(pairs->futexes);
	g_hash_table_unref(pairs->blocks);
	g_free(pairs);
}

void spt_event_pairs_forget(SptEventPairs *pairs, uint32_t pid)
{
	spt_futex_names_forget(pairs->futexes, pid);
}

static const char *operation_name(unsigned operation, unsigned flags)
{
	switch (operation) {
	case SYSPROF_BLOCK_READ:
		return flags & SYSPROF_BLOCK_AHEAD ? "read ahead" : "read";
	case SYSPROF_BLOCK_WRITE:
		return flags & SYSPROF_BLOCK_SYNC ? "sync write" : "write";
	case SYSPROF_BLOCK_FLUSH:
		return "flush";
	case SYSPROF_BLOCK_DISCARD:
		return "discard";
	default:
		return "other";
	}
}

static char *inode_name(SptEventPairs *pairs, uint32_t pid, uint32_t dev_major, uint32_t dev_minor,
			uint64_t inode)
{
	const char *path = spt_inode_names_find(pairs->names, pid, dev_major, dev_minor, inode);

	return path ? g_strdup(path) :
		      g_strdup_printf("[inode %" G_GUINT64_FORMAT " of %u:%u]", (guint64)inode,
				      dev_major, dev_minor);
}

static char *file_name(SptEventPairs *pairs, const struct sysprof_part_block *block, uint32_t pid)
{
	if (!block->inode)
		return g_strdup(block->flags & SYSPROF_BLOCK_META ? "[file system]" :
								    SPT_NO_FILE_KNOWN);
	return inode_name(pairs, pid, block->file_major, block->file_minor, block->inode);
}

/* The file, and above it the device with its operation. */
static uint32_t block_node(SptEventPairs *pairs, SptRecorder *recorder,
			   const struct sysprof_event *event, uint32_t node)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_BLOCK);
	const struct sysprof_part_block *block = (const void *)part;
	g_autofree char *disk = NULL, *file = NULL, *what = NULL;

	if (!part || part->size * 8u < sizeof(*block))
		return node;
	disk = *block->disk ? g_utf8_make_valid(block->disk,
						(gssize)strnlen(block->disk, sizeof(block->disk))) :
			      g_strdup_printf("%u:%u", block->dev_major, block->dev_minor);
	file = file_name(pairs, block, event->record.pid);
	what = g_strdup_printf("%s %s", disk, operation_name(part->a, block->flags));
	return spt_event_named(recorder, spt_event_named(recorder, node, file), what);
}

uint32_t spt_event_pairs_file_node(SptEventPairs *pairs, SptRecorder *recorder,
				   const struct sysprof_event *event, uint32_t node)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_BLOCK);
	const struct sysprof_part_block *block = (const void *)part;
	g_autofree char *file = NULL;

	if (!part || part->size * 8u < sizeof(*block))
		return node;
	file = file_name(pairs, block, event->record.pid);
	return spt_event_named(recorder, spt_event_named(recorder, node, file), "page cache");
}

/* The futex, and above it that it was waited for. */
static uint32_t pairs_futex_node(SptEventPairs *pairs, SptRecorder *recorder, uint32_t pid,
				 const struct sysprof_part *part, uint32_t node)
{
	const struct sysprof_part_wait_futex *wait = (const void *)part;
	SptFutexPlace place = { .name = SPT_NO_LOCK_KNOWN };

	if (part->size * 8u >= sizeof(*wait))
		place = spt_futex_names_find(pairs->futexes, pid, recorder->maps, wait->address);
	if (place.name)
		node = spt_event_named(recorder, node, place.name);
	else
		node = spt_event_placed(recorder, node, place.object, place.offset);
	return spt_event_named(recorder, node, SPT_EVENT_FUTEX);
}

uint32_t spt_event_pairs_call_node(SptEventPairs *pairs, SptRecorder *recorder, uint32_t pid,
				   const struct sysprof_part *part, uint32_t node)
{
	static const char *const names[] = {
		[SYSPROF_CALL_READ] = "read",
		[SYSPROF_CALL_WRITE] = "write",
		[SYSPROF_CALL_SYNC] = "sync",
		[SYSPROF_CALL_OPEN] = "open",
	};
	const struct sysprof_part_wait_file *wait = (const void *)part;
	g_autofree char *file = NULL;

	if (part->b == SYSPROF_CALL_FUTEX)
		return pairs_futex_node(pairs, recorder, pid, part, node);
	if (part->b >= G_N_ELEMENTS(names) || !names[part->b])
		return node;
	if (part->size * 8u >= sizeof(*wait))
		file = inode_name(pairs, pid, wait->file_major, wait->file_minor, wait->inode);
	else if (part->b == SYSPROF_CALL_OPEN)
		file = g_strdup("[opening a file]");
	else
		return node; /* it is a pipe or the like */
	return spt_event_named(recorder, spt_event_named(recorder, node, file), names[part->b]);
}

static uint32_t layer_of(const SptTraceEvents *source)
{
	return spt_event_intake(source->kind)->layer;
}

/* A page and an object may have the same address. */
static gpointer block_key(const struct sysprof_event *event, uint32_t layer)
{
	return GSIZE_TO_POINTER(event->key ^ layer);
}

static void pairs_put_freed(SptEventPairs *pairs, SptRecorder *recorder,
			    const struct sysprof_event *event, uint32_t layer)
{
	gpointer key = block_key(event, layer), known = g_hash_table_lookup(pairs->blocks, key);
	const SptAllocationRow row = {
		.time = event->begin + event->duration,
		.duration_ns = event->duration,
		.bytes = event->value,
		.handle = known ? GPOINTER_TO_SIZE(known) : event->key,
		.flags = layer | SPT_ALLOCATION_CLOSE,
	};

	/* The block existed before the recording, or its allocation was lost. */
	if (!known && !pairs->is_full)
		return;
	g_hash_table_remove(pairs->blocks, key);
	spt_output_put(recorder->output, SPT_ROW_ALLOCATION, &row);
}

/* The name of the memory: its cache, or its number of pages. */
static uint32_t named_memory(SptRecorder *recorder, const struct sysprof_event *event,
			     uint32_t node, uint32_t layer)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_MEMORY);
	const struct sysprof_part_memory *memory = (const void *)part;
	g_autofree char *name = NULL;

	if (!part || part->size * 8u < sizeof(*memory))
		return node;
	if (layer & (SPT_ALLOCATION_PERCPU | SPT_ALLOCATION_AREA))
		return node;
	if (layer == SPT_ALLOCATION_PAGE)
		name = g_strdup_printf("order %u", part->a);
	else if (*memory->cache)
		name = g_utf8_make_valid(memory->cache,
					 (gssize)strnlen(memory->cache, sizeof(memory->cache)));
	else
		name = g_strdup_printf("kmalloc %" G_GUINT64_FORMAT, (guint64)event->value);
	return spt_event_named(recorder, node, name);
}

static uint32_t memory_node_of(const struct sysprof_event *event)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_MEMORY);
	const struct sysprof_part_memory *memory = (const void *)part;

	if (!part || part->size * 8u < sizeof(*memory) || memory->node < 0)
		return 0;
	return (uint32_t)memory->node + 1;
}

static void put_allocated(SptEventPairs *pairs, SptRecorder *recorder,
			  const struct sysprof_event *event, const SptTraceEvents *source,
			  const SptEventRow *from)
{
	uint32_t layer = layer_of(source);
	gpointer key = block_key(event, layer);
	SptAllocationRow row = {
		.time = from->time,
		.bytes = event->value,
		.weight = source->period ? event->weight * source->period : event->value,
		.handle = event->key,
		.thread = from->thread,
		.node = named_memory(recorder, event, from->node, layer),
		.memory_node = memory_node_of(event),
		.flags = layer | SPT_ALLOCATION_OPEN,
	};

	/* The block that had this address before was freed, without a record. */
	if (g_hash_table_contains(pairs->blocks, key))
		pairs_put_freed(pairs, recorder, event, layer);
	pairs->is_full |= g_hash_table_size(pairs->blocks) >= MOST_BLOCKS;
	if (g_hash_table_size(pairs->blocks) < MOST_BLOCKS) {
		row.handle = ++pairs->n_blocks;
		g_hash_table_insert(pairs->blocks, key, GSIZE_TO_POINTER(row.handle));
	}
	spt_output_put(recorder->output, SPT_ROW_ALLOCATION, &row);
}

void spt_event_pairs_open(SptEventPairs *pairs, SptRecorder *recorder,
			  const struct sysprof_event *event, const SptTraceEvents *source,
			  const SptEventRow *row)
{
	struct open *open;

	if (layer_of(source)) {
		put_allocated(pairs, recorder, event, source, row);
		return;
	}
	if (!event->key || g_hash_table_size(pairs->by_key) >= MOST)
		return;
	open = g_new0(struct open, 1);
	open->key = event->key;
	open->row = *row;
	open->row.node = block_node(pairs, recorder, event, row->node);
	spt_output_stash(recorder->output, &open->stash);
	g_hash_table_replace(pairs->by_key, &open->key, open);
}

void spt_event_pairs_close(SptEventPairs *pairs, SptRecorder *recorder,
			   const struct sysprof_event *event, const SptTraceEvents *source)
{
	const struct sysprof_part *part = spt_event_part(event, SYSPROF_PART_BLOCK);
	const __u64 key = event->key;
	struct open *open = g_hash_table_lookup(pairs->by_key, &key);
	unsigned stash;

	if (layer_of(source)) {
		pairs_put_freed(pairs, recorder, event, layer_of(source));
		return;
	}
	if (!open)
		return;
	spt_output_stash(recorder->output, &stash);
	open->row.time = event->begin + event->duration;
	open->row.duration_ns = event->duration;
	open->row.weight = event->duration;
	open->row.value = event->value;
	open->row.kind = source->kind;
	open->row.depth = part ? part->b : 0;
	/* The nodes were rebuilt meanwhile. */
	if (stash != open->stash)
		open->row.node = 0;
	spt_output_put(recorder->output, SPT_ROW_EVENT, &open->row);
	g_hash_table_remove(pairs->by_key, &key);
}

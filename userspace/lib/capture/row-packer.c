/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A build starts hundreds of processes a second, and most have exited by the next flush.  So facts
 * that a process and its only thread share are written once, unchanged facts are not written again,
 * and a symbol is written once for all places in it.
 */
#include "capture/row-packer.h"

#include <string.h>

/* Times of mappings matter to a fraction of a sample's period. */
#define MAP_TIME_UNIT_NS 100000
/* Delays and long lives keep this number of bits below the highest. */
#define ROUGH_BITS 4
/* Symbols that are remembered. */
#define SYMBOLS_MAX (1u << 17)
#define FIRST_SLOTS 1024u

struct place {
	uint64_t start;
	uint32_t object, name;		/* name: a hash of it, but never 0 */
};

struct SptPacker {
	/* SptProcessRow by id, as last written, but unpacked; names in texts */
	GArray *processes;
	/* guint64 by id: hash of the thread as last written */
	GArray *threads;
	/*
	 * Symbols that were written, by linear probing.  At most half of the slots are in use; name
	 * 0: none.
	 */
	struct place *symbols;
	uint32_t symbols_mask, n_symbols;
	GStringChunk *texts;
};

/* The slot of @place, or the empty one where it would be. */
static struct place *slot_of_place(const SptPacker *packer, const struct place *place)
{
	uint64_t mixed = (place->start ^ (uint64_t)place->object << 40) * 0x9e3779b97f4a7c15u;
	uint32_t slot = (uint32_t)(mixed >> 32) ^ place->name;

	for (;; slot++) {
		struct place *at = &packer->symbols[slot & packer->symbols_mask];

		if (!at->name || (at->start == place->start && at->object == place->object &&
				  at->name == place->name))
			return at;
	}
}

static void make_slots(SptPacker *packer, uint32_t n_slots)
{
	packer->symbols = g_new0(struct place, n_slots);
	packer->symbols_mask = n_slots - 1;
}

/* False: it is there. */
static bool add_place(SptPacker *packer, const struct place *place)
{
	struct place *slot = slot_of_place(packer, place);

	if (slot->name)
		return false;
	*slot = *place;
	if (++packer->n_symbols > packer->symbols_mask / 2) {
		uint32_t n_slots = packer->symbols_mask + 1;
		g_autofree struct place *before = packer->symbols;

		make_slots(packer, n_slots * 2);
		for (uint32_t i = 0; i < n_slots; i++)
			if (before[i].name)
				*slot_of_place(packer, &before[i]) = before[i];
	}
	return true;
}

SptPacker *spt_packer_new(void)
{
	SptPacker *packer = g_new0(SptPacker, 1);

	packer->processes = g_array_new(FALSE, TRUE, sizeof(SptProcessRow));
	packer->threads = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	make_slots(packer, FIRST_SLOTS);
	packer->texts = g_string_chunk_new(4096);
	return packer;
}

void spt_packer_free(SptPacker *packer)
{
	g_array_unref(packer->processes);
	g_array_unref(packer->threads);
	g_free(packer->symbols);
	g_string_chunk_free(packer->texts);
	g_free(packer);
}

static uint64_t round_time(uint64_t time)
{
	return time - time % SPT_CAPTURE_TIME_UNIT_NS;
}

/* 0 stays "not seen": a thread that was seen has lived. */
static uint64_t pack_end(uint64_t end, uint64_t start)
{
	return end == 0				      ? 0 :
	       end > start + SPT_CAPTURE_TIME_UNIT_NS ? round_time(end - start) :
							SPT_CAPTURE_TIME_UNIT_NS;
}

/* Of rows with the same id, the first member, only the last one is kept. */
static void drop_replaced(GArray *rows, size_t row_bytes)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	guint to = rows->len;

	for (guint i = rows->len; i-- > 0;) {
		const char *row = rows->data + i * row_bytes;
		uint32_t id;

		memcpy(&id, row, sizeof(id));
		if (g_hash_table_add(seen, GUINT_TO_POINTER(id)))
			memmove(rows->data + --to * row_bytes, row, row_bytes);
	}
	if (to > 0)
		g_array_remove_range(rows, 0, to);
}

static void *at_id(GArray *array, uint32_t id, size_t bytes)
{
	if (id >= array->len)
		g_array_set_size(array, id + 1);
	return array->data + id * bytes;
}

static bool is_same_but_end(const SptProcessRow *a, const SptProcessRow *b)
{
	return a->id == b->id && a->pid == b->pid && a->parent == b->parent &&
	       a->flags == b->flags && a->start_time == b->start_time && a->name &&
	       strcmp(a->name, b->name) == 0;
}

void spt_pack_processes(SptPacker *packer, GArray *rows, GArray *ends)
{
	guint n = 0;

	drop_replaced(rows, sizeof(SptProcessRow));
	for (guint i = 0; i < rows->len; i++) {
		SptProcessRow row = g_array_index(rows, SptProcessRow, i);
		SptProcessRow *kept = at_id(packer->processes, row.id, sizeof(*kept));
		bool is_known;

		row.start_time = round_time(row.start_time);
		row.end_time = pack_end(row.end_time, row.start_time);
		is_known = row.end_time != 0 && is_same_but_end(kept, &row);
		if (is_known)
			g_array_append_vals(ends, &(SptProcessEndRow){ row.id, row.end_time }, 1);
		else
			g_array_index(rows, SptProcessRow, n++) = row;
		*kept = row;
		kept->name = g_string_chunk_insert_const(packer->texts, row.name);
		spt_unpack_process(kept);
	}
	g_array_set_size(rows, n);
}

void spt_unpack_process(SptProcessRow *row)
{
	row->end_time += row->end_time ? row->start_time : 0;
}

/* With @name itself: the one that is taken from the process may change. */
static uint64_t hash_thread(const SptThreadRow *row, const char *name)
{
	uint64_t hash = row->process;

	hash = (hash ^ row->tid) * 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 29 ^ row->start_time) * 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 29 ^ row->end_time) * 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 29 ^ g_str_hash(row->former)) * 0x9e3779b97f4a7c15u;
	return (hash ^ hash >> 29 ^ g_str_hash(name)) | 1;
}

/* Packs a thread relative to its process.  The process has the end of both. */
static void pack_thread(SptThreadRow *row, const SptProcessRow *process)
{
	uint64_t start = round_time(row->start_time);

	row->end_time = pack_end(row->end_time, start);
	if (start + row->end_time == process->end_time)
		row->end_time = 0;
	row->start_time = start - process->start_time;
	row->tid -= process->pid;
	if (process->name && strcmp(row->name, process->name) == 0)
		row->name = "";
}

void spt_unpack_thread(SptThreadRow *row, const SptProcessRow *process)
{
	row->tid += process->pid;
	row->start_time += process->start_time;
	row->end_time += row->end_time ? row->start_time : 0;
	if (*row->name == '\0' && process->name)
		row->name = process->name;
}

void spt_pack_threads(SptPacker *packer, GArray *rows)
{
	guint n = 0;

	drop_replaced(rows, sizeof(SptThreadRow));
	for (guint i = 0; i < rows->len; i++) {
		SptThreadRow row = g_array_index(rows, SptThreadRow, i);
		const SptProcessRow *process =
			at_id(packer->processes, row.process, sizeof(*process));
		uint64_t *known = at_id(packer->threads, row.id, sizeof(*known)), hash;
		const char *name = row.name;

		pack_thread(&row, process);
		hash = hash_thread(&row, name);
		if (*known == hash)
			continue;
		*known = hash;
		g_array_index(rows, SptThreadRow, n++) = row;
	}
	g_array_set_size(rows, n);
}

void spt_pack_names(SptPacker *packer, GArray *rows)
{
	guint n = 0;

	/* A file may have a name twice: better than memory for all of them. */
	if (packer->n_symbols > SYMBOLS_MAX)
		spt_packer_forget_names(packer);
	for (guint i = 0; i < rows->len; i++) {
		SptNameRow row = g_array_index(rows, SptNameRow, i);
		guint hash = g_str_hash(row.symbol);
		struct place place = { .object = row.object, .name = hash ? hash : 1 };

		if (row.distance < row.symbol_bytes && row.distance <= row.offset && *row.symbol) {
			row.offset -= row.distance;
			row.distance = 0;
		}
		place.start = row.offset;
		if (add_place(packer, &place))
			g_array_index(rows, SptNameRow, n++) = row;
	}
	g_array_set_size(rows, n);
}

void spt_packer_forget_names(SptPacker *packer)
{
	g_free(packer->symbols);
	packer->n_symbols = 0;
	make_slots(packer, FIRST_SLOTS);
}

/* Rounds to a number with few significant bits, for values whose size matters. */
static uint64_t round_roughly(uint64_t ns)
{
	unsigned bits = ns ? 64 - (unsigned)__builtin_clzll(ns) : 0;
	uint64_t unit = bits > ROUGH_BITS + 1 ? 1ull << (bits - ROUGH_BITS - 1) : 1;

	return ns > UINT64_MAX / 2 ? ns : (ns + unit / 2) / unit * unit;
}

void spt_pack_samples(GArray *rows)
{
	for (guint i = 0; i < rows->len; i++) {
		SptSampleRow *row = &g_array_index(rows, SptSampleRow, i);

		row->time = round_time(row->time);
		row->delay_ns = round_roughly(row->delay_ns);
	}
}

void spt_pack_nodes(const SptSampleColumn *columns, unsigned n, GArray *rows, uint32_t base)
{
	size_t stride = g_array_get_element_size(rows);

	for (unsigned i = 0; i < n && base; i++) {
		char *member = rows->data + columns[i].field.at;

		if (columns[i].role != SPT_ROLE_NODE && columns[i].role != SPT_ROLE_OTHER_NODE)
			continue;
		for (guint left = rows->len; left > 0; left--, member += stride) {
			uint32_t node;

			memcpy(&node, member, sizeof(node));
			node += node ? base : 0;
			memcpy(member, &node, sizeof(node));
		}
	}
}

/* Rows come in the order of their ends. */
static void pack_allocation(SptAllocationRow *row)
{
	if (row->flags & SPT_ALLOCATION_CLOSE) {
		/* Its OPEN row has the time at which it began. */
		row->duration_ns = round_roughly(row->duration_ns);
	} else if (!(row->flags & SPT_ALLOCATION_OPEN)) {
		row->time += row->duration_ns;
		row->flags |= SPT_ALLOCATION_ENDED;
	}
}

void spt_pack_allocations(SptAllocationRow *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pack_allocation(&rows[i]);
}

void spt_unpack_allocation(SptAllocationRow *row)
{
	if (!(row->flags & SPT_ALLOCATION_ENDED))
		return;
	row->time -= row->duration_ns;
	row->flags &= ~(uint32_t)SPT_ALLOCATION_ENDED;
}

void spt_pack_maps(GArray *rows)
{
	for (guint i = 0; i < rows->len; i++)
		g_array_index(rows, SptMapRow, i).time -=
			g_array_index(rows, SptMapRow, i).time % MAP_TIME_UNIT_NS;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * By name, as programs of a name are alike: a compiler runs a thousand times, and each time for a
 * moment only.  Where the source has one size for all it begins with what is enough for most, and
 * few deep stacks do not make the others dear.
 */
#include "record/copies.h"

#include <string.h>

#define FIRST_BYTES 8192
#define GROWTH 4
#define COMMON_FIRST_BYTES 16384
#define COMMON_MOST_BYTES 32768		/* more, with all CPUs busy, and samples are lost */
#define COMMON_STACKS 1024		/* are looked at, and if of these */
#define COMMON_CUT (COMMON_STACKS / 20)	/* so many are cut, all get more */
#define ENOUGH_STACKS	   64 /* one after the other, until frame pointers are believed in */
#define NAMES_MAX 4096			/* so many are told apart */

struct name {
	uint32_t bytes;			/* wished */
	unsigned n_by_frame_pointers;	/* in succession */
	bool needs_copies;		/* once and for all */
};

struct SptCopies {
	SptTrace *trace;
	uint32_t most_bytes;
	bool can_wish, if_needed;
	bool is_common;			/* one size for all: there is but one name, "" */
	unsigned n_stacks, n_cut;	/* of the common size */
	GHashTable *names;		/* comm -> struct name */
};

SptCopies *spt_copies_new(SptTrace *trace, uint32_t most_bytes, bool if_needed)
{
	SptCopies *copies = g_new0(SptCopies, 1);

	copies->trace = trace;
	copies->most_bytes = most_bytes;
	copies->if_needed = if_needed;
	copies->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return copies;
}

void spt_copies_free(SptCopies *copies)
{
	if (!copies)
		return;
	g_hash_table_unref(copies->names);
	g_free(copies);
}

static uint32_t first_bytes(const SptCopies *copies)
{
	return MIN(copies->is_common ? COMMON_FIRST_BYTES : FIRST_BYTES, copies->most_bytes);
}

void spt_copies_begin(SptCopies *copies)
{
	copies->is_common = !spt_trace_wishes_by_name(copies->trace);
	copies->can_wish =
		copies->most_bytes && spt_trace_raw_wish(copies->trace, "", first_bytes(copies));
}

/* NULL: there are too many, or without a name there is nobody to wish for. */
static struct name *get(SptCopies *copies, const char *comm)
{
	struct name *name;

	if (copies->is_common)
		comm = "";
	else if (!comm || !*comm)
		return NULL;
	name = g_hash_table_lookup(copies->names, comm);
	if (name || g_hash_table_size(copies->names) >= NAMES_MAX)
		return name;
	name = g_new0(struct name, 1);
	name->bytes = first_bytes(copies);
	g_hash_table_insert(copies->names, g_strdup(comm), name);
	return name;
}

static void wish(SptCopies *copies, const char *comm, struct name *name, uint32_t bytes)
{
	name->bytes = bytes;
	copies->n_stacks = copies->n_cut = 0;
	copies->can_wish = spt_trace_raw_wish(copies->trace, copies->is_common ? "" : comm, bytes);
}

static void take_common(SptCopies *copies, struct name *name, bool is_cut)
{
	copies->n_cut += is_cut;
	if (++copies->n_stacks < COMMON_STACKS)
		return;
	if (copies->n_cut > COMMON_CUT && name->bytes < MIN(COMMON_MOST_BYTES, copies->most_bytes))
		wish(copies, "", name, MIN(COMMON_MOST_BYTES, copies->most_bytes));
	copies->n_stacks = copies->n_cut = 0;
}

void spt_copies_taken(SptCopies *copies, const char *comm, uint32_t bytes, bool is_cut)
{
	struct name *name =
		copies->can_wish && (is_cut || copies->is_common) ? get(copies, comm) : NULL;

	/* Those that are on their way are as small as before. */
	if (!name || bytes < name->bytes)
		return;
	if (copies->is_common)
		take_common(copies, name, is_cut);
	else if (bytes < copies->most_bytes)
		wish(copies, comm, name, MIN(MAX(bytes, FIRST_BYTES) * GROWTH, copies->most_bytes));
}

bool spt_copies_asks(SptCopies *copies, const char *comm)
{
	struct name *name = copies->can_wish && copies->if_needed ? get(copies, comm) : NULL;

	return name && !name->needs_copies;
}

void spt_copies_tell(SptCopies *copies, const char *comm, bool by_frame_pointers)
{
	struct name *name = get(copies, comm);

	if (!name || name->needs_copies)
		return;
	if (by_frame_pointers) {
		if (++name->n_by_frame_pointers == ENOUGH_STACKS)
			wish(copies, comm, name, 0);
		return;
	}
	name->needs_copies = true;
	if (name->bytes == 0)
		wish(copies, comm, name, first_bytes(copies));
}

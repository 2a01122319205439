/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By name, as programs of a name are alike: a compiler runs a thousand times, and each time for a moment only. */
#include "record/copies.h"

#include <string.h>

#define FIRST_BYTES 8192
#define GROWTH 4
#define ENOUGH_STACKS 64		/* one after the other, until frame pointers are believed in */
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

void spt_copies_begin(SptCopies *copies)
{
	copies->can_wish = copies->most_bytes && spt_trace_raw_wish(copies->trace, "", MIN(FIRST_BYTES, copies->most_bytes));
}

/* NULL: there are too many. */
static struct name *get(SptCopies *copies, const char *comm)
{
	struct name *name = g_hash_table_lookup(copies->names, comm);

	if (name || g_hash_table_size(copies->names) >= NAMES_MAX)
		return name;
	name = g_new0(struct name, 1);
	name->bytes = MIN(FIRST_BYTES, copies->most_bytes);
	g_hash_table_insert(copies->names, g_strdup(comm), name);
	return name;
}

static void wish(SptCopies *copies, const char *comm, struct name *name, uint32_t bytes)
{
	name->bytes = bytes;
	copies->can_wish = spt_trace_raw_wish(copies->trace, comm, bytes);
}

void spt_copies_cut(SptCopies *copies, const char *comm, uint32_t bytes)
{
	/* Without a name there is nobody to wish for. */
	struct name *name = copies->can_wish && comm && *comm ? get(copies, comm) : NULL;

	/* Those that are on their way are as small as before. */
	if (name && bytes >= name->bytes && bytes < copies->most_bytes)
		wish(copies, comm, name, MIN(MAX(bytes, FIRST_BYTES) * GROWTH, copies->most_bytes));
}

bool spt_copies_asks(SptCopies *copies, const char *comm)
{
	struct name *name = copies->can_wish && copies->if_needed && comm && *comm ? get(copies, comm) : NULL;

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
		wish(copies, comm, name, MIN(FIRST_BYTES, copies->most_bytes));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes are by name, as programs of a name are alike: a compiler runs a thousand times, each time
 * only briefly.  Where the source has one size for all, it begins with a size that is enough for
 * most, and few deep stacks do not make the others expensive.
 */
#include "record/copies.h"

#include <string.h>

#define FIRST_BYTES 8192
#define GROWTH 4
#define COMMON_FIRST_BYTES 16384
#define COMMON_MOST_BYTES 32768		/* with more, if all CPUs are busy, samples are lost */
#define LEAST_BYTES 4096
/* stacks of a name that count; later ones weigh more than earlier ones */
#define COMMON_STACKS 1024
/* The size does not fit a name if at least this number and this part of its stacks are too deep. */
#define COMMON_TOO_DEEP 4
#define COMMON_TOO_DEEP_PART 64
#define ENOUGH_STACKS	   64 /* in a row, until frame pointers are trusted */
#define NAMES_MAX 4096			/* names that are distinguished */

struct name {
	uint32_t bytes;			/* requested */
	unsigned n_by_frame_pointers;	/* in succession */
	bool needs_copies;		/* decided for good */
	/*
	 * Stacks of the common size: all, those that it cuts, and those that half of it would cut
	 */
	unsigned n_stacks, n_cut, n_deep;
};

struct SptCopies {
	SptTrace *trace;
	uint32_t most_bytes;
	uint32_t less_bytes;		/* > 0: the upper limit */
	uint32_t less_before;		/* the limit before it was last lowered */
	bool can_request, if_needed;
	bool is_common;			/* one size for all */
	struct name common;
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
	copies->is_common = !spt_trace_abilities(copies->trace)->requests_by_name;
	copies->common.bytes = first_bytes(copies);
	copies->can_request =
		copies->most_bytes && spt_trace_raw_request(copies->trace, "", first_bytes(copies));
}

/* NULL: there are too many, or it has no name. */
static struct name *copies_get(SptCopies *copies, const char *comm)
{
	struct name *name;

	if (!comm || !*comm)
		return NULL;
	name = g_hash_table_lookup(copies->names, comm);
	if (name || g_hash_table_size(copies->names) >= NAMES_MAX)
		return name;
	name = g_new0(struct name, 1);
	name->bytes = first_bytes(copies);
	g_hash_table_insert(copies->names, g_strdup(comm), name);
	return name;
}

static void request(SptCopies *copies, const char *comm, struct name *name, uint32_t bytes)
{
	name->bytes = bytes;
	copies->can_request =
		spt_trace_raw_request(copies->trace, copies->is_common ? "" : comm, bytes);
}

static void request_common(SptCopies *copies, uint32_t bytes)
{
	GHashTableIter iter;
	void *value;

	request(copies, "", &copies->common, bytes);
	g_hash_table_iter_init(&iter, copies->names);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct name *name = value;

		name->n_stacks = name->n_cut = name->n_deep = 0;
	}
}

static bool are_many(const struct name *name, unsigned n)
{
	return n >= COMMON_TOO_DEEP && n * COMMON_TOO_DEEP_PART > name->n_stacks;
}

/* By name, so that a program with many cut stacks is not missed beside others that are busy. */
static void take_common(SptCopies *copies, struct name *name, uint32_t bytes, uint64_t depth)
{
	uint32_t most_bytes = MIN(COMMON_MOST_BYTES, copies->most_bytes);

	if (name->n_stacks == COMMON_STACKS) {
		name->n_stacks /= 2;
		name->n_cut /= 2;
		name->n_deep /= 2;
	}
	name->n_stacks++;
	name->n_cut += depth == SPT_COPIES_CUT;
	name->n_deep += depth > bytes / 2;
	if (are_many(name, name->n_cut) && !copies->less_bytes && copies->common.bytes < most_bytes)
		request_common(copies, most_bytes);
}

void spt_copies_taken(SptCopies *copies, const char *comm, uint32_t bytes, uint64_t depth)
{
	bool is_cut = depth == SPT_COPIES_CUT;
	struct name *name = copies->can_request && (is_cut || copies->is_common) ?
				    copies_get(copies, comm) :
				    NULL;

	/* Copies under way are as small as before. */
	if (!name || bytes < (copies->is_common ? copies->common.bytes : name->bytes))
		return;
	if (copies->is_common)
		take_common(copies, name, bytes, depth);
	else if (bytes < copies->most_bytes)
		request(copies, comm, name,
			MIN(MAX(bytes, FIRST_BYTES) * GROWTH, copies->most_bytes));
}

/* For no name that was met would half of the size cut many. */
static bool is_half_enough(const SptCopies *copies)
{
	GHashTableIter iter;
	void *name;

	g_hash_table_iter_init(&iter, copies->names);
	while (g_hash_table_iter_next(&iter, NULL, &name))
		if (are_many(name, ((const struct name *)name)->n_deep))
			return false;
	return true;
}

uint32_t spt_copies_less(SptCopies *copies)
{
	if (!copies->can_request || !copies->is_common || copies->common.bytes / 2 < LEAST_BYTES ||
	    !is_half_enough(copies))
		return 0;
	copies->less_before = copies->less_bytes;
	copies->less_bytes = copies->common.bytes / 2;
	request_common(copies, copies->less_bytes);
	return copies->less_bytes;
}

uint32_t spt_copies_restore(SptCopies *copies)
{
	request_common(copies, 2 * copies->less_bytes);
	copies->less_bytes = copies->less_before;
	return copies->less_bytes;
}

bool spt_copies_make_room(SptCopies *copies)
{
	return spt_trace_make_room(copies->trace);
}

/* Names whose frame pointers are checked: with one size for all, those of all. */
static struct name *asked(SptCopies *copies, const char *comm)
{
	return copies->is_common ? &copies->common : copies_get(copies, comm);
}

bool spt_copies_asks(SptCopies *copies, const char *comm)
{
	struct name *name = copies->can_request && copies->if_needed ? asked(copies, comm) : NULL;

	return name && !name->needs_copies;
}

void spt_copies_tell(SptCopies *copies, const char *comm, bool by_frame_pointers)
{
	struct name *name = asked(copies, comm);

	if (!name || name->needs_copies)
		return;
	if (by_frame_pointers) {
		if (++name->n_by_frame_pointers == ENOUGH_STACKS)
			request(copies, comm, name, 0);
		return;
	}
	name->needs_copies = true;
	if (name->bytes == 0)
		request(copies, comm, name, first_bytes(copies));
}

static void copies_begin(void *part)
{
	spt_copies_begin(part);
}

const SptStage spt_copies_stage = {
	.begin = copies_begin,
	.free = (GDestroyNotify)spt_copies_free,
};

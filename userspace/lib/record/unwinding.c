/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwinding.h"

#include <string.h>

#include "record/script-names.h"
#include "record/unwound.h"
#include "sysprof-chain.h"
#include "unwind/stepper.h"

#define FRAMES_MAX 1024
#define VALUES_MAX (FRAMES_MAX + SYSPROF_CHAIN_MAX_FRAMES)
#define NAMES_MAX 40

struct SptUnwinding {
	SptOutput *output;
	const SptSpaces *spaces;
	const SptSpace *space;		/* of the present sample */
	bool may_be_late;		/* the present sample need not wait for a table */
	uint32_t late;			/* 0, or the object whose table it would wait for */
	SptUnwinder *unwinder;
	SptTables *tables;
	SptCopies *copies;
	SptMadeFrames *made_frames;
	bool has_made;			/* some in the present sample */
	unsigned next_snapshot;		/* from 1 */
	/* mm id -> the snapshot it was hoped for from; 0: all of it is reported */
	GHashTable *unknown_spaces;
	GByteArray *made;
	SptUnwindFrame frames[FRAMES_MAX];
	__u64 values[VALUES_MAX];
};

static bool unwinding_find(uint64_t space, uint64_t address, SptUnwindPlace *ret, void *data)
{
	SptUnwinding *unwinding = data;
	const SptMap *map = spt_space_find(unwinding->space, address);

	(void)space;
	if (!map || map->object == SYSPROF_OBJECT_UNKNOWN)
		return false;
	if (!unwinding->may_be_late) {
		ret->table = spt_tables_get(unwinding->tables, map->object);
	} else if (!spt_tables_get_now(unwinding->tables, map->object, &ret->table)) {
		unwinding->late = map->object;
		return false;
	}
	ret->offset = address - map->start + map->offset;
	ret->is_made = map->object == SYSPROF_OBJECT_ANON ||
		       ret->offset >= SYSPROF_REGION_BIAS / 2;
	return true;
}

static SptUnwindMadeIs unwinding_find_made(SptUnwindMade *made, void *data)
{
	SptUnwinding *unwinding = data;

	return unwinding->has_made ? spt_made_frames_find(unwinding->made_frames, made) :
				     SPT_UNWIND_MADE_UNKNOWN;
}

static bool unwinding_may_wait(void *data)
{
	return spt_copies_make_room(data);
}

SptUnwinding *spt_unwinding_new(SptOutput *output, const SptSpaces *spaces, SptTables *tables,
				SptCopies *copies, SptMadeFrames *made)
{
	SptUnwinding *unwinding = g_new0(SptUnwinding, 1);

	unwinding->output = output;
	unwinding->spaces = spaces;
	unwinding->copies = copies;
	unwinding->unwinder = spt_unwinder_new(unwinding_find, unwinding);
	spt_unwinder_ask_made(unwinding->unwinder, unwinding_find_made);
	unwinding->made_frames = made;
	unwinding->tables = tables;
	spt_tables_wait_while(unwinding->tables, unwinding_may_wait, copies);
	unwinding->unknown_spaces =
		g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	unwinding->next_snapshot = 1;
	unwinding->made = g_byte_array_new();
	return unwinding;
}

void spt_unwinding_free(SptUnwinding *unwinding)
{
	if (!unwinding)
		return;
	spt_unwinder_free(unwinding->unwinder);
	spt_made_frames_free(unwinding->made_frames);
	g_hash_table_unref(unwinding->unknown_spaces);
	g_byte_array_unref(unwinding->made);
	g_free(unwinding);
}

void spt_unwinding_mapped(SptUnwinding *unwinding, uint32_t object)
{
	if (object >= SYSPROF_OBJECT_FIRST)
		spt_tables_expect(unwinding->tables, object, false);
}

void spt_unwinding_began(SptUnwinding *unwinding, uint64_t mm)
{
	g_hash_table_insert(unwinding->unknown_spaces, g_memdup2(&mm, sizeof(mm)), NULL);
}

void spt_unwinding_had_snapshot(SptUnwinding *unwinding)
{
	unwinding->next_snapshot++;
}

unsigned spt_unwinding_next_snapshot(const SptUnwinding *unwinding)
{
	return unwinding->next_snapshot;
}

/* Whether the next snapshot is the first one since @mm was found to be unknown. */
static bool may_become_known(SptUnwinding *unwinding, uint64_t mm)
{
	void *next = GUINT_TO_POINTER(unwinding->next_snapshot), *asked;

	if (g_hash_table_lookup_extended(unwinding->unknown_spaces, &mm, NULL, &asked))
		return asked == next;
	g_hash_table_insert(unwinding->unknown_spaces, g_memdup2(&mm, sizeof(mm)), next);
	return true;
}

/* Treats the sample as if it had no copy. */
static const struct sysprof_sample *keep_frames(SptUnwinding *unwinding,
						const struct sysprof_sample *sample)
{
	struct sysprof_sample *made = spt_unwound_keep(unwinding->made, sample);

	made->user_mode = sample->record.flags & SYSPROF_SAMPLE_NO_TABLE ? SYSPROF_USER_TABLE :
									   SYSPROF_USER_FP;
	return made;
}

/* NULL: a table is late. */
static const struct sysprof_sample *unwind(SptUnwinding *unwinding,
					   const struct sysprof_sample *sample,
					   const struct sysprof_raw *raw, const char *comm)
{
	struct sysprof_sample *made;
	SptUnwindEnd end;
	unsigned n;

	if (spt_tables_renew(unwinding->tables))
		spt_unwinder_forget(unwinding->unwinder);
	unwinding->has_made = spt_made_frames_begin(unwinding->made_frames, unwinding->space,
						    sample, raw);
	n = spt_unwinder_walk(unwinding->unwinder, spt_space_version(unwinding->space), raw,
			      unwinding->frames, FRAMES_MAX, &end);
	/* Perf walks along frame pointers, too, also where the copy does not reach. */
	if (sample->record.flags & SYSPROF_SAMPLE_ADDRESSES)
		n = spt_unwinder_follow(unwinding->unwinder, spt_space_version(unwinding->space),
					raw, sample->frames + sample->n_kernel, sample->n_user,
					unwinding->frames, n, FRAMES_MAX, &end);
	if (unwinding->late)
		return NULL;
	spt_copies_taken(unwinding->copies, comm, raw->wanted_bytes,
			 end == SPT_UNWIND_CUT ? SPT_COPIES_CUT :
						 spt_unwinder_depth(unwinding->unwinder));
	if (unwinding->has_made && spt_made_frames_has_any(unwinding->made_frames)) {
		n = spt_made_frames_put(unwinding->made_frames, unwinding->frames, n,
					unwinding->values, VALUES_MAX);
		made = spt_unwound_made(unwinding->made, sample, unwinding->values, n, end);
		made->record.flags |= SYSPROF_SAMPLE_SCRIPT;
	} else {
		made = spt_unwound_walked(unwinding->made, sample, unwinding->frames, n, end);
	}
	made->record.flags |= SYSPROF_SAMPLE_ADDRESSES | SYSPROF_SAMPLE_USER_EXACT;
	made->record.flags &= ~SYSPROF_SAMPLE_NO_TABLE;
	return made;
}

static uint32_t object_at(const SptUnwinding *unwinding, const struct sysprof_sample *sample,
			  unsigned i)
{
	uint64_t frame = sample->frames[sample->n_kernel + i];
	const SptMap *map;

	if (!(sample->record.flags & SYSPROF_SAMPLE_ADDRESSES))
		return frame >> SYSPROF_FRAME_OBJECT_SHIFT;
	map = unwinding->space ? spt_space_find(unwinding->space, frame - (i > 0)) : NULL;
	return map ? map->object : SYSPROF_OBJECT_UNKNOWN;
}

/*
 * Whether the stack reaches its end through only code that keeps frame pointers.  Perf's own walk
 * does not report ends.
 */
static bool is_by_frame_pointers(SptUnwinding *unwinding, const struct sysprof_sample *sample)
{
	if (sample->user_end != SYSPROF_END_ROOT && sample->user_end != SYSPROF_END_NONE)
		return false;
	/* What is found of code made at run time needs a copy. */
	if (unwinding->space &&
	    spt_made_frames_are_in(unwinding->made_frames, unwinding->space))
		return false;
	for (unsigned i = 0; i < sample->n_user; i++)
		if (!spt_tables_keep_frame_pointer(unwinding->tables,
						   object_at(unwinding, sample, i)))
			return false;
	return true;
}

/*
 * Whether @made, from the copy, is in the mappings that @from was in.  Where the module has tables,
 * mappings that a process made before it was shown are not reported, and a snapshot has those of
 * later.  But the module's innermost frame is always right.
 */
static bool is_in_its_mappings(const SptUnwinding *unwinding, const struct sysprof_sample *from,
			       const struct sysprof_sample *made)
{
	if (!(from->record.flags & SYSPROF_SAMPLE_NO_TABLE))
		return true;
	return made->user_end != SYSPROF_END_UNMAPPED &&
	       (!from->n_user || spt_script_names_is(made->frames[made->n_kernel]) ||
		object_at(unwinding, from, 0) == object_at(unwinding, made, 0));
}

/* Whether the copy was unwound. */
static SptUnwound take_copy(SptUnwinding *unwinding, const struct sysprof_sample **sample,
			    const char *comm)
{
	const struct sysprof_sample *from = *sample, *made;
	const struct sysprof_raw *raw = (const void *)&from->frames[from->n_kernel + from->n_user];

	if (!unwinding->space || spt_space_is_empty(unwinding->space) ||
	    !spt_unwind_raw_is_whole(raw, from->raw_bytes))
		return SPT_UNWOUND_UNKNOWN;
	made = unwind(unwinding, from, raw, comm);
	if (!made)
		return SPT_UNWOUND_LATE;
	if (!is_in_its_mappings(unwinding, from, made))
		return SPT_UNWOUND_UNKNOWN;
	*sample = made;
	return SPT_UNWOUND;
}

/* Uses the frames of the source's own walk, or, if it made none, of ours. */
static void unwinding_check_frame_pointers(SptUnwinding *unwinding,
					   const struct sysprof_sample *from,
					   const struct sysprof_sample *made, const char *comm)
{
	const struct sysprof_sample *sample =
		from->n_user && !(from->record.flags & SYSPROF_SAMPLE_ADDRESSES) ? from : made;
	bool is_known = unwinding->space && !spt_space_is_empty(unwinding->space);

	if (sample == from || (made->n_user && is_known))
		spt_copies_tell(unwinding->copies, comm, is_by_frame_pointers(unwinding, sample));
}

SptUnwound spt_unwinding_take(SptUnwinding *unwinding, const struct sysprof_sample **sample,
			      const char *comm, uint32_t *ret_late)
{
	const struct sysprof_sample *from = *sample;
	bool asks = spt_copies_asks(unwinding->copies, comm);
	SptUnwound how = SPT_UNWOUND;

	if (!from->raw_bytes && !asks)
		return SPT_UNWOUND;
	unwinding->space = spt_spaces_get(unwinding->spaces, from->mm);
	unwinding->may_be_late = ret_late;
	unwinding->late = 0;
	if (from->raw_bytes)
		how = take_copy(unwinding, sample, comm);
	if (how == SPT_UNWOUND_LATE) {
		*ret_late = unwinding->late;
		return how;
	}
	if (how == SPT_UNWOUND_UNKNOWN) {
		*sample = keep_frames(unwinding, from);
		if (!may_become_known(unwinding, from->mm))
			how = SPT_UNWOUND;
		else if (ret_late)
			return how;
	}
	if (asks)
		unwinding_check_frame_pointers(unwinding, from, *sample, comm);
	return how;
}

struct names {
	const SptUnwinding *unwinding;
	bool keep_frame_pointer;
	GPtrArray *names;
};

static void unwinding_add_name(uint32_t object, bool keeps_frame_pointer, void *data)
{
	const struct names *names = data;
	const char *path = spt_output_path(names->unwinding->output, object);

	if (path && keeps_frame_pointer == names->keep_frame_pointer)
		g_ptr_array_add(names->names, g_path_get_basename(path));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *unwinding_objects(SptUnwinding *unwinding, bool keep_frame_pointer)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	struct names data = { unwinding, keep_frame_pointer, names };

	spt_tables_foreach(unwinding->tables, unwinding_add_name, &data);
	if (!names->len)
		return NULL;
	g_ptr_array_sort(names, by_name);
	/* Versions of a library have one name. */
	for (unsigned i = names->len; i-- > 1;)
		if (strcmp(names->pdata[i], names->pdata[i - 1]) == 0)
			g_ptr_array_remove_index(names, i);
	if (names->len > NAMES_MAX) {
		g_ptr_array_set_size(names, NAMES_MAX);
		g_ptr_array_add(names, g_strdup("..."));
	}
	g_ptr_array_add(names, NULL);
	return g_strjoinv(", ", (char **)names->pdata);
}

/* Which code in stacks keeps frame pointers, and which does not. */
static void unwinding_note(void *part, SptOutput *output)
{
	g_autofree char *with = unwinding_objects(part, true),
			*without = unwinding_objects(part, false);

	if (with)
		spt_output_host(output, "frame_pointers", with);
	if (without)
		spt_output_host(output, "no_frame_pointers", without);
}

const SptStage spt_unwinding_stage = {
	.note = unwinding_note,
	.free = (GDestroyNotify)spt_unwinding_free,
};

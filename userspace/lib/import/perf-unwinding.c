/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perf-unwinding.h"

#include "record/unwound.h"
#include "unwind/stepper.h"

#define FRAMES_MAX 1024

struct SptImportUnwinding {
	const SptSpaces *spaces;
	const SptSpace *space;		/* of the present sample */
	SptImportTables tables_of;
	void *data;
	SptUnwinder *unwinder;
	GHashTable *tables;		/* object -> its table, or NULL */
	unsigned n_missing;
	uint64_t n_all, n_cut;
	GByteArray *made;
	SptUnwindFrame frames[FRAMES_MAX];
};

static void unref_table(gpointer table)
{
	if (table)
		spt_unwind_table_unref(table);
}

static SptUnwindTable *find_import_table(SptImportUnwinding *unwinding, uint32_t object)
{
	bool is_file = false;
	gpointer table;

	if (g_hash_table_lookup_extended(unwinding->tables, GUINT_TO_POINTER(object), NULL, &table))
		return table;
	table = unwinding->tables_of(object, unwinding->data, &is_file);
	unwinding->n_missing += is_file && !table;
	g_hash_table_insert(unwinding->tables, GUINT_TO_POINTER(object), table);
	return table;
}

static bool find_place(uint64_t space, uint64_t address, SptUnwindPlace *ret, void *data)
{
	SptImportUnwinding *unwinding = data;
	const SptMap *map = spt_space_find(unwinding->space, address);

	(void)space;
	if (!map || map->object == SYSPROF_OBJECT_UNKNOWN)
		return false;
	ret->table = find_import_table(unwinding, map->object);
	ret->offset = address - map->start + map->offset;
	return true;
}

SptImportUnwinding *spt_import_unwinding_new(const SptSpaces *spaces, SptImportTables tables,
					     void *data)
{
	SptImportUnwinding *unwinding = g_new0(SptImportUnwinding, 1);

	unwinding->spaces = spaces;
	unwinding->tables_of = tables;
	unwinding->data = data;
	unwinding->unwinder = spt_unwinder_new(find_place, unwinding);
	unwinding->tables = g_hash_table_new_full(NULL, NULL, NULL, unref_table);
	unwinding->made = g_byte_array_new();
	return unwinding;
}

void spt_import_unwinding_free(SptImportUnwinding *unwinding)
{
	if (!unwinding)
		return;
	spt_unwinder_free(unwinding->unwinder);
	g_hash_table_unref(unwinding->tables);
	g_byte_array_unref(unwinding->made);
	g_free(unwinding);
}

static const struct sysprof_sample *without_copy(SptImportUnwinding *unwinding,
						 const struct sysprof_sample *sample)
{
	struct sysprof_sample *made = spt_unwound_keep(unwinding->made, sample);

	made->user_mode = made->n_user ? SYSPROF_USER_FP : SYSPROF_USER_NONE;
	return made;
}

const struct sysprof_sample *spt_import_unwinding_take(SptImportUnwinding *unwinding,
						       const struct sysprof_sample *sample)
{
	const struct sysprof_raw *raw =
		(const void *)&sample->frames[sample->n_kernel + sample->n_user];
	SptUnwindEnd end;
	uint64_t version;
	unsigned n;

	unwinding->space = spt_spaces_get(unwinding->spaces, sample->mm);
	if (!unwinding->space || spt_space_is_empty(unwinding->space) ||
	    !spt_unwind_raw_is_whole(raw, sample->raw_bytes))
		return without_copy(unwinding, sample);
	version = spt_space_version(unwinding->space);
	n = spt_unwinder_walk(unwinding->unwinder, version, raw, unwinding->frames, FRAMES_MAX,
			      &end);
	n = spt_unwinder_follow(unwinding->unwinder, version, raw,
				sample->frames + sample->n_kernel, sample->n_user,
				unwinding->frames, n, FRAMES_MAX, &end);
	unwinding->n_all++;
	unwinding->n_cut += end != SPT_UNWIND_ROOT;
	return spt_unwound_walked(unwinding->made, sample, unwinding->frames, n, end);
}

void spt_import_unwinding_counts(const SptImportUnwinding *unwinding, uint64_t *ret_all,
				 uint64_t *ret_cut)
{
	*ret_all = unwinding->n_all;
	*ret_cut = unwinding->n_cut;
}

unsigned spt_import_unwinding_missing(const SptImportUnwinding *unwinding)
{
	return unwinding->n_missing;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwinding.h"

#include <string.h>

#include "capture/format.h"
#include "unwind/stepper.h"

#define FRAMES_MAX 1024
/* A desktop's worth of objects is a tenth of it.  Beyond it all are dropped, and compiled again as they are needed. */
#define TABLES_MAX_BYTES (256u << 20)

struct SptUnwinding {
	SptOutput *output;
	const SptSpaces *spaces;
	const SptSpace *space;		/* of the sample at hand */
	SptUnwinder *unwinder;
	GHashTable *tables;		/* object id -> SptUnwindTable, NULL for those without */
	size_t table_bytes;
	GByteArray *made;
	SptUnwindFrame frames[FRAMES_MAX];
};

static SptUnwindTable *table_of(SptUnwinding *unwinding, uint32_t id)
{
	const SptObject *file;
	void *table;

	if (g_hash_table_lookup_extended(unwinding->tables, GUINT_TO_POINTER(id), NULL, &table))
		return table;
	file = spt_output_file(unwinding->output, id);
	table = file ? spt_unwind_table_new(file, NULL) : NULL;
	if (table)
		unwinding->table_bytes += g_bytes_get_size(spt_unwind_table_bytes(table));
	g_hash_table_insert(unwinding->tables, GUINT_TO_POINTER(id), table);
	return table;
}

static bool find(uint64_t space, uint64_t address, SptUnwindPlace *ret, void *data)
{
	SptUnwinding *unwinding = data;
	const SptMap *map = spt_space_find(unwinding->space, address);

	(void)space;
	if (!map || map->object == SYSPROF_OBJECT_UNKNOWN)
		return false;
	ret->table = table_of(unwinding, map->object);
	ret->offset = address - map->start + map->offset;
	return true;
}

SptUnwinding *spt_unwinding_new(SptOutput *output, const SptSpaces *spaces)
{
	SptUnwinding *unwinding = g_new0(SptUnwinding, 1);

	unwinding->output = output;
	unwinding->spaces = spaces;
	unwinding->unwinder = spt_unwinder_new(find, unwinding);
	unwinding->tables = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)spt_unwind_table_unref);
	unwinding->made = g_byte_array_new();
	return unwinding;
}

void spt_unwinding_free(SptUnwinding *unwinding)
{
	if (!unwinding)
		return;
	spt_unwinder_free(unwinding->unwinder);
	g_hash_table_unref(unwinding->tables);
	g_byte_array_unref(unwinding->made);
	g_free(unwinding);
}

static uint8_t user_end_of(SptUnwindEnd end)
{
	static const uint8_t ends[SPT_UNWIND_ENDS] = {
		[SPT_UNWIND_ROOT] = SYSPROF_END_ROOT,
		[SPT_UNWIND_LIMIT] = SYSPROF_END_LIMIT,
		[SPT_UNWIND_CUT] = SPT_END_CUT,
		[SPT_UNWIND_NO_INFO] = SPT_END_NO_INFO,
		[SPT_UNWIND_BAD_MEMORY] = SYSPROF_END_BAD,
		[SPT_UNWIND_UNMAPPED] = SYSPROF_END_UNMAPPED,
	};

	return ends[end];
}

const struct sysprof_sample *spt_unwinding_take(SptUnwinding *unwinding, const struct sysprof_sample *sample)
{
	const struct sysprof_raw *raw = (const void *)&sample->frames[sample->n_kernel + sample->n_user];
	size_t before = sizeof(*sample) + sample->n_kernel * sizeof(sample->frames[0]);
	struct sysprof_sample *made;
	SptUnwindEnd end;
	unsigned n;

	unwinding->space = spt_spaces_get(unwinding->spaces, sample->mm);
	if (!sample->raw_bytes || !unwinding->space || !spt_unwind_raw_is_whole(raw, sample->raw_bytes))
		return sample;
	if (unwinding->table_bytes > TABLES_MAX_BYTES) {
		spt_unwinder_forget(unwinding->unwinder);
		g_hash_table_remove_all(unwinding->tables);
		unwinding->table_bytes = 0;
	}
	n = spt_unwinder_walk(unwinding->unwinder, spt_space_version(unwinding->space), raw, unwinding->frames, FRAMES_MAX, &end);
	g_byte_array_set_size(unwinding->made, before + n * sizeof(sample->frames[0]));
	made = (void *)unwinding->made->data;
	memcpy(made, sample, before);
	made->record.flags |= SYSPROF_SAMPLE_ADDRESSES | SYSPROF_SAMPLE_USER_EXACT;
	made->record.size = unwinding->made->len / 8;
	made->raw_bytes = 0;
	made->user_mode = SYSPROF_USER_RAW;
	made->user_end = user_end_of(end);
	made->n_user = n;
	/* Further out than the innermost, frames are taken for calls; what a signal interrupted is found where the call before it would be. */
	for (unsigned i = 0; i < n; i++)
		made->frames[made->n_kernel + i] = unwinding->frames[i].ip + (i > 0 && unwinding->frames[i].is_exact);
	return made;
}

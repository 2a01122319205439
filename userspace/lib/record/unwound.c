/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwound.h"

#include <string.h>

#include "capture/format.h"

/* The caller fills the room for @n user frames. */
static struct sysprof_sample *unwound_make(GByteArray *room, const struct sysprof_sample *from,
					   unsigned n)
{
	size_t before = sizeof(*from) + from->n_kernel * sizeof(from->frames[0]);
	struct sysprof_sample *made;

	g_byte_array_set_size(room, (guint)(before + n * sizeof(from->frames[0])));
	made = (void *)room->data;
	memcpy(made, from, before);
	made->record.size = room->len / 8;
	made->raw_bytes = 0;
	made->n_user = (uint16_t)n;
	return made;
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

struct sysprof_sample *spt_unwound_keep(GByteArray *room, const struct sysprof_sample *from)
{
	struct sysprof_sample *made = unwound_make(room, from, from->n_user);

	memcpy(made->frames + made->n_kernel, from->frames + from->n_kernel,
	       from->n_user * sizeof(from->frames[0]));
	return made;
}

struct sysprof_sample *spt_unwound_made(GByteArray *room, const struct sysprof_sample *from,
					const __u64 *values, unsigned n, SptUnwindEnd end)
{
	struct sysprof_sample *made = unwound_make(room, from, n);

	made->user_mode = SYSPROF_USER_RAW;
	made->user_end = user_end_of(end);
	memcpy(made->frames + made->n_kernel, values, n * sizeof(*values));
	return made;
}

struct sysprof_sample *spt_unwound_walked(GByteArray *room, const struct sysprof_sample *from,
					  const SptUnwindFrame *frames, unsigned n,
					  SptUnwindEnd end)
{
	struct sysprof_sample *made = unwound_make(room, from, n);

	made->user_mode = SYSPROF_USER_RAW;
	made->user_end = user_end_of(end);
	for (unsigned i = 0; i < n; i++)
		made->frames[made->n_kernel + i] = frames[i].ip + (i > 0 && frames[i].is_exact);
	return made;
}

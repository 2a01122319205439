/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The objects that every recording of its kind has: they represent what is no file. */
#include "record/recorder-private.h"

void spt_recorder_put_fixed_objects(SptRecorder *recorder)
{
	SptObjectRow rows[] = {
		{ .id = SYSPROF_OBJECT_KERNEL, .kind = SPT_OBJECT_KERNEL, .path = "[kernel]" },
		{ .id = SYSPROF_OBJECT_MODULES, .kind = SPT_OBJECT_MODULES, .path = "[modules]" },
		{ .id = SYSPROF_OBJECT_ANON, .kind = SPT_OBJECT_ANON, .path = "[anon]" },
		{ .id = SYSPROF_OBJECT_VDSO, .kind = SPT_OBJECT_VDSO, .path = "[vdso]" },
		{ .id = SPT_STACKS_VDSO32, .kind = SPT_OBJECT_VDSO, .path = "[vdso32]" },
	};
	static const SptObjectRow unknown_callers[] = {
		{ .id = SPT_STACKS_CUT, .path = SPT_STACK_CUT_OFF },
		{ .id = SPT_STACKS_INCOMPLETE, .path = "[stack incomplete]" },
	};
	static const SptObjectRow named = { .id = SPT_STACKS_NAMED, .path = SPT_EVENT_OBJECT },
				  script = { .id = SPT_STACKS_SCRIPT, .path = "[script]" };

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
		spt_output_object(recorder->output, &rows[i], 0);
	for (unsigned i = 0;
	     (recorder->ends || recorder->memory) && i < G_N_ELEMENTS(unknown_callers); i++)
		spt_output_object(recorder->output, &unknown_callers[i], 0);
	if (recorder->pairs)
		spt_output_object(recorder->output, &named, 0);
	if (recorder->scripts)
		spt_output_object(recorder->output, &script, 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of scripts in stacks of rings: what the library copied of their code is taken like the
 * module's (script-names.h).  Each ring has numbers of its own.
 */
#include <string.h>

#include "record/memory-private.h"
#include "record/script-names.h"
#include "record/stacks.h"
#include "scripts/interpreter.h"

/* As the module has it; the caller frees it. */
static struct sysprof_code *memory_scripts_record(const SptRingRecord *record, uint64_t number,
						  uint32_t interpreter)
{
	unsigned n = record->n_words - SPT_RING_CODE_WORDS;
	struct sysprof_code *code = g_malloc0(sizeof(*code) + n * sizeof(uint64_t));

	code->record.type = SYSPROF_CODE;
	code->record.size = (uint16_t)(sizeof(*code) / 8 + n);
	code->code = number;
	code->tag = (uint32_t)record->words[1];
	code->object = interpreter;
	memcpy(code->bytes, record->words + 2, sizeof(code->bytes));
	memcpy(code->data, record->words + SPT_RING_CODE_WORDS, n * sizeof(uint64_t));
	return code;
}

void spt_memory_take_code(SptMemory *memory, struct spt_memory_ring *ring)
{
	const SptRingRecord *record = &ring->next;
	struct spt_script script = { .interpreter = spt_memory_object_at(ring, record->words[0]) };
	g_autofree struct sysprof_code *code = NULL;
	SptObjectRow row;

	script.number = spt_script_names_new_number(spt_output_scripts(memory->output));
	if (!script.number)
		return;
	if (ring->scripts && record->node < ring->scripts->len)
		spt_script_names_drop(spt_output_scripts(memory->output),
				      g_array_index(ring->scripts, struct spt_script, record->node)
					      .number);
	code = memory_scripts_record(record, script.number, script.interpreter);
	if (spt_script_names_take(spt_output_scripts(memory->output), code, &row))
		spt_output_object(memory->output, &row, 0);
	if (!ring->scripts)
		ring->scripts = g_array_new(FALSE, TRUE, sizeof(struct spt_script));
	if (record->node >= ring->scripts->len)
		g_array_set_size(ring->scripts, record->node + 1);
	g_array_index(ring->scripts, struct spt_script, record->node) = script;
}

void spt_memory_forget_scripts(SptMemory *memory, struct spt_memory_ring *ring)
{
	SptScriptNames *names = spt_output_scripts(memory->output);

	for (unsigned i = 0; ring->scripts && i < ring->scripts->len; i++)
		spt_script_names_drop(names,
				      g_array_index(ring->scripts, struct spt_script, i).number);
	if (ring->scripts)
		g_array_set_size(ring->scripts, 0);
}

uint32_t spt_memory_script_node(SptMemory *memory, const struct spt_memory_ring *ring,
				uint32_t parent)
{
	uint64_t address = ring->next.address, number = address >> SPT_NODE_CODE_SHIFT,
		 frame = SYSPROF_FRAME_SCRIPT | (address & SYSPROF_FRAME_POSITION_MASK);
	struct spt_script script = { 0 };
	SptFrame own = { .object = SPT_STACKS_SCRIPT, .kind = SPT_FRAME_EXACT };
	const SptNode *native;

	if (ring->scripts && number < ring->scripts->len)
		script = g_array_index(ring->scripts, struct spt_script, number);
	frame |= script.number << SYSPROF_FRAME_CODE_SHIFT;
	if (!script.number ||
	    !spt_script_names_frame(spt_output_scripts(memory->output), frame, &own))
		own = (SptFrame){ .object = SPT_STACKS_SCRIPT, .kind = SPT_FRAME_EXACT };
	native = parent ? spt_stash_node(memory->stash, parent) : NULL;
	/* The one that executes it. */
	if (native && !memory->keeps_loops && script.interpreter &&
	    native->frame.object == script.interpreter)
		parent = native->parent;
	return spt_stash_child(memory->stash, parent, &own);
}

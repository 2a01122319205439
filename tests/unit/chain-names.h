/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What functions of scripts that the module found are called, and where they are. */
#ifndef CHAIN_NAMES_H
#define CHAIN_NAMES_H

#include "chain-native.h"
#include "scripts/interpreter.h"

/* A function whose names were sent. */
struct named {
	u32 tag;
	SptScriptFunction function;
};

static void named_free(void *data)
{
	struct named *named = data;

	spt_script_function_clear(&named->function);
	g_free(named);
}

/* As the recorder does; without a path nobody knows the source. */
static void find_first_line(struct program *program, SptScriptFunction *function)
{
	if (function->source_chars)
		function->first_line = spt_script_lines_find(program->lines, (uint32_t)program->pid,
							     function->file, function->begins_at,
							     function->source_chars);
}

static void program_name(struct program *program, const struct sysprof_code *code)
{
	struct named *named = g_new0(struct named, 1);
	SptSpan spans[SYSPROF_CHAIN_MAX_SPANS];
	const __u64 *at = code->data;

	for (unsigned i = 0; i < SYSPROF_CHAIN_MAX_SPANS; i++) {
		spans[i] = (SptSpan){ at, code->bytes[i] };
		at += (code->bytes[i] + 7) / 8;
	}
	named->tag = code->tag;
	if (!spt_interpreter_of_tag(code->tag)->read(code->tag, spans, &named->function)) {
		g_free(named);
		return;
	}
	find_first_line(program, &named->function);
	g_hash_table_insert(program->names, GSIZE_TO_POINTER(code->code), named);
}

/* Whether the frame is removed: one of those that come in addition has no name. */
static bool is_left_out(const struct program *program, unsigned i)
{
	const struct named *named;
	unsigned j = i;

	if (!spt_interpreter_of_tag(program->chain->tag)->has_additions || script.frame[i].position)
		return false;
	while (j && !script.frame[j - 1].position)
		j--;
	for (; j < script.n && !script.frame[j].position; j++) {
		named = g_hash_table_lookup(program->names,
					    GSIZE_TO_POINTER(script.frame[j].number));
		if (!named || named->function.lack == SPT_SCRIPT_IS_NOTHING)
			return true;
	}
	named = g_hash_table_lookup(program->names, GSIZE_TO_POINTER(script.frame[i].number));
	return named && named->function.lack == SPT_SCRIPT_IS_SPARE;
}

static char *program_say(const struct program *program, const struct sysprof_script_frame *frame)
{
	const struct named *named =
		g_hash_table_lookup(program->names, GSIZE_TO_POINTER(frame->number));

	if (!named)
		return g_strdup("?");
	return g_strdup_printf("%s\t%s\t%u", named->function.name, named->function.file,
			       spt_interpreter_of_tag(named->tag)
				       ->line(named->tag, &named->function,
					      (u32)MIN(frame->position,
						       SYSPROF_POSITION_NOT_TOLD)));
}

#endif

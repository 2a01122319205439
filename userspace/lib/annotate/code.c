/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code at the addresses: each piece is disassembled once, from the recorded file. */
#include "annotate/annotate-private.h"
#include "annotate/disassemble.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct spt_annotator *annotator;
	const SptCode *code;
	SptFrame frame;			/* offset of its start */
};

static uint64_t offset_of(const struct reader *reader, uint64_t address)
{
	return reader->frame.offset + (address - reader->code->address);
}

static int code_compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The file is asked once for all that is needed of it. */
static void code_prepare(struct reader *reader, const GArray *instructions)
{
	g_autofree uint64_t *offsets = g_new(uint64_t, MAX(2 * instructions->len, 1));
	uint32_t n = 0, n_each = 0;

	for (unsigned i = 0; i < instructions->len; i++) {
		const SptInstruction *instruction = &g_array_index(instructions, SptInstruction, i);

		offsets[n++] = offset_of(reader, instruction->address);
		if (instruction->target)
			offsets[n++] = offset_of(reader, instruction->target);
	}
	qsort(offsets, n, sizeof(*offsets), code_compare_offsets);
	for (uint32_t i = 0; i < n; i++)
		if (n_each == 0 || offsets[n_each - 1] != offsets[i])
			offsets[n_each++] = offsets[i];
	spt_symbols_prepare(reader->annotator->symbols, reader->frame.object, offsets, n_each);
}

/* Prints "call <kfree>" instead of the zero operand that is there until the module is loaded. */
static bool code_name_reference(struct reader *reader, SptInstruction *instruction)
{
	const char *name =
		spt_code_reference(reader->code, instruction->address, instruction->bytes);
	g_autofree char *text = NULL;

	if (!name)
		return false;
	text = instruction->text;
	instruction->text =
		g_strdup_printf("%.*s <%s>",
				instruction->target ? (int)strcspn(text, " ") : (int)strlen(text),
				text, name);
	instruction->target = 0;
	return true;
}

/*
 * Prints "call 0x1139 <memcpy>", "<main+0x12>"; only within one object, whose code is as in the
 * file.
 */
static void name_target(struct reader *reader, SptInstruction *instruction)
{
	SptFrame frame = reader->frame;
	g_autofree char *text = NULL;
	g_autofree char *kernel = NULL;
	uint64_t start, bytes;
	SptName name;

	if (code_name_reference(reader, instruction) || !instruction->target)
		return;
	kernel = spt_symbols_kernel_target(reader->annotator->symbols, &frame, instruction->target);
	if (kernel) {
		text = instruction->text;
		instruction->text = g_strdup_printf("%s <%s>", text, kernel);
		return;
	}
	frame.offset = offset_of(reader, instruction->target);
	name = spt_symbols_name(reader->annotator->symbols, &frame);
	if (!spt_symbols_extent(reader->annotator->symbols, &frame, &start, &bytes))
		return;
	text = instruction->text;
	instruction->text = frame.offset == start ?
				    g_strdup_printf("%s <%s>", text, name.function) :
				    g_strdup_printf("%s <%s+0x%" PRIx64 ">", text, name.function,
						    frame.offset - start);
}

static char *say(const SptAnnotatedCode *code, const char *what)
{
	return g_strdup_printf("%s %s", code->object, what);
}

/* Keeps the instructions of the function, with their lines. */
static void keep_own(struct reader *reader, SptAnnotatedCode *code, GArray *instructions)
{
	struct spt_annotator *annotator = reader->annotator;
	g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	SptFrame frame = reader->frame;

	code_prepare(reader, instructions);
	for (unsigned i = 0; i < instructions->len; i++) {
		SptInstruction *instruction = &g_array_index(instructions, SptInstruction, i);
		SptNamedPlace places[SPT_INLINES_MAX];
		bool is_innermost;
		unsigned n;

		instruction->offset = frame.offset;
		n = spt_symbols_places(annotator->symbols, &frame, places);
		frame.offset += instruction->bytes;
		g_array_set_size(own, 0);
		if (!spt_annotator_lines(annotator, places, n, own, &is_innermost)) {
			g_free(instruction->text);
			continue;
		}
		name_target(reader, instruction);
		instruction->file = places[0].line ? places[0].file : NULL;
		instruction->line = places[0].line;
		for (unsigned k = 0; k < own->len; k++)
			g_array_index(annotator->lines, struct spt_line,
				      g_array_index(own, uint32_t, k))
				.has_code = true;
		g_array_append_val(code->instructions, *instruction);
	}
}

static void disassemble(struct spt_annotator *annotator, SptAnnotatedCode *code, uint32_t object)
{
	struct reader reader = {
		.annotator = annotator,
		.frame = { .object = object, .offset = code->start, .kind = SPT_FRAME_EXACT }
	};
	g_autofree char *problem = NULL;
	g_autoptr(SptCode) read =
		spt_symbols_code(annotator->symbols, &reader.frame, code->bytes, &problem);
	g_autoptr(GArray) instructions = NULL;
	const char *reason = NULL;

	reader.code = read;
	instructions = read ? spt_disassemble(read->machine, read->bits, read->bytes->data,
					      read->bytes->len, read->address, &reason) :
			      NULL;
	if (!instructions)
		code->problem = say(code, read ? reason : problem);
	else
		keep_own(&reader, code, instructions);
}

static SptAnnotatedCode *add_piece(struct spt_annotator *annotator, const SptFrame *frame,
				   uint64_t start, uint64_t bytes)
{
	SptAnnotatedCode *code = g_new0(SptAnnotatedCode, 1);
	SptName name = spt_symbols_name(annotator->symbols, frame);

	code->function = name.function;
	code->object = name.object;
	code->start = start;
	code->bytes = bytes;
	code->instructions = g_array_new(FALSE, TRUE, sizeof(SptInstruction));
	disassemble(annotator, code, frame->object);
	g_ptr_array_add(annotator->annotation->code, code);
	return code;
}

/* Call sites point inside the call instruction. */
static SptInstruction *instruction_at(const SptAnnotatedCode *code, uint64_t offset)
{
	unsigned low = 0, high = code->instructions->len;
	SptInstruction *instruction;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (g_array_index(code->instructions, SptInstruction, middle).offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	instruction = low > 0 ? &g_array_index(code->instructions, SptInstruction, low - 1) : NULL;
	return instruction && offset - instruction->offset < instruction->bytes ? instruction :
										  NULL;
}

static int heavier_code(gconstpointer a, gconstpointer b)
{
	const SptAnnotatedCode *x = *(SptAnnotatedCode *const *)a,
			       *y = *(SptAnnotatedCode *const *)b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

void spt_annotator_add_code(struct spt_annotator *annotator)
{
	GPtrArray *all = annotator->annotation->code;
	struct spt_pairs pieces = { 0 };	/* (object, start) -> index in @all */

	for (unsigned i = 0; i < annotator->places->len; i++) {
		const struct spt_place *place =
			&g_array_index(annotator->places, struct spt_place, i);
		SptInstruction *instruction;
		SptAnnotatedCode *code;
		uint64_t start, bytes;
		uint32_t *number;

		if (!spt_symbols_extent(annotator->symbols, &place->frame, &start, &bytes))
			continue;
		number = spt_pairs_at(&pieces, place->frame.object, start);
		if (*number == UINT32_MAX) {
			*number = all->len;
			add_piece(annotator, &place->frame, start, bytes);
		}
		code = all->pdata[*number];
		code->self += place->self;
		code->total += place->total;
		instruction = instruction_at(code, place->frame.offset);
		if (instruction) {
			instruction->self += place->self;
			instruction->total += place->total;
		}
	}
	spt_pairs_clear(&pieces);
	g_ptr_array_sort(all, heavier_code);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/ruby-code.h"

#include <string.h>

#define NO_FILE "[ruby]"
#define KIND_MASK 0x1f
#define KIND_STRING 5
#define KIND_ARRAY 7
#define NOT_EMBEDDED (1u << 13)
#define TYPES 10			/* of instruction sequences: more than there are */
/* In 3.1 the length of a text in its string is in the flags, and the text where the length is. */
#define OLD_LENGTH_SHIFT 14
#define OLD_LENGTH_MASK 0x1f
#define OLD_TEXT 16

/* Of the table of positions, by which an entry of the table of lines is found. */
#define SMALL_POSITIONS 54
#define SMALL_PER_WORD 9
#define SMALL_BITS 7
#define SMALL_BYTES 48
#define BLOCK_BYTES 80
#define BLOCK_POSITIONS 512
#define BLOCK_BITS 16

/* To UTF-8; what is no text is replaced.  NULL: it is empty, or not there. */
static char *ruby_text(const SptSpan *span, unsigned at, uint64_t bytes)
{
	if (at >= span->bytes || !bytes)
		return NULL;
	return g_utf8_make_valid((const char *)span->data + at,
				 (gssize)MIN(bytes, span->bytes - at));
}

/* The text of a string; @text: what its pointer leads to. */
static char *ruby_string(uint32_t tag, const SptSpan *string, const SptSpan *text)
{
	uint64_t flags = spt_span_word(string, 0, 8);
	bool is_old = SPT_TAG_MINOR(tag) < 2;

	if ((flags & KIND_MASK) != KIND_STRING)
		return NULL;
	if (flags & NOT_EMBEDDED)
		return ruby_text(text, 0, spt_span_word(string, SPT_RUBY_STRING_LENGTH, 8));
	if (is_old)
		return ruby_text(string, OLD_TEXT, flags >> OLD_LENGTH_SHIFT & OLD_LENGTH_MASK);
	return ruby_text(string, SPT_RUBY_STRING_TEXT,
			 spt_span_word(string, SPT_RUBY_STRING_LENGTH, 8));
}

static char *ruby_path(uint32_t tag, const SptSpan *spans)
{
	if ((spt_span_word(&spans[SPT_RUBY_PATH], 0, 8) & KIND_MASK) == KIND_ARRAY)
		return ruby_string(tag, &spans[SPT_RUBY_PATH_TEXT],
				   &spans[SPT_RUBY_WHOLE_PATH_TEXT]);
	return ruby_string(tag, &spans[SPT_RUBY_PATH], &spans[SPT_RUBY_PATH_TEXT]);
}

/*
 * Whether it is an instruction sequence.  Of a function of C there is the entry of its name in the
 * table of all names, where a label would be; before it is what belongs to another name.
 */
static bool is_sequence(const SptSpan *body)
{
	uint64_t base_label = spt_span_word(body, SPT_RUBY_BODY_BASE_LABEL, 8);

	return spt_span_word(body, 0, 4) < TYPES && spt_span_word(body, 4, 4) && base_label &&
	       base_label % 8 == 0;
}

bool spt_ruby_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		   SptScriptFunction *ret)
{
	const SptSpan *lines = &spans[SPT_RUBY_LINES], *positions = &spans[SPT_RUBY_POSITIONS];
	uint32_t head = lines->bytes;
	GByteArray *both;

	*ret = (SptScriptFunction){
		.name = ruby_string(tag, &spans[SPT_RUBY_LABEL], &spans[SPT_RUBY_LABEL_TEXT]),
	};
	if (!ret->name)
		return false;
	if (!is_sequence(&spans[SPT_RUBY_BODY])) {
		ret->file = g_strdup(NO_FILE);
		return true;
	}
	ret->file = ruby_path(tag, spans);
	if (!ret->file)
		ret->file = g_strdup(NO_FILE);
	ret->first_line = (uint32_t)spt_span_word(&spans[SPT_RUBY_BODY], SPT_RUBY_BODY_LINE, 4);
	if (SPT_TAG_MINOR(tag) < 2)
		ret->first_line >>= 1;
	both = g_byte_array_new();
	g_byte_array_append(both, (const uint8_t *)&head, sizeof(head));
	g_byte_array_append(both, lines->data, lines->bytes);
	g_byte_array_append(both, positions->data, positions->bytes);
	ret->lines = g_byte_array_free_to_bytes(both);
	return true;
}

/* How many entries of the table of lines begin at @position or before; 0: not known. */
static uint32_t ruby_rank(const SptSpan *table, uint32_t position)
{
	unsigned block, bit, sub;
	uint64_t bits, sums;

	if (position < SMALL_POSITIONS)
		return spt_span_word(table, position / SMALL_PER_WORD * 8, 8) >>
			       position % SMALL_PER_WORD * SMALL_BITS &
		       ((1u << SMALL_BITS) - 1);
	position -= SMALL_POSITIONS;
	block = SMALL_BYTES + position / BLOCK_POSITIONS * BLOCK_BYTES;
	bit = position % BLOCK_POSITIONS % 64;
	sub = position % BLOCK_POSITIONS / 64;
	if (block + BLOCK_BYTES > table->bytes)
		return 0;
	sums = sub ? spt_span_word(table, block + 8, 8) >> (sub - 1) * 9 & 0x1ff : 0;
	bits = spt_span_word(table, block + BLOCK_BITS + sub * 8, 8) << (63 - bit);
	return (uint32_t)(spt_span_word(table, block, 4) + sums +
			  (unsigned)__builtin_popcountll(bits));
}

uint32_t spt_ruby_line(uint32_t tag, const SptScriptFunction *function, uint32_t position)
{
	SptSpan lines, positions;
	const uint8_t *data;
	uint32_t head, rank;
	size_t bytes;

	(void)tag;
	if (!function->lines || position == SYSPROF_POSITION_NOT_TOLD)
		return function->first_line;
	data = g_bytes_get_data(function->lines, &bytes);
	memcpy(&head, data, sizeof(head));
	lines = (SptSpan){ data + sizeof(head), head };
	positions = (SptSpan){ data + sizeof(head) + head, (unsigned)bytes - 4 - head };
	/* It is that of the next instruction. */
	position -= !!position;
	rank = lines.bytes == SPT_RUBY_LINE_BYTES ? 1 : ruby_rank(&positions, position);
	if (!rank || rank * SPT_RUBY_LINE_BYTES > lines.bytes)
		return function->first_line;
	return (uint32_t)spt_span_word(&lines, (rank - 1) * SPT_RUBY_LINE_BYTES, 4);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/ruby-code.h"

#include <string.h>

#define NO_FILE "[ruby]"
/* Of the table of positions, by which an entry of the table of lines is found. */
#define SMALL_POSITIONS 54
#define SMALL_PER_WORD 9
#define SMALL_BITS 7
#define SMALL_BYTES 48
#define BLOCK_BYTES 80
#define BLOCK_POSITIONS 512
#define BLOCK_BITS 16

/* To UTF-8; what is no text is replaced.  NULL: it is empty, or not there. */
static char *ruby_text(const SptSpan *span)
{
	return span->bytes ? g_utf8_make_valid(span->data, (gssize)span->bytes) : NULL;
}

/* Behind "block (2 levels) in ", "rescue in " and the like; what it is in is not "<main>". */
static const char *ruby_method_in(const char *label)
{
	const char *in = g_str_has_prefix(label, "block ") || g_str_has_prefix(label, "rescue ") ||
					 g_str_has_prefix(label, "ensure ") ?
				 strstr(label, " in ") :
				 NULL;

	if (in)
		return ruby_method_in(in + strlen(" in "));
	return label[0] == '<' && g_ascii_isalpha(label[1]) ? NULL : label;
}

/* As Ruby 3.4 does it.  A class that has no name has a number, which is no help. */
static char *ruby_qualify(const char *label, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS])
{
	g_autofree char *class = ruby_text(&spans[SPT_RUBY_CLASS]),
			*singleton = ruby_text(&spans[SPT_RUBY_SINGLETON]);
	const char *method = ruby_method_in(label), *owner = class ? class : singleton;

	if (!method || !owner || owner[0] == '#')
		return g_strdup(label);
	return g_strdup_printf("%.*s%s%c%s", (int)(method - label), label, owner,
			       class ? '#' : '.', method);
}

bool spt_ruby_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		   SptScriptFunction *ret)
{
	const SptSpan *lines = &spans[SPT_RUBY_LINES], *positions = &spans[SPT_RUBY_POSITIONS];
	g_autofree char *label = ruby_text(&spans[SPT_RUBY_LABEL]);
	uint32_t head = lines->bytes;
	GByteArray *both;

	*ret = (SptScriptFunction){ 0 };
	if (!label)
		return false;
	ret->name = ruby_qualify(label, spans);
	ret->file = ruby_text(&spans[SPT_RUBY_PATH]);
	if (!ret->file)
		ret->file = g_strdup(NO_FILE);
	if (!spans[SPT_RUBY_BODY].bytes)
		return true;
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

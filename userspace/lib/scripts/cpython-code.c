/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/cpython-code.h"


/* Of a bytes object. */
#define BYTES_HEAD 32
#define STATE_AT   32 /* of a string */
#define LENGTH_AT  16

/* To UTF-8; what is no text is replaced.  NULL: it is empty. */
static char *read_string(const SptSpan *span, unsigned minor)
{
	uint64_t state = spt_span_word(span, STATE_AT, 4),
		 length = spt_span_word(span, LENGTH_AT, 8);
	unsigned unit = state >> 2 & 7, plain = minor < 12 ? 48 : 40, wide = minor < 12 ? 72 : 56,
		 at = state >> 6 & 1 ? plain : wide;
	GString *text;

	if ((unit != 1 && unit != 2 && unit != 4) || at >= span->bytes || !length)
		return NULL;
	text = g_string_new(NULL);
	for (uint64_t i = 0; i < length && at + unit <= span->bytes; i++, at += unit) {
		gunichar c = (gunichar)spt_span_word(span, at, unit);

		g_string_append_unichar(text, c && g_unichar_validate(c) ? c : 0xfffd);
	}
	return g_string_free(text, text->len == 0);
}

bool spt_cpython_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		      SptScriptFunction *ret)
{
	unsigned minor = SPT_TAG_MINOR(tag);
	const SptSpan *lines = &spans[3];

	*ret = (SptScriptFunction){
		.name = read_string(&spans[1], minor),
		.file = read_string(&spans[2], minor),
		.first_line = (uint32_t)spt_span_word(&spans[0],
						      minor < 11 ? 40 :
						      minor < 12 ? 72 :
								   68,
						     4),
	};
	if (!ret->name) {
		spt_script_function_clear(ret);
		return false;
	}
	if (lines->bytes > BYTES_HEAD)
		ret->lines = g_bytes_new((const uint8_t *)lines->data + BYTES_HEAD,
					 MIN(spt_span_word(lines, LENGTH_AT, 8),
					     lines->bytes - BYTES_HEAD));
	return true;
}

/* Reads of a line table; behind its end everything is 0. */
struct table {
	const uint8_t *data;
	size_t bytes, at;
};

static uint8_t cpython_byte(struct table *table)
{
	return table->at < table->bytes ? table->data[table->at++] : 0;
}

static uint32_t cpython_number(struct table *table)
{
	uint32_t value = 0;
	uint8_t byte;

	for (unsigned shift = 0; shift < 32; shift += 6) {
		byte = cpython_byte(table);
		value |= (uint32_t)(byte & 0x3f) << shift;
		if (!(byte & 0x40))
			break;
	}
	return value;
}

static int32_t cpython_signed(struct table *table)
{
	uint32_t value = cpython_number(table);

	return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

/* Since 3.11: entries with columns, in units of two bytes of code. */
static uint32_t line_by_places(struct table *table, uint32_t line, uint32_t position)
{
	enum { SHORTS = 10, ONE_LINES = 13, NO_COLUMNS = 13, LONG = 14, NONE = 15 };
	uint32_t end = 0;

	while (table->at < table->bytes) {
		uint8_t head = cpython_byte(table), kind = head >> 3 & 0xf;

		end += (head & 7) + 1;
		if (kind == NO_COLUMNS || kind == LONG)
			line += (uint32_t)cpython_signed(table);
		else if (kind >= SHORTS && kind < ONE_LINES)
			line += kind - SHORTS;
		if (position < end)
			return kind == NONE ? 0 : line;
		/* The next entry begins with the bit that others lack. */
		while (table->at < table->bytes && !(table->data[table->at] & 0x80))
			table->at++;
	}
	return 0;
}

/* 3.10: pairs of bytes of code, and the difference of their line; -128: they have none. */
static uint32_t line_by_ranges(struct table *table, uint32_t line, uint32_t offset)
{
	uint32_t end = 0;

	while (table->at + 1 < table->bytes) {
		end += cpython_byte(table);
		int8_t difference = (int8_t)cpython_byte(table);

		if (difference != INT8_MIN)
			line += (uint32_t)difference;
		if (offset < end)
			return difference == INT8_MIN ? 0 : line;
	}
	return 0;
}

/* Up to 3.9: pairs of differences. */
static uint32_t line_by_pairs(struct table *table, uint32_t line, uint32_t offset)
{
	uint32_t at = 0;

	while (table->at + 1 < table->bytes) {
		at += cpython_byte(table);
		if (at > offset)
			break;
		line += (uint32_t)(int8_t)cpython_byte(table);
	}
	return line;
}

uint32_t spt_cpython_line(uint32_t tag, const SptScriptFunction *function, uint32_t position)
{
	unsigned minor = SPT_TAG_MINOR(tag);
	struct table table = { 0 };
	uint32_t line;

	if (!function->lines || position == SYSPROF_POSITION_NOT_TOLD)
		return function->first_line;
	table.data = g_bytes_get_data(function->lines, &table.bytes);
	if (minor >= 11)
		line = line_by_places(&table, function->first_line, position);
	else if (minor == 10)
		line = line_by_ranges(&table, function->first_line, position * 2);
	else
		line = line_by_pairs(&table, function->first_line, position);
	/* Behind what was copied it is not known. */
	return line ? line : function->first_line;
}

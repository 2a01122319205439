/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/lua-code.h"

#include <string.h>

#define NO_FILE "[lua]"
#define TAIL_CALLS "(...tail calls...)"
#define COUNT_BYTES 8
#define MARK_BYTES 8

/* The text of a string, from @at on; NULL: it was not copied. */
static char *lua_text(const SptSpan *span, unsigned at, uint64_t bytes)
{
	if (span->bytes <= at)
		return NULL;
	return g_utf8_make_valid((const char *)span->data + at,
				 (gssize)MIN(bytes, span->bytes - at));
}

static char *lua_short_text(const SptSpan *span)
{
	return lua_text(span, SPT_LUA_TEXT, spt_span_word(span, SPT_LUA_SHORT_LENGTH, 1));
}

/* Since 5.5 its text is elsewhere, and only that was copied. */
static char *lua_long_text(uint32_t tag, const SptSpan *span)
{
	if (SPT_TAG_MINOR(tag) > 4)
		return lua_text(span, 0, span->bytes);
	return lua_text(span, SPT_LUA_TEXT, spt_span_word(span, SPT_LUA_LONG_LENGTH, 8));
}

/* As Lua itself shows it: code that is no file's is known by its first line. */
static char *lua_file_of(const char *source)
{
	const char *end = strchr(source, '\n');

	if (source[0] == '@' || source[0] == '=')
		return g_strdup(source[1] ? source + 1 : NO_FILE);
	return end ? g_strdup_printf("[string \"%.*s...\"]", (int)(end - source), source) :
		     g_strdup_printf("[string \"%s\"]", source);
}

/* The number of marks, the marks, and the changes of lines. */
static GBytes *lua_lines(const SptSpan *marks, const SptSpan *changes)
{
	uint64_t n = marks->bytes / MARK_BYTES;
	g_autoptr(GByteArray) lines = g_byte_array_new();

	if (!changes->bytes)
		return NULL;
	g_byte_array_append(lines, (const guint8 *)&n, sizeof(n));
	g_byte_array_append(lines, marks->data, (guint)(n * MARK_BYTES));
	g_byte_array_append(lines, changes->data, changes->bytes);
	return g_byte_array_free_to_bytes(g_steal_pointer(&lines));
}

bool spt_lua_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		  SptScriptFunction *ret)
{
	const SptSpan *prototype = &spans[SPT_LUA_PROTOTYPE], *of_long = &spans[SPT_LUA_LONG];
	/* That of a chunk has a sign in front. */
	g_autofree char *source = of_long->bytes ? lua_long_text(tag, of_long) :
						   lua_short_text(&spans[SPT_LUA_SHORT]);
	g_autofree char *base = NULL;

	*ret = (SptScriptFunction){ 0 };
	if (spans[SPT_LUA_TAIL].bytes) {
		ret->name = g_strdup(TAIL_CALLS);
		ret->file = g_strdup(NO_FILE);
		return true;
	}
	if (!prototype->bytes || !source)
		return false;
	ret->file = lua_file_of(source);
	ret->first_line = (uint32_t)spt_span_word(prototype, SPT_LUA_FIRST_LINE, 4);
	base = ret->file[0] == '[' ? g_strdup(ret->file) : g_path_get_basename(ret->file);
	ret->name = lua_short_text(&spans[SPT_LUA_NAME]);
	if (!ret->name)
		ret->name = ret->first_line ? g_strdup_printf("function <%s:%u>", base,
							      ret->first_line) :
					      g_strdup("main chunk");
	ret->lines = lua_lines(&spans[SPT_LUA_LINE_MARKS], &spans[SPT_LUA_CHANGES]);
	return true;
}

uint32_t spt_lua_line(uint32_t tag, const SptScriptFunction *function, uint32_t position)
{
	uint32_t n, first = 0, line = function->first_line, changes;
	gsize bytes = 0;
	const uint8_t *data = function->lines ? g_bytes_get_data(function->lines, &bytes) : NULL;
	SptSpan span = { data, (unsigned)bytes };

	(void)tag;
	n = (uint32_t)spt_span_word(&span, 0, COUNT_BYTES);
	changes = COUNT_BYTES + n * MARK_BYTES;
	if (position == SYSPROF_POSITION_NOT_TOLD || !position-- || changes + position >= bytes)
		return line;
	for (uint32_t at = COUNT_BYTES; at < changes; at += MARK_BYTES) {
		if (spt_span_word(&span, at, 4) > position)
			break;
		line = (uint32_t)spt_span_word(&span, at + 4, 4);
		first = (uint32_t)spt_span_word(&span, at, 4) + 1;
	}
	for (uint32_t i = first; i <= position; i++)
		line += (uint32_t)(int8_t)data[changes + i];
	return line;
}

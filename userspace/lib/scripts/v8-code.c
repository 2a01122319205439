/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/v8-code.h"

#include <string.h>

#define NO_FILE "[v8]"
#define NO_NAME "(anonymous)"
#define FILE_SCHEME "file://"

/* Text of one byte a character is Latin-1. */
static char *from_latin1(const uint8_t *text, size_t n)
{
	GString *to = g_string_sized_new(n);

	for (size_t i = 0; i < n; i++)
		g_string_append_unichar(to, text[i]);
	return g_string_free(to, FALSE);
}

static char *from_utf16(const void *text, size_t n)
{
	GString *to = g_string_sized_new(n);
	g_autofree gunichar2 *units = g_memdup2(text, n * sizeof(gunichar2));

	for (size_t i = 0; i < n; i++) {
		gunichar c = units[i];

		if (c >= 0xd800 && c < 0xdc00 && i + 1 < n && units[i + 1] >= 0xdc00 &&
		    units[i + 1] < 0xe000)
			c = 0x10000 + ((c - 0xd800) << 10) + (units[++i] - 0xdc00u);
		else if (c >= 0xd800 && c < 0xe000)
			c = 0xfffd;
		g_string_append_unichar(to, c);
	}
	return g_string_free(to, FALSE);
}

/* The string of which @parts are; NULL: it is empty, or not there. */
static char *v8_string(const SptSpan *parts, bool is_one_byte)
{
	uint64_t length = spt_span_word(&parts[SPT_V8_STRING], SPT_V8_LENGTH_AT, 4);
	const SptSpan *text = &parts[SPT_V8_TEXT];
	const uint8_t *data = text->data;

	if (!length || !text->bytes)
		return NULL;
	if (is_one_byte) {
		const uint8_t *end = memchr(data, 0, MIN(length, text->bytes));

		return from_latin1(data, end ? (size_t)(end - data) : MIN(length, text->bytes));
	}
	return from_utf16(data, MIN(length, text->bytes / sizeof(gunichar2)));
}

static char *v8_name(const SptSpan *parts)
{
	return v8_string(parts, spt_span_word(&parts[SPT_V8_MAP], SPT_V8_TYPE_AT - SPT_V8_TAG, 2) &
					SPT_V8_IS_ONE_BYTE);
}

/* Those of two bytes a character are copied only if the first one's other byte is 0. */
static char *v8_script(const SptSpan *parts)
{
	return v8_string(parts, spt_span_word(&parts[SPT_V8_TEXT], 1, 1) != 0);
}

/* "Module." of "Module._compile", which is put together of two strings; "" if there is none. */
static char *v8_prefix(const SptSpan *span)
{
	uint64_t length = spt_span_word(span, SPT_V8_LENGTH_AT, 4);

	if (span->bytes <= SPT_V8_HEADER_BYTES || length > span->bytes - SPT_V8_HEADER_BYTES)
		return g_strdup("");
	return from_latin1((const uint8_t *)span->data + SPT_V8_HEADER_BYTES, length);
}

/* Of a file: URI, which can have any byte in it; NULL: it is none. */
static char *v8_path_of(const char *uri)
{
	g_autofree char *path = g_filename_from_uri(uri, NULL, NULL);

	return path ? g_utf8_make_valid(path, -1) : NULL;
}

/* The source is a string whose pointer was followed as it is, with its tag. */
static void v8_read_place(const SptSpan *spans, SptScriptFunction *ret)
{
	const SptSpan *positions = &spans[SPT_V8_POSITIONS];
	uint64_t n = spt_span_word(&spans[SPT_V8_SOURCE], SPT_V8_LENGTH_AT - SPT_V8_TAG, 4),
		 begin = spt_span_word(positions, SPT_V8_NUMBER_AT, 4),
		 end = spt_span_word(positions, SPT_V8_END_AT + SPT_V8_NUMBER_AT, 4);

	if (positions->bytes < SPT_V8_HEADER_BYTES || begin > end || end > n)
		return;
	ret->begins_at = (uint32_t)begin;
	ret->source_chars = (uint32_t)n;
}

bool spt_v8_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		 SptScriptFunction *ret)
{
	g_autofree char *file = v8_script(&spans[SPT_V8_SCRIPT]),
			*name = v8_name(&spans[SPT_V8_NAME]),
			*prefix = v8_prefix(&spans[SPT_V8_PREFIX]);

	(void)tag;
	*ret = (SptScriptFunction){ 0 };
	if (!spans[SPT_V8_NAME].bytes && spans[SPT_V8_PREFIX].bytes) {
		ret->lack = spans[SPT_V8_POSITIONS].bytes ? SPT_SCRIPT_IS_SPARE :
							    SPT_SCRIPT_IS_NOTHING;
		ret->name = g_strdup(NO_NAME);
		return true;
	}
	if (!spans[SPT_V8_NAME].bytes && !spans[SPT_V8_POSITIONS].bytes)
		return false;
	/* It has a name, which could not be read. */
	if (!name && spt_span_word(&spans[SPT_V8_NAME + SPT_V8_STRING], SPT_V8_LENGTH_AT, 4))
		return false;
	ret->name = name ? g_strconcat(prefix, name, NULL) : g_strdup(NO_NAME);
	if (!file)
		ret->file = g_strdup(NO_FILE);
	else if (g_str_has_prefix(file, FILE_SCHEME))
		ret->file = v8_path_of(file);
	if (!ret->file)
		ret->file = g_steal_pointer(&file);
	v8_read_place(spans, ret);
	return true;
}

uint32_t spt_v8_line(uint32_t tag, const SptScriptFunction *function, uint32_t position)
{
	(void)tag;
	(void)position;
	return function->first_line;
}

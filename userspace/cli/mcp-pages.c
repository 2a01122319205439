/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers in parts.  A handle is "NUMBER:OFFSET" of a text that is kept; texts end where lines do,
 * and a line that is too long for an answer is cut.
 */
#include <string.h>

#include "mcp.h"

/* Texts that are kept; older ones have to be asked for again. */
#define MOST_KEPT 16
/* Of an answer, around the text: id, keys, and the line with the handle. */
#define AROUND_BYTES 320

/* Bytes of a character in JSON. */
static size_t bytes_of(unsigned char c)
{
	return c == '"' || c == '\\' || c == '\n' || c == '\t' ? 2 : c < 0x20 ? 6 : 1;
}

/* How many bytes of @text an answer has room for: whole lines, if there is one. */
static size_t fit(const char *text)
{
	size_t n = 0, line = 0, room = SPT_MCP_ANSWER_BYTES - AROUND_BYTES;

	for (; text[n] && bytes_of((unsigned char)text[n]) <= room; n++) {
		room -= bytes_of((unsigned char)text[n]);
		if (text[n] == '\n')
			line = n + 1;
	}
	if (!text[n])
		return n;
	if (line)
		return line;
	while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static char *part_of(SptMcpPages *pages, unsigned number, size_t offset)
{
	const char *text = pages->texts->pdata[number];
	size_t n = fit(text + offset);

	if (!text[offset + n])
		return g_strdup(text + offset);
	return g_strdup_printf("%.*s[%zu of %zu bytes; more: call \"more\" with cursor \"%u:%zu\"]",
			       (int)n, text + offset, offset + n, strlen(text), number, offset + n);
}

char *spt_mcp_pages_begin(SptMcpPages *pages, char *text)
{
	if (!pages->texts)
		pages->texts = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(pages->texts, text);
	if (pages->texts->len > MOST_KEPT)
		g_clear_pointer(&pages->texts->pdata[pages->texts->len - 1 - MOST_KEPT], g_free);
	return part_of(pages, pages->texts->len - 1, 0);
}

char *spt_mcp_pages_next(SptMcpPages *pages, const char *cursor)
{
	g_auto(GStrv) parts = g_strsplit(cursor, ":", 2);
	uint64_t number, offset;

	if (g_strv_length(parts) != 2 || !pages->texts ||
	    !g_ascii_string_to_unsigned(parts[0], 10, 0, UINT32_MAX, &number, NULL) ||
	    !g_ascii_string_to_unsigned(parts[1], 10, 0, UINT32_MAX, &offset, NULL) ||
	    number >= pages->texts->len || !pages->texts->pdata[number] ||
	    offset >= strlen(pages->texts->pdata[number]) ||
	    ((unsigned char)((char *)pages->texts->pdata[number])[offset] & 0xc0) == 0x80)
		return NULL;
	return part_of(pages, (unsigned)number, offset);
}

void spt_mcp_pages_clear(SptMcpPages *pages)
{
	g_clear_pointer(&pages->texts, g_ptr_array_unref);
}

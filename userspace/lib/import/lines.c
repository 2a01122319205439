/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/lines.h"

#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/unpack.h"

/* A line, its end, and some more, so that most reads are large. */
#define ROOM_BYTES (2 * (size_t)SPT_IMPORT_LINE_BYTES)

struct SptImportLines {
	SptImportUnpacker *unpacker;	/* NULL: the file cannot be read */
	size_t begin, end;		/* of what is not returned yet */
	unsigned number;		/* of the last line, from 1 */
	bool is_at_end;
	char buffer[ROOM_BYTES + 1];
};

size_t spt_import_text_begin(const char *begin, size_t bytes)
{
	static const char mark[] = "\xef\xbb\xbf";

	return bytes >= strlen(mark) && memcmp(begin, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
}

SptImportLines *spt_import_lines_new(int fd)
{
	SptImportLines *lines = g_new(SptImportLines, 1);

	lines->unpacker = spt_import_unpacker_new(fd, NULL);
	lines->begin = lines->end = 0;
	lines->number = 0;
	lines->is_at_end = false;
	return lines;
}

void spt_import_lines_free(SptImportLines *lines)
{
	if (!lines)
		return;
	spt_import_unpacker_free(lines->unpacker);
	g_free(lines);
}

static bool read_more_lines(SptImportLines *lines)
{
	gssize n = -1;

	memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
	lines->end -= lines->begin;
	lines->begin = 0;
	if (lines->unpacker)
		n = spt_import_unpacker_next(lines->unpacker, lines->buffer + lines->end,
					     ROOM_BYTES - lines->end, NULL);
	if (n < 0)
		return false;
	lines->is_at_end = n == 0;
	lines->end += (size_t)n;
	return true;
}

/* The end of the next line; NULL: @ret_wrong, or there is none. */
static char *find_line_end(SptImportLines *lines, const char **ret_wrong)
{
	char *end;

	while (!(end = memchr(lines->buffer + lines->begin, '\n', lines->end - lines->begin))) {
		if (lines->end - lines->begin > SPT_IMPORT_LINE_BYTES)
			break;
		if (lines->is_at_end)
			return lines->end > lines->begin ? lines->buffer + lines->end : NULL;
		if (!read_more_lines(lines)) {
			*ret_wrong = SPT_WORDS("cannot be read");
			return NULL;
		}
	}
	if (end && end - (lines->buffer + lines->begin) <= SPT_IMPORT_LINE_BYTES)
		return end;
	*ret_wrong = SPT_WORDS("is too long");
	return NULL;
}

char *spt_import_lines_next(SptImportLines *lines, size_t *ret_bytes, const char **ret_wrong)
{
	char *end, *line;

	*ret_wrong = NULL;
	lines->number++;
	end = find_line_end(lines, ret_wrong);
	if (!end)
		return NULL;
	line = lines->buffer + lines->begin;
	*ret_bytes = (size_t)(end - line);
	lines->begin = MIN(lines->begin + *ret_bytes + 1, lines->end);
	*end = '\0';
	if (lines->number == 1) {
		size_t mark = spt_import_text_begin(line, *ret_bytes);

		line += mark;
		*ret_bytes -= mark;
	}
	if (*ret_bytes > 0 && line[*ret_bytes - 1] == '\r')
		line[--*ret_bytes] = '\0';
	if (!memchr(line, '\0', *ret_bytes))
		return line;
	*ret_wrong = SPT_WORDS("has a byte that is no text");
	return NULL;
}

void spt_import_lines_refuse(const SptImportLines *lines, const char *wrong, GError **error)
{
	spt_set_error(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED,
		      "line %u %s", lines->number, spt_words(wrong));
}

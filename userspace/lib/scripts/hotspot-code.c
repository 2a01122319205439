/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/hotspot-code.h"

#include <string.h>

#define NO_FILE "[java]"
/* A table of lines: a byte with both steps, or this one and two numbers; 0 ends it. */
#define LONG_STEP 0xff
#define LINE_BITS 3
/* Numbers of several bytes: those below the limit end one.  Since 20 no byte is 0. */
#define NUMBER_BYTES 5
#define NUMBER_SHIFT 6
#define NUMBER_LIMIT 192
#define NO_ZEROS_SINCE 20

/* Where something is read. */
struct place {
	const uint8_t *at, *end;
};

static int32_t code_read_number(struct place *from, uint32_t tag)
{
	uint32_t least = SPT_TAG_MAJOR(tag) >= NO_ZEROS_SINCE, value = 0, byte;

	for (unsigned i = 0; i < NUMBER_BYTES && from->at < from->end; i++) {
		byte = *from->at++;
		value += (byte - least) << i * NUMBER_SHIFT;
		if (byte < NUMBER_LIMIT)
			break;
	}
	return (int32_t)(value >> 1 ^ -(value & 1));
}

/* The next line of the table, and from where in the code on it holds; false: there is none. */
static bool hotspot_read_line(struct place *from, uint32_t tag, int64_t *code, int64_t *line)
{
	uint8_t step = from->at < from->end ? *from->at++ : 0;

	if (!step)
		return false;
	if (step == LONG_STEP) {
		*code += code_read_number(from, tag);
		*line += code_read_number(from, tag);
	} else {
		*code += step >> LINE_BITS;
		*line += step & ((1 << LINE_BITS) - 1);
	}
	return true;
}

uint32_t spt_hotspot_line(uint32_t tag, const SptScriptFunction *function, uint32_t position)
{
	gsize bytes = 0;
	const uint8_t *data = function->lines ? g_bytes_get_data(function->lines, &bytes) : NULL;
	struct place from = { data, data + bytes };
	int64_t code = 0, line = 0, best = -1;
	uint32_t found = 0;

	if (position == SYSPROF_POSITION_NOT_TOLD)
		return 0;
	/* Mostly, but not always, in the order of the code. */
	while (hotspot_read_line(&from, tag, &code, &line))
		if (code <= position && code >= best && line > 0 && line <= UINT16_MAX) {
			best = code;
			found = (uint32_t)line;
		}
	return found;
}

/* The text of a symbol; NULL: there is none. */
static char *hotspot_text(const SptSpan *span)
{
	if (span->bytes <= SPT_HOTSPOT_SYMBOL_HEAD)
		return NULL;
	return g_utf8_make_valid((const char *)span->data + SPT_HOTSPOT_SYMBOL_HEAD,
				 span->bytes - SPT_HOTSPOT_SYMBOL_HEAD);
}

/* As far as it was copied. */
static GBytes *hotspot_lines(const SptSpan *spans, uint32_t tag)
{
	GByteArray *lines = g_byte_array_new();

	for (unsigned i = SPT_HOTSPOT_LINES; i < SPT_HOTSPOT_END; i++) {
		g_byte_array_append(lines, spans[i].data, spans[i].bytes);
		if (spans[i].bytes < (unsigned)SPT_HOTSPOT_LINES_BYTES << (i - SPT_HOTSPOT_LINES))
			break;
	}
	/* What is behind the table is something else. */
	for (struct place from = { lines->data, lines->data + lines->len };;) {
		int64_t code = 0, line = 0;

		if (!hotspot_read_line(&from, tag, &code, &line)) {
			g_byte_array_set_size(lines, (guint)(from.at - lines->data));
			break;
		}
	}
	return g_byte_array_free_to_bytes(lines);
}

/* Its source's path, as far as the package says that. */
static char *hotspot_path(const char *class, const char *source)
{
	const char *slash = strrchr(class, '/');

	return slash ? g_strdup_printf("%.*s/%s", (int)(slash - class), class, source) :
		       g_strdup(source);
}

bool spt_hotspot_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		      SptScriptFunction *ret)
{
	g_autofree char *name = hotspot_text(&spans[SPT_HOTSPOT_NAME]),
			*class = hotspot_text(&spans[SPT_HOTSPOT_CLASS]),
			*source = hotspot_text(&spans[SPT_HOTSPOT_SOURCE]);

	*ret = (SptScriptFunction){ 0 };
	if (!name || !class)
		return false;
	ret->file = source ? hotspot_path(class, source) : g_strdup(NO_FILE);
	ret->lines = hotspot_lines(spans, tag);
	ret->first_line = spt_hotspot_line(tag, ret, 0);
	/* Classes that are made at run time have an address behind their name. */
	class[strcspn(class, "+")] = '\0';
	g_strdelimit(class, "/", '.');
	ret->name = g_strdup_printf("%s.%s", class, name);
	return true;
}

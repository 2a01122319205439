/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of a format: "field:unsigned int len;	offset:8;	size:4;	signed:0;".  Types are the
 * kernel's C; what a number means is only in its name.
 */
#include "trace/points/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMON "common_"

struct line {
	char *type, *name;
	unsigned at, bytes, elements;	/* elements: of an array; 0: it is none */
	int is_signed;
};

static void line_clear(struct line *line)
{
	g_free(line->type);
	g_free(line->name);
}

/* Splits "unsigned long args[6]" into type, name and number of elements. */
static bool format_split(struct line *line, const char *text, size_t length)
{
	g_autofree char *whole = g_strndup(text, length);
	char *bracket = strchr(whole, '['), *blank, *name;

	/* "__data_loc char[] name": the type has the bracket. */
	if (bracket && strchr(bracket, ' '))
		bracket = NULL;
	if (bracket) {
		*bracket = '\0';
		line->elements = (unsigned)strtoul(bracket + 1, NULL, 10);
	}
	blank = strrchr(whole, ' ');
	if (!blank)
		return false;
	for (name = blank + 1; *name == '*'; name++)
		;
	line->name = g_strdup(name);
	line->type = g_strndup(whole, (size_t)(name - whole));
	g_strstrip(line->type);
	return *line->name;
}

static bool format_parse_line(const char *text, struct line *line)
{
	static const char field[] = "field:";
	const char *end = strchr(text, ';');

	*line = (struct line){ 0 };
	return g_str_has_prefix(text, field) && end &&
	       sscanf(end, "; offset:%u; size:%u; signed:%d;", &line->at, &line->bytes,
		      &line->is_signed) == 3 &&
	       line->at <= UINT16_MAX && line->bytes <= UINT16_MAX &&
	       format_split(line, text + strlen(field), (size_t)(end - text) - strlen(field));
}

static bool ends_so(const char *name, const char *const *ends)
{
	for (; *ends; ends++) {
		size_t n = strlen(*ends), length = strlen(name);

		if (length >= n && strcmp(name + length - n, *ends) == 0 &&
		    (length == n || name[length - n - 1] == '_'))
			return true;
	}
	return false;
}

/* Sums of ids mean nothing, so they are no metric. */
static SptValueType number_type(const struct line *line)
{
	static const char *const ids[] = { "pid",  "tid",   "tgid",  "ppid", "uid",	"gid",
					   "cpu",  "dev",   "ino",   "inode", "ip",	"fd",
					   "ptr",  "flags", "state", "mode", "sector", "nr",
					   "prio", "id",    "node",  "irq",  "vec",	"pfn",
					   "type", "error", "signo", NULL };
	static const char *const sizes[] = { "bytes", "size", "len", "length", "req", "alloc", NULL };
	static const char *const times[] = { "ns", "runtime", "vruntime", "delay", NULL };

	if (strchr(line->type, '*') ||
	    (!g_str_has_prefix(line->name, "nr_") && ends_so(line->name, ids)))
		return SPT_VALUE_ID;
	if (!line->is_signed && ends_so(line->name, times))
		return SPT_VALUE_NS;
	if (!line->is_signed && ends_so(line->name, sizes))
		return SPT_VALUE_BYTES;
	return line->is_signed ? SPT_VALUE_I64 : SPT_VALUE_U64;
}

static void format_add_field(SptPointFormat *format, SptPointForm form, const struct line *line)
{
	unsigned n = form == SPT_POINT_NUMBER ? MAX(line->elements, 1) : 1,
		 bytes = line->bytes / n;

	if (form == SPT_POINT_NUMBER && bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) {
		format->n_left_out++;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *name = line->elements && form == SPT_POINT_NUMBER ?
						g_strdup_printf("%s%u", line->name, i) :
						g_strdup(line->name);

		if (format->n_fields == SPT_DECLARED_FIELDS) {
			format->n_left_out += n - i;
			return;
		}
		format->fields[format->n_fields++] = (SptPointField){
			.field = { .name = g_intern_string(name),
				   .unit = "",
				   .type = form == SPT_POINT_NUMBER ? number_type(line) :
								       SPT_VALUE_TEXT },
			.form = form,
			.at = (uint16_t)(line->at + i * bytes),
			.bytes = (uint16_t)bytes,
			/* An id of all ones is "none", and no number below 0. */
			.is_signed = line->is_signed && number_type(line) != SPT_VALUE_ID,
		};
	}
}

static void format_take_line(SptPointFormat *format, const struct line *line)
{
	bool is_char = strstr(line->type, "char") && !strchr(line->type, '*');

	if (g_str_has_prefix(line->name, COMMON))
		return;
	if (g_str_has_prefix(line->type, "__data_loc") && is_char && line->bytes == 4)
		format_add_field(format, SPT_POINT_TEXT_AT, line);
	else if (g_str_has_prefix(line->type, "__rel_loc") && is_char && line->bytes == 4)
		format_add_field(format, SPT_POINT_TEXT_FROM, line);
	else if (is_char && line->elements)
		format_add_field(format, SPT_POINT_TEXT, line);
	else if (strstr(line->type, "_loc ") || g_str_has_prefix(line->type, "struct "))
		format->n_left_out++;
	else
		format_add_field(format, SPT_POINT_NUMBER, line);
}

bool spt_point_format_parse(const char *text, SptPointFormat *ret, uint32_t *ret_id)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	*ret = (SptPointFormat){ 0 };
	*ret_id = 0;
	for (char **at = lines; *at; at++) {
		struct line line;

		if (g_str_has_prefix(*at, "ID: "))
			*ret_id = (uint32_t)strtoul(*at + strlen("ID: "), NULL, 10);
		if (format_parse_line(g_strstrip(*at), &line))
			format_take_line(ret, &line);
		line_clear(&line);
	}
	return *ret_id;
}

SptValue spt_point_format_number(const SptPointField *field, const uint8_t *at)
{
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		int8_t i8;
		int16_t i16;
		int32_t i32;
	} number = { .u64 = 0 };
	uint64_t value;

	memcpy(&number, at, field->bytes);
	switch (field->bytes) {
	case 1:
		value = field->is_signed ? (uint64_t)(int64_t)number.i8 : number.u8;
		break;
	case 2:
		value = field->is_signed ? (uint64_t)(int64_t)number.i16 : number.u16;
		break;
	case 4:
		value = field->is_signed ? (uint64_t)(int64_t)number.i32 : number.u32;
		break;
	default:
		value = number.u64;
	}
	return (SptValue){ .number = value };
}

static SptValue text_value(const uint8_t *from, size_t bytes, char text[SPT_DECLARED_TEXT_BYTES])
{
	bytes = MIN(bytes, SPT_DECLARED_TEXT_BYTES - 1);
	memcpy(text, from, bytes);
	text[bytes] = '\0';
	return (SptValue){ .text = text };
}

SptValue spt_point_format_value(const SptPointField *field, const uint8_t *record, size_t bytes,
				char text[SPT_DECLARED_TEXT_BYTES])
{
	SptValue none = { .number = 0 };
	size_t at = field->at, length;
	uint32_t where;

	if (field->form >= SPT_POINT_CALL)
		return none;
	if (field->form != SPT_POINT_NUMBER)
		none.text = "";
	if (field->at > bytes || field->bytes > bytes - field->at)
		return none;
	if (field->form == SPT_POINT_NUMBER)
		return spt_point_format_number(field, record + field->at);
	if (field->form == SPT_POINT_TEXT)
		return text_value(record + field->at, field->bytes, text);
	memcpy(&where, record + field->at, sizeof(where));
	length = where >> 16;
	at = (where & 0xffff) + (field->form == SPT_POINT_TEXT_FROM ? at + sizeof(where) : 0);
	if (at > bytes || length > bytes - at)
		return none;
	return text_value(record + at, length, text);
}

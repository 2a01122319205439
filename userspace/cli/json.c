/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON for scripts: text becomes valid UTF-8, and counts stay within the range of JSON readers.
 * json-c holds the document and prints it.
 */
#include "json.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "symbols/symbols.h"

/* Adds @value (NULL: null) to the open object or array. */
static void json_add(SptJson *json, const char *key, json_object *value)
{
	json_object *parent = json->open ? json->open->pdata[json->open->len - 1] : NULL;

	if (key)
		json_object_object_add(parent, key, value);
	else if (parent)
		json_object_array_add(parent, value);
}

static void json_begin(SptJson *json, const char *key, json_object *value)
{
	json_add(json, key, value);
	if (!json->open)
		json->open = g_ptr_array_new();
	g_ptr_array_add(json->open, value);
}

/*
 * Anybody can choose names: bytes that a terminal would take for control sequences are escaped.
 * json-c does that below U+0020; DEL and U+0080 to U+009F remain.  They occur in strings only.
 */
static void print(const char *text)
{
	const char *at = text;
	size_t plain;

	while (*(at += plain = strcspn(at, "\x7f\xc2"))) {
		const unsigned char *odd = (const unsigned char *)at;

		fwrite(at - plain, 1, plain, stdout);
		if (odd[0] == 0x7f) {
			fputs("\\u007f", stdout);
			at++;
		} else if (odd[1] >= 0x80 && odd[1] < 0xa0) {
			printf("\\u%04x", odd[1]);
			at += 2;
		} else {
			putchar(odd[0]);
			at++;
		}
	}
	fwrite(at - plain, 1, plain, stdout);
	putchar('\n');
}

static void json_end(SptJson *json)
{
	json_object *value = g_ptr_array_steal_index(json->open, json->open->len - 1);

	if (json->open->len)
		return;
	print(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PRETTY |
							    JSON_C_TO_STRING_SPACED |
							    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(value);
	g_clear_pointer(&json->open, g_ptr_array_unref);
}

void spt_json_object(SptJson *json, const char *key)
{
	json_begin(json, key, json_object_new_object());
}

void spt_json_end_object(SptJson *json)
{
	json_end(json);
}

void spt_json_array(SptJson *json, const char *key)
{
	json_begin(json, key, json_object_new_array());
}

void spt_json_end_array(SptJson *json)
{
	json_end(json);
}

void spt_json_text(SptJson *json, const char *key, const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	json_add(json, key, valid ? json_object_new_string(valid) : NULL);
}

void spt_json_count(SptJson *json, const char *key, uint64_t value)
{
	spt_json_signed(json, key, (int64_t)MIN(value, (uint64_t)INT64_MAX));
}

void spt_json_signed(SptJson *json, const char *key, int64_t value)
{
	json_add(json, key, json_object_new_int64(value));
}

void spt_json_number(SptJson *json, const char *key, double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE + sizeof(".0")];

	g_ascii_dtostr(text, G_ASCII_DTOSTR_BUF_SIZE, value);
	/* A number keeps one type, for scripts in typed languages. */
	if (!strpbrk(text, ".e"))
		strcat(text, ".0");
	/* JSON has no infinity. */
	json_add(json, key, isfinite(value) ? json_object_new_double_s(value, text) : NULL);
}

void spt_json_flag(SptJson *json, const char *key, bool value)
{
	json_add(json, key, json_object_new_boolean(value));
}

void spt_json_function(SptJson *json, const char *function, const char *object)
{
	spt_json_text(json, "function", function);
	spt_json_text(json, "object", object);
}

void spt_json_frames(SptJson *json, const GArray *frames, unsigned first)
{
	spt_json_array(json, "frames");
	for (unsigned i = first; i < frames->len; i++) {
		const SptName *name = &g_array_index(frames, SptName, i);

		spt_json_object(json, NULL);
		spt_json_function(json, name->function, name->object);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

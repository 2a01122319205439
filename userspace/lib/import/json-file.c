/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/json-file.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/lines.h"
#include "import/unpack.h"

#define JSON_DEPTH 128

/* Where JSON is read: behind blanks and comments. */
static size_t skip_json_blanks(const char *text, size_t bytes, size_t at)
{
	while (at < bytes) {
		const char *stop = NULL;

		if (g_ascii_isspace(text[at])) {
			at++;
			continue;
		}
		if (bytes - at < 2 || text[at] != '/')
			break;
		if (text[at + 1] == '*')
			stop = memmem(text + at + 2, bytes - at - 2, "*/", 2);
		else if (text[at + 1] == '/')
			stop = memchr(text + at, '\n', bytes - at);
		else
			break;
		at = !stop ? bytes : (size_t)(stop - text) + (text[at + 1] == '*' ? 2 : 1);
	}
	return at;
}

/* What closes an array that was cut off behind one of its elements. */
static struct json_object *close_json_array(struct json_tokener *tokener, const char *text,
					    size_t bytes)
{
	size_t at = skip_json_blanks(text, bytes, 0);

	return at < bytes && text[at] == '[' ? json_tokener_parse_ex(tokener, "]", 1) : NULL;
}

static struct json_object *parse_json(const GByteArray *file)
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH);
	size_t at = spt_import_text_begin((const char *)file->data, file->len);
	const char *text = (const char *)file->data + at;
	struct json_object *tree = json_tokener_parse_ex(tokener, text, (int)(file->len - at));

	if (!tree && json_tokener_get_error(tokener) == json_tokener_continue)
		tree = close_json_array(tokener, text, file->len - at);
	json_tokener_free(tokener);
	return tree;
}

struct json_object *spt_import_json(int fd, GError **error)
{
	g_autoptr(GByteArray) bytes = spt_import_unpack(fd, SPT_IMPORT_JSON_BYTES, error);
	struct json_object *tree;

	if (!bytes)
		return NULL;
	tree = parse_json(bytes);
	if (!tree)
		spt_import_refuse(error, SPT_WORDS("its JSON is damaged"));
	return tree;
}

bool spt_import_json_is(const char *begin, size_t bytes)
{
	size_t at = skip_json_blanks(begin, bytes, 0);

	return at < bytes && (begin[at] == '{' || begin[at] == '[');
}

/* Where the text ends that begins behind the quote at @at: at its quote, or at the end. */
static size_t end_of_json_text(const char *text, size_t bytes, size_t at)
{
	while (at < bytes && text[at] != '"')
		at += text[at] == '\\' ? 2 : 1;
	return MIN(at, bytes);
}

bool spt_import_json_has(const char *begin, size_t bytes, unsigned depth, const char *key)
{
	size_t length = strlen(key), stop;
	unsigned now = 0;

	if (!spt_import_json_is(begin, bytes))
		return false;
	for (size_t at = 0; (at = skip_json_blanks(begin, bytes, at)) < bytes; at++) {
		now += begin[at] == '{' || begin[at] == '[';
		now -= now > 0 && (begin[at] == '}' || begin[at] == ']');
		if (begin[at] != '"')
			continue;
		stop = end_of_json_text(begin, bytes, ++at);
		if (now == depth && stop - at == length && !memcmp(begin + at, key, length)) {
			size_t next = skip_json_blanks(begin, bytes, MIN(stop + 1, bytes));

			if (next < bytes && begin[next] == ':')
				return true;
		}
		at = stop;
	}
	return false;
}

struct json_object *spt_import_json_member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(object, key, &value) ? value : NULL;
}

struct json_object *spt_import_json_list(struct json_object *object, const char *key)
{
	struct json_object *value = spt_import_json_member(object, key);

	return json_object_is_type(value, json_type_array) ? value : NULL;
}

size_t spt_import_json_length(struct json_object *list)
{
	return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

struct json_object *spt_import_json_at(struct json_object *list, size_t i)
{
	return i < spt_import_json_length(list) ? json_object_array_get_idx(list, i) : NULL;
}

const char *spt_import_json_text(struct json_object *value, const char *otherwise)
{
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) :
							      otherwise;
}

const char *spt_import_json_id(struct json_object *value)
{
	return json_object_is_type(value, json_type_string) ||
			       json_object_is_type(value, json_type_int) ?
		       json_object_get_string(value) :
		       NULL;
}

double spt_import_json_number(struct json_object *value, double otherwise)
{
	double number;

	if (!json_object_is_type(value, json_type_int) &&
	    !json_object_is_type(value, json_type_double))
		return otherwise;
	number = json_object_get_double(value);
	return isfinite(number) ? number : otherwise;
}

size_t spt_import_json_index(struct json_object *value, size_t end)
{
	int64_t number = json_object_is_type(value, json_type_int) ? json_object_get_int64(value) :
								     -1;

	return number >= 0 && (uint64_t)number < end ? (size_t)number : end;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/json-file.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/unpack.h"

/* Most bytes of a file, unpacked: its tree takes some ten times as much. */
#define JSON_MAX_BYTES (256u << 20)
#define JSON_DEPTH     128

/* What closes an array that was cut off behind one of its elements. */
static struct json_object *close_json_array(struct json_tokener *tokener, const GByteArray *bytes)
{
	guint at = 0;

	while (at < bytes->len && g_ascii_isspace(bytes->data[at]))
		at++;
	return at < bytes->len && bytes->data[at] == '[' ? json_tokener_parse_ex(tokener, "]", 1) :
							   NULL;
}

static struct json_object *parse_json(const GByteArray *bytes)
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH);
	struct json_object *tree =
		json_tokener_parse_ex(tokener, (const char *)bytes->data, (int)bytes->len);

	if (!tree && json_tokener_get_error(tokener) == json_tokener_continue)
		tree = close_json_array(tokener, bytes);
	json_tokener_free(tokener);
	return tree;
}

struct json_object *spt_import_json(int fd, GError **error)
{
	g_autoptr(GByteArray) bytes = spt_import_unpack(fd, JSON_MAX_BYTES, error);
	struct json_object *tree;

	if (!bytes)
		return NULL;
	tree = parse_json(bytes);
	if (!tree)
		spt_import_refuse(error, SPT_WORDS("its JSON is damaged"));
	return tree;
}

bool spt_import_json_has(const char *begin, size_t bytes, const char *key)
{
	g_autofree char *quoted = g_strdup_printf("\"%s\"", key);
	size_t at = 0;

	while (at < bytes && g_ascii_isspace(begin[at]))
		at++;
	return at < bytes && begin[at] == '{' && memmem(begin, bytes, quoted, strlen(quoted));
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

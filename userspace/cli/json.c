/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON for scripts: text made valid UTF-8, counts kept within what JSON readers bear. */
#include "json.h"

#include <stdio.h>

void spt_json_text(JsonBuilder *json, const char *key, const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	json_builder_set_member_name(json, key);
	if (valid)
		json_builder_add_string_value(json, valid);
	else
		json_builder_add_null_value(json);
}

void spt_json_count(JsonBuilder *json, const char *key, uint64_t value)
{
	json_builder_set_member_name(json, key);
	json_builder_add_int_value(json, MIN(value, (uint64_t)G_MAXINT64));
}

void spt_json_number(JsonBuilder *json, const char *key, double value)
{
	json_builder_set_member_name(json, key);
	json_builder_add_double_value(json, value);
}

void spt_json_array(JsonBuilder *json, const char *key)
{
	json_builder_set_member_name(json, key);
	json_builder_begin_array(json);
}

void spt_json_object(JsonBuilder *json, const char *key)
{
	json_builder_set_member_name(json, key);
	json_builder_begin_object(json);
}

void spt_json_function(JsonBuilder *json, const char *function, const char *object)
{
	spt_json_text(json, "function", function);
	spt_json_text(json, "object", object);
}

void spt_json_print(JsonBuilder *json)
{
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autoptr(JsonNode) root = NULL;
	g_autofree char *text = NULL;

	json_builder_end_object(json);
	root = json_builder_get_root(json);
	json_generator_set_root(generator, root);
	json_generator_set_pretty(generator, TRUE);
	json_generator_set_indent(generator, 1);
	text = json_generator_to_data(generator, NULL);
	puts(text);
}

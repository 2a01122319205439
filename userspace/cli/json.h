/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of JSON objects, one call each. */
#ifndef SPT_JSON_H
#define SPT_JSON_H

#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stdint.h>

/* @text may hold any bytes; NULL becomes null. */
void spt_json_text(JsonBuilder *json, const char *key, const char *text);
void spt_json_count(JsonBuilder *json, const char *key, uint64_t value);
void spt_json_number(JsonBuilder *json, const char *key, double value);
void spt_json_array(JsonBuilder *json, const char *key);
void spt_json_object(JsonBuilder *json, const char *key);
/* Members "function" and "object" of the object that is open. */
void spt_json_function(JsonBuilder *json, const char *function, const char *object);
/* Ends the outermost object and prints it all. */
void spt_json_print(JsonBuilder *json);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints JSON on stdout; each call is a member.  A document is an object that begins with a zeroed
 * SptJson, and is printed when it ends.  In arrays the key is NULL.
 */
#ifndef SPT_JSON_H
#define SPT_JSON_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	/* Open objects and arrays, the outermost first; NULL: no document has begun. */
	GPtrArray *open;
} SptJson;

void spt_json_object(SptJson *json, const char *key);
void spt_json_end_object(SptJson *json);
void spt_json_array(SptJson *json, const char *key);
void spt_json_end_array(SptJson *json);
/* @text may hold any bytes; NULL becomes null. */
void spt_json_text(SptJson *json, const char *key, const char *text);
/* Counts are limited to what JSON readers can represent. */
void spt_json_count(SptJson *json, const char *key, uint64_t value);
void spt_json_signed(SptJson *json, const char *key, int64_t value);
void spt_json_number(SptJson *json, const char *key, double value);
void spt_json_flag(SptJson *json, const char *key, bool value);
/* Members "function" and "object" of the object that is open. */
void spt_json_function(SptJson *json, const char *function, const char *object);
/* Member "frames": an object for each SptName of @frames from number @first on. */
void spt_json_frames(SptJson *json, const GArray *frames, unsigned first);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON of other programs: a file as a tree of json-c, and what is in it, of whatever type it should
 * have been.  Where nothing of the wanted type is, there is none, as if the file had not had it.
 */
#ifndef SPT_IMPORT_JSON_FILE_H
#define SPT_IMPORT_JSON_FILE_H

#include <glib.h>
#include <json-c/json.h>
#include <stdbool.h>

G_BEGIN_DECLS

/* Most bytes of a file, unpacked: its tree takes some ten times as much. */
#define SPT_IMPORT_JSON_BYTES (256u << 20)

/*
 * The file, also a packed one.  An array that is not closed ends with the file, as traces do of
 * programs that were killed.  The caller's, for json_object_put(); NULL: a clause about the file.
 */
struct json_object *spt_import_json(int fd, GError **error);
/* Whether the first @bytes of a file may be JSON. */
bool spt_import_json_is(const char *begin, size_t bytes);
/*
 * Whether they have a member @key of an object in @depth - 1 others and arrays, 1: of the file's
 * own.  Its place among the others does not count, as writers put them in any order.
 */
bool spt_import_json_has(const char *begin, size_t bytes, unsigned depth, const char *key);

/* A member of @object; all of these take NULL for an object, and return NULL if there is none. */
struct json_object *spt_import_json_member(struct json_object *object, const char *key);
/* A member that is an array, and its elements. */
struct json_object *spt_import_json_list(struct json_object *object, const char *key);
size_t spt_import_json_length(struct json_object *list);
struct json_object *spt_import_json_at(struct json_object *list, size_t i);
/* A text that the tree owns, or @otherwise. */
const char *spt_import_json_text(struct json_object *value, const char *otherwise);
/* A text, or an integer as a text; NULL: it is neither. */
const char *spt_import_json_id(struct json_object *value);
/* A finite number, or @otherwise. */
double spt_import_json_number(struct json_object *value, double otherwise);
/* A number without a sign below @end, or @end. */
size_t spt_import_json_index(struct json_object *value, size_t end);

G_END_DECLS

#endif

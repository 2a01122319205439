/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format of a trace point's records, as its file of that name in tracefs has it, and what is in
 * a record.
 */
#ifndef SPT_POINT_FORMAT_H
#define SPT_POINT_FORMAT_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/declared.h"

G_BEGIN_DECLS

typedef enum {
	SPT_POINT_NUMBER,
	SPT_POINT_TEXT,			/* bytes up to a nul */
	SPT_POINT_TEXT_AT,		/* offset and length of a text, from the record's begin */
	SPT_POINT_TEXT_FROM,		/* the same, from behind the field */
	SPT_POINT_CALL,			/* in no record: of a call that has returned */
	/* Arguments of a mark, where the compiler had them; of the stack only. */
	SPT_POINT_REGISTER,
	SPT_POINT_MEMORY,
	SPT_POINT_CONSTANT,
} SptPointForm;

typedef struct {
	SptDeclaredField field;		/* the name is an interned string */
	SptPointForm form;
	uint16_t at, bytes;		/* at: of an argument, perf's number of the register */
	bool is_signed;
	int64_t displacement;		/* from the register, or the constant */
	const char *fetch;		/* how tracefs reads the argument; NULL: in that place */
} SptPointField;

typedef struct {
	unsigned n_fields;
	SptPointField fields[SPT_DECLARED_FIELDS];
	unsigned n_left_out;		/* fields beyond these, or of no simple type */
} SptPointFormat;

/* From the text of a format file.  False: it is none. */
bool spt_point_format_parse(const char *text, SptPointFormat *ret, uint32_t *ret_id);
/*
 * The field's value in a record of @bytes.  Texts are in @text, whose first nul ends what is
 * appended there.
 */
SptValue spt_point_format_value(const SptPointField *field, const uint8_t *record, size_t bytes,
				char text[SPT_DECLARED_TEXT_BYTES]);

/* A number from its bytes: 8, the first of them as many as the field has. */
SptValue spt_point_format_number(const SptPointField *field, const uint8_t *bytes);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of events that are known only when the program runs: marks, counters and lines of logs
 * that programs write, trace points, probes, rows of imported files.  They are declared to a
 * capture, which keeps the declarations with the events; the kinds of events/event.h are known
 * when this is built.
 */
#ifndef SPT_EVENTS_DECLARED_H
#define SPT_EVENTS_DECLARED_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Bounds of what a capture keeps.  Longer texts and names are cut. */
#define SPT_DECLARED_KINDS	4096
#define SPT_DECLARED_FIELDS	16
#define SPT_DECLARED_NAME_BYTES 128	/* of a kind, a title, a field, a unit */
#define SPT_DECLARED_TEXT_BYTES 1024	/* of a value */
/*
 * The first fields of kinds that are calls of a function: what it returned, and the part of the
 * duration that was not in other recorded calls.
 */
#define SPT_DECLARED_RETURN	"return"
#define SPT_DECLARED_OWN	"own"

/* What an event of the kind is in time. */
typedef enum {
	SPT_DECLARED_INSTANT,
	SPT_DECLARED_INTERVAL,		/* from its time on, it lasts */
	SPT_DECLARED_COUNTER,		/* its numbers hold until the next event */
} SptDeclaredShape;

/* The type of a field's values; the numbers are those in files. */
typedef enum {
	SPT_VALUE_U64 = 1,
	SPT_VALUE_I64 = 2,
	SPT_VALUE_F64 = 3,
	SPT_VALUE_TEXT = 4,
	SPT_VALUE_NS = 5,		/* a duration */
	SPT_VALUE_BYTES = 6,		/* a size */
	SPT_VALUE_ID = 7,		/* a number that is only a name, as a pid's */
} SptValueType;

typedef struct {
	const char *name;
	const char *unit;		/* for people; "": none, or that of the type */
	SptValueType type;
} SptDeclaredField;

/* A value, by the type of its field. */
typedef union {
	uint64_t number;		/* U64, NS, BYTES, ID */
	int64_t integer;		/* I64 */
	double real;			/* F64 */
	const char *text;		/* TEXT; NULL is "" */
} SptValue;

/* "u64", "text", ...; NULL: there is no such type. */
const char *spt_value_type_name(SptValueType type);
/* "instant", "interval", "counter". */
const char *spt_declared_shape_name(SptDeclaredShape shape);
/* Whether sums of such values mean something. */
bool spt_value_type_adds_up(SptValueType type);
/* A value as text, with the unit of its field: "12 frames", "4096 bytes"; to be freed. */
char *spt_value_describe(const SptDeclaredField *field, SptValue value);
/* A value as a number; 0 for a text. */
double spt_value_real(const SptDeclaredField *field, SptValue value);

G_END_DECLS

#endif

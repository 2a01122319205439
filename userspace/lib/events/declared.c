/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types of values of declared kinds. */
#include "events/declared.h"

#include <inttypes.h>

const char *spt_value_type_name(SptValueType type)
{
	static const char *const names[] = {
		[SPT_VALUE_U64] = "u64",     [SPT_VALUE_I64] = "i64",
		[SPT_VALUE_F64] = "f64",     [SPT_VALUE_TEXT] = "text",
		[SPT_VALUE_NS] = "ns",	     [SPT_VALUE_BYTES] = "bytes",
		[SPT_VALUE_ID] = "id",
	};

	return (unsigned)type < G_N_ELEMENTS(names) ? names[type] : NULL;
}

const char *spt_declared_shape_name(SptDeclaredShape shape)
{
	static const char *const names[] = {
		[SPT_DECLARED_INSTANT] = "instant",
		[SPT_DECLARED_INTERVAL] = "interval",
		[SPT_DECLARED_COUNTER] = "counter",
	};

	return names[shape];
}

bool spt_value_type_adds_up(SptValueType type)
{
	return type != SPT_VALUE_TEXT && type != SPT_VALUE_ID;
}

static char *value_text(const SptDeclaredField *field, SptValue value)
{
	char real[G_ASCII_DTOSTR_BUF_SIZE];

	switch (field->type) {
	case SPT_VALUE_TEXT:
		return g_strdup(value.text ? value.text : "");
	case SPT_VALUE_I64:
		return g_strdup_printf("%" PRId64, value.integer);
	case SPT_VALUE_F64:
		return g_strdup(g_ascii_formatd(real, sizeof(real), "%.6g", value.real));
	default:
		return g_strdup_printf("%" PRIu64, value.number);
	}
}

char *spt_value_describe(const SptDeclaredField *field, SptValue value)
{
	g_autofree char *text = value_text(field, value);
	const char *unit = *field->unit			   ? field->unit :
			   field->type == SPT_VALUE_NS	   ? "ns" :
			   field->type == SPT_VALUE_BYTES ? "bytes" :
							     "";

	return *unit ? g_strdup_printf("%s %s", text, unit) : g_steal_pointer(&text);
}

double spt_value_real(const SptDeclaredField *field, SptValue value)
{
	switch (field->type) {
	case SPT_VALUE_TEXT:
		return 0;
	case SPT_VALUE_I64:
		return (double)value.integer;
	case SPT_VALUE_F64:
		return value.real;
	default:
		return (double)value.number;
	}
}

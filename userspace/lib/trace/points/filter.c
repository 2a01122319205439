/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions on the fields of a trace point.  The kernel compiles them, but only says "invalid": so
 * they are read here first, by the same rules.
 *
 *	condition:  part ( ( "&&" | "||" ) part )...
 *	part:       "!" part | "(" condition ")" | field operator value
 */
#include <string.h>

#include "base/words.h"
#include "trace/points/point.h"
#include "trace/trace.h"

#define MOST_DEPTH 16
/* The kernel's own bound of a text to compare with. */
#define MOST_VALUE 255u

struct filter {
	const char *whole, *at;
	GString *taken;			/* for the kernel, up to @copied of the text */
	const char *copied;
	const SptPoint *point;
	unsigned depth;
	GError **error;
};

static void filter_skip_blanks(struct filter *filter)
{
	while (g_ascii_isspace(*filter->at))
		filter->at++;
}

static bool filter_wrong(const struct filter *filter, const char *what)
{
	spt_set_error(filter->error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "The condition '%s' of %s cannot be read at \"%s\": %s; write it as in 'pid == 12 && comm == \"git\"'",
		      filter->whole, filter->point->name, filter->at, what);
	return false;
}

static bool takes(struct filter *filter, const char *sign)
{
	filter_skip_blanks(filter);
	if (!g_str_has_prefix(filter->at, sign))
		return false;
	filter->at += strlen(sign);
	return true;
}

/* Those that every record has, and that the kernel knows besides. */
static bool is_builtin(const char *name, bool *ret_is_text)
{
	static const char *const numbers[] = { "common_pid", "common_flags", "common_type",
					       "common_preempt_count", "CPU" };

	*ret_is_text = strcmp(name, "COMM") == 0;
	for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++)
		if (strcmp(name, numbers[i]) == 0)
			return true;
	return *ret_is_text;
}

/* @ret: NULL if the format here does not have it. */
static bool filter_find_field(struct filter *filter, const char *name, bool *ret_is_text,
			      const SptPointField **ret)
{
	const SptPointFormat *format = &filter->point->format;
	g_autoptr(GString) known = g_string_new(NULL);

	for (unsigned i = 0; i < format->n_fields; i++) {
		*ret = &format->fields[i];
		*ret_is_text = format->fields[i].form != SPT_POINT_NUMBER;
		if (strcmp(name, format->fields[i].field.name) == 0)
			return true;
		g_string_append_printf(known, "%s%s", i ? ", " : "", format->fields[i].field.name);
	}
	*ret = NULL;
	/* The kernel knows fields that the format here has not. */
	if (is_builtin(name, ret_is_text) || format->n_left_out)
		return true;
	spt_set_error(filter->error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "%s has no field \"%s\"; its fields are: %s, common_pid, COMM and CPU",
		      filter->point->name, name, known->str);
	return false;
}

/* Returns the operator; NULL: there is none. */
static const char *take_operator(struct filter *filter, bool is_text, bool may_be_address)
{
	static const char *const of_numbers[] = { "==", "!=", "<=", ">=", "<", ">", "&", NULL },
				 *const of_texts[] = { "==", "!=", "~", NULL };
	const char *const *signs = is_text ? of_texts : of_numbers;

	for (unsigned i = 0; signs[i]; i++)
		if (takes(filter, signs[i]))
			return signs[i];
	filter_wrong(filter, is_text ? "a text is compared by ==, != or ~ (with * in the text)" :
		     may_be_address && *filter->at == '~' ?
				       "an address is not the text that it leads to, which is NAME.ustring (Linux 5.18 and later)" :
				       "a number is compared by ==, !=, <, <=, >, >= or &");
	return NULL;
}

static bool take_value(struct filter *filter, bool is_text)
{
	const char *begin, *end;
	char quote;

	filter_skip_blanks(filter);
	begin = filter->at;
	quote = *begin == '"' || *begin == '\'' ? *begin : '\0';
	if (quote) {
		end = strchr(begin + 1, quote);
		if (!end)
			return filter_wrong(filter, "the quote has no end");
		if (!is_text)
			return filter_wrong(filter, "the field is a number");
		filter->at = end + 1;
	} else if (is_text) {
		return filter_wrong(filter, "a text has quotes around it");
	} else {
		begin += *begin == '-';
		for (end = begin; g_ascii_isalnum(*end); end++)
			;
		if (!g_ascii_isdigit(*begin))
			return filter_wrong(filter, "a number is missing");
		filter->at = end;
	}
	if (filter->at - begin > MOST_VALUE)
		return filter_wrong(filter, "the text is longer than the kernel takes");
	return true;
}

/* The text from @begin on becomes another one. */
static void filter_replace(struct filter *filter, const char *begin, const char *by)
{
	g_string_append_len(filter->taken, filter->copied, begin - filter->copied);
	g_string_append(filter->taken, by);
	filter->copied = filter->at;
}

/*
 * The kernel takes no sign for a field without one.  System calls have such fields for their
 * arguments, of which an int is in the lower half of a register.
 */
static bool compare_below_0(struct filter *filter, const SptPointField *field, const char *begin,
			    const char *sign, const char *value)
{
	uint64_t number = (uint64_t)g_ascii_strtoll(value, NULL, 0);
	const char *name = field->field.name;
	g_autofree char *text = NULL;
	bool is_same = strcmp(sign, "==") == 0;

	if (!is_same && strcmp(sign, "!=") != 0)
		return filter_wrong(filter, "the field has no sign: what is below 0 is compared by == or !=");
	text = g_strdup_printf("(%s %s 0x%" G_GINT64_MODIFIER "x %s %s %s 0x%x)", name, sign, number,
			       is_same ? "||" : "&&", name, sign, (uint32_t)number);
	filter_replace(filter, begin, text);
	return true;
}

/* What a field that is an address leads to: "filename.ustring", "name.string". */
static bool filter_is_behind(struct filter *filter, const SptPointField *field)
{
	if (*filter->at != '.')
		return false;
	return field && field->bytes == 8 &&
	       (takes(filter, ".ustring") || takes(filter, ".string"));
}

static bool filter_take_comparison(struct filter *filter)
{
	const SptPointField *field;
	g_autofree char *name = NULL;
	const char *begin, *sign, *value;
	bool is_text;

	filter_skip_blanks(filter);
	for (begin = filter->at; g_ascii_isalnum(*filter->at) || *filter->at == '_'; filter->at++)
		;
	if (begin == filter->at)
		return filter_wrong(filter, "a field is missing");
	name = g_strndup(begin, (size_t)(filter->at - begin));
	if (!filter_find_field(filter, name, &is_text, &field))
		return false;
	is_text |= filter_is_behind(filter, field);
	sign = take_operator(filter, is_text, field && field->bytes == 8);
	if (!sign)
		return false;
	filter_skip_blanks(filter);
	value = filter->at;
	if (!take_value(filter, is_text))
		return false;
	return is_text || *value != '-' || !field || field->is_signed ||
	       compare_below_0(filter, field, begin, sign, value);
}

static bool take_condition(struct filter *filter);

static bool filter_take_part(struct filter *filter)
{
	if (++filter->depth > MOST_DEPTH)
		return filter_wrong(filter, "too many parentheses");
	if (takes(filter, "!")) {
		if (!filter_take_part(filter))
			return false;
	} else if (takes(filter, "(")) {
		if (!take_condition(filter))
			return false;
		if (!takes(filter, ")"))
			return filter_wrong(filter, "a \")\" is missing");
	} else if (!filter_take_comparison(filter)) {
		return false;
	}
	filter->depth--;
	return true;
}

static bool take_condition(struct filter *filter)
{
	do {
		if (!filter_take_part(filter))
			return false;
	} while (takes(filter, "&&") || takes(filter, "||"));
	return true;
}

char *spt_point_check_filter(const char *text, const SptPoint *point, GError **error)
{
	struct filter filter = {
		.whole = text,
		.at = text,
		.copied = text,
		.point = point,
		.error = error,
	};
	g_autoptr(GString) taken = filter.taken = g_string_new(NULL);

	if (point->type != SPT_POINT_TRACE) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "%s has no fields to set a condition on: only trace points have", point->name);
		return NULL;
	}
	if (!take_condition(&filter))
		return NULL;
	filter_skip_blanks(&filter);
	if (*filter.at) {
		filter_wrong(&filter, "it should end here, or go on with && or ||");
		return NULL;
	}
	g_string_append(taken, filter.copied);
	return g_strdup(taken->str);
}

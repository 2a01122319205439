/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --metric, --by and --field for declared kinds, which are known when the recording is open. */
#include "report-fields.h"

#include <string.h>

#include "cmd.h"
#include "profile/groups.h"
#include "report-metric.h"

#define KINDS_LISTED 20

static char *list_kinds(const SptCapture *capture)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const SptDeclared *kind;

	for (unsigned i = 0; i < KINDS_LISTED && (kind = spt_declared(capture, i)); i++)
		g_ptr_array_add(names, (gpointer)kind->name);
	return names->len ? spt_format_list(names, "or") : NULL;
}

static char *list_fields(const SptDeclared *kind)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (unsigned i = 0; i < kind->n_fields; i++)
		g_ptr_array_add(names, (gpointer)kind->fields[i].name);
	return names->len ? spt_format_list(names, "and") : g_strdup("none");
}

const SptDeclared *spt_report_find_kind(const SptCapture *capture, const char *name)
{
	const SptDeclared *kind = spt_declared_find(capture, name);
	g_autofree char *kinds = list_kinds(capture);

	if (kind)
		return kind;
	if (kinds)
		spt_cli_complain("%s has no kind of events \"%s\"; it has %s", capture->path, name,
				 kinds);
	else
		spt_cli_complain("%s has no kind of events \"%s\": it declares none",
				 capture->path, name);
	return NULL;
}

static bool find_field(const SptDeclared *kind, const char *name, const char *option, unsigned *ret)
{
	g_autofree char *fields = list_fields(kind);

	if (spt_declared_find_field(kind, name, ret))
		return true;
	spt_cli_complain("%s: events \"%s\" have no field \"%s\"; their fields: %s", option,
			 kind->name, name, fields);
	return false;
}

/* A text may have quotes around it, as record --filter has them. */
static const char *without_quotes(const char *text)
{
	size_t n = strlen(text);
	bool is_quoted = n >= 2 && (*text == '"' || *text == '\'') && text[n - 1] == *text;
	g_autofree char *bare = g_strndup(text + is_quoted, n - 2 * (size_t)is_quoted);

	return g_intern_string(bare);
}

static bool parse_value(SptFieldCondition *condition, const char *text)
{
	char *end;
	gint64 integer;

	switch (condition->type) {
	case SPT_VALUE_TEXT:
		condition->value.text = without_quotes(text);
		return condition->op == SPT_FIELD_EQUAL || condition->op == SPT_FIELD_NOT_EQUAL;
	case SPT_VALUE_I64:
		if (!g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, &integer, NULL))
			return false;
		condition->value.integer = integer;
		return true;
	case SPT_VALUE_F64:
		condition->value.real = g_ascii_strtod(text, &end);
		return *text && !*end;
	case SPT_VALUE_NS:
		return spt_parse_ns(text, &condition->value.number);
	case SPT_VALUE_BYTES:
		return spt_parse_bytes(text, &condition->value.number);
	default:
		return g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64,
						  &condition->value.number, NULL);
	}
}

/* The operator in @text, the first of those that could be meant; NULL: there is none. */
static const char *find_operator(const char *text, SptFieldOperator *ret, size_t *ret_bytes)
{
	static const struct {
		const char *text;
		SptFieldOperator op;
	} operators[] = {
		{ "!=", SPT_FIELD_NOT_EQUAL }, { "<=", SPT_FIELD_AT_MOST },
		{ ">=", SPT_FIELD_AT_LEAST },  { "==", SPT_FIELD_EQUAL },
		{ "=", SPT_FIELD_EQUAL },      { "<", SPT_FIELD_LESS },
		{ ">", SPT_FIELD_MORE },       { "~", SPT_FIELD_EQUAL },
	};
	const char *at = text + strcspn(text, "!<>=~");

	for (unsigned i = 0; i < G_N_ELEMENTS(operators); i++) {
		*ret = operators[i].op;
		*ret_bytes = strlen(operators[i].text);
		if (strncmp(at, operators[i].text, *ret_bytes) == 0)
			return at;
	}
	return NULL;
}

static bool parse_condition(const SptDeclared *kind, const char *text, SptFieldCondition *ret)
{
	/* Intervals have one, like a field. */
	static const SptDeclaredField duration = { "duration", "", SPT_VALUE_NS };
	g_autofree char *name = NULL, *value = NULL;
	size_t bytes;
	const char *op = find_operator(text, &ret->op, &bytes);
	unsigned field;

	if (!op) {
		spt_cli_complain("--field takes a condition such as 'bytes > 4K' or 'path = /a*', not \"%s\"",
				 text);
		return false;
	}
	name = g_strstrip(g_strndup(text, (size_t)(op - text)));
	value = g_strstrip(g_strdup(op + bytes));
	if (kind->shape == SPT_DECLARED_INTERVAL && strcmp(name, duration.name) == 0 &&
	    !spt_declared_find_field(kind, name, &field)) {
		ret->field = duration.name;
		ret->type = duration.type;
	} else if (find_field(kind, name, "--field", &field)) {
		ret->field = kind->fields[field].name;
		ret->type = kind->fields[field].type;
	} else {
		return false;
	}
	if (parse_value(ret, value))
		return true;
	spt_cli_complain("--field %s: field \"%s\" has values of type %s, which cannot be compared so",
			 text, name, spt_value_type_name(ret->type));
	return false;
}

static bool parse_conditions(struct spt_filter_options *options, const SptDeclared *kind)
{
	options->n_conditions = 0;
	for (char **text = options->fields; text && *text; text++) {
		if (options->n_conditions == SPT_DECLARED_CONDITIONS) {
			spt_cli_complain("--field may be given at most %u times",
					 SPT_DECLARED_CONDITIONS);
			return false;
		}
		if (!parse_condition(kind, *text, &options->conditions[options->n_conditions++]))
			return false;
	}
	return true;
}

/* The field of --by, which may be no field at all.  False: complained. */
static bool find_by(const struct spt_filter_options *options, const SptDeclared *kind,
		    const char **ret)
{
	g_autofree char *prefix = g_strconcat(kind->name, ".", NULL);
	SptGroupKind known;
	unsigned field;
	const char *name = options->by;

	*ret = NULL;
	if (!name || (spt_grouping_find(name, &known) &&
		      spt_grouping_fits(spt_grouping(known), SPT_METRIC_CPU)))
		return true;
	if (!spt_declared_find_field(kind, name, &field) && g_str_has_prefix(name, prefix))
		name += strlen(prefix);
	if (!find_field(kind, name, "--by", &field))
		return false;
	*ret = kind->fields[field].name;
	return true;
}

/* The name of the metric; that of --by, if it names a kind and no metric was given. */
static char *metric_name(const struct spt_filter_options *options, const SptCapture *capture)
{
	const SptDeclared *kind = NULL;

	if (options->metric_name)
		return g_strdup(options->metric_name);
	if (options->by && strchr(options->by, '.'))
		kind = spt_declared_kind_of(capture, options->by);
	return kind ? g_strdup(kind->name) : NULL;
}

bool spt_filter_options_find_declared(struct spt_filter_options *options,
				      const SptCapture *capture)
{
	g_autofree char *name = metric_name(options, capture);
	const SptDeclared *kind = NULL;
	SptDeclaredLook look = { .conditions = options->conditions };

	if (options->events) {
		kind = spt_report_find_kind(capture, options->events);
		return kind && parse_conditions(options, kind);
	}
	if (name && !spt_metric_find(name))
		kind = spt_declared_kind_of(capture, name);
	if (kind) {
		if (!find_by(options, kind, &look.by) || !parse_conditions(options, kind))
			return false;
		look.n_conditions = options->n_conditions;
		options->metric = spt_declared_metric(capture, name, &look);
	}
	if (kind && !options->metric && kind->shape == SPT_DECLARED_COUNTER) {
		spt_cli_complain("\"%s\" is a counter, whose values are no weights; report --events %s lists them",
				 kind->name, kind->name);
		return false;
	}
	if (!options->metric)
		return spt_filter_options_find_metric(options);
	if (!options->fields || kind)
		return true;
	spt_cli_complain("--field goes with events that the recording declares, not with metric \"%s\"",
			 options->metric->name);
	return false;
}

char *spt_report_value_text(const SptDeclaredField *field, SptValue value)
{
	g_autofree char *text = NULL;

	if (field->type == SPT_VALUE_NS)
		return spt_format_ns(value.number);
	if (field->type == SPT_VALUE_BYTES)
		return spt_format_bytes(value.number);
	text = spt_value_describe(field, value);
	return spt_format_cut(text, 0);
}

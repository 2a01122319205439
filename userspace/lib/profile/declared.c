/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source knows kind and fields by their names, so that one metric can be asked of several
 * captures.  The values of a grouping are numbered as they come, for all passes over a capture.
 */
#include "profile/declared.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "profile/glob.h"

#define METRICS_SHOWN 256		/* in a menu */
#define MOST_VALUES (1u << 20)		/* of a grouping; the rest is one group */

/* Between keys and values of labels, which are lines and so have none. */
#define LABEL_END "\x1f"

/* What the weight of a row is, if it is no field. */
#define BY_COUNT    "events"
#define BY_DURATION "duration"

struct declared_source {
	SptWeightSource base;
	const char *kind, *weight;	/* weight: a field, BY_COUNT or BY_DURATION */
	bool is_field;
	SptDeclaredLook look;
};

/* The values of a grouping, numbered from 1 on; 0: more than there is room for. */
struct values {
	GMutex mutex;
	GHashTable *numbers;		/* text -> number */
	GPtrArray *texts;
};

struct cursor {
	const struct declared_source *source;
	const SptDeclared *kind;
	SptDeclaredReader *reader;
	const SptDeclaredRow *rows;
	uint32_t n;
	unsigned weight, by;		/* numbers of fields */
	struct values *values;		/* or NULL */
};

static void values_free(gpointer data)
{
	struct values *values = data;

	g_mutex_clear(&values->mutex);
	g_hash_table_unref(values->numbers);
	g_ptr_array_unref(values->texts);
	g_free(values);
}

static gpointer make_values(G_GNUC_UNUSED const SptCapture *capture, G_GNUC_UNUSED gpointer key)
{
	struct values *values = g_new0(struct values, 1);

	g_mutex_init(&values->mutex);
	values->numbers = g_hash_table_new(g_str_hash, g_str_equal);
	values->texts = g_ptr_array_new_with_free_func(g_free);
	return values;
}

static struct values *values_of(const SptCapture *capture, const SptWeightSource *source)
{
	return (struct values *)spt_capture_keep(capture, (gpointer)source, make_values,
						 values_free);
}

static uint32_t number_of(struct values *values, char *text)
{
	uint32_t number;

	g_mutex_lock(&values->mutex);
	number = GPOINTER_TO_UINT(g_hash_table_lookup(values->numbers, text));
	if (!number && values->texts->len < MOST_VALUES) {
		g_ptr_array_add(values->texts, text);
		number = values->texts->len;
		g_hash_table_insert(values->numbers, text, GUINT_TO_POINTER(number));
		text = NULL;
	}
	g_mutex_unlock(&values->mutex);
	g_free(text);
	return number;
}

const char *spt_declared_value(const SptCapture *capture, const SptMetric *metric,
			       uint32_t detail)
{
	struct values *values = values_of(capture, metric->source);
	const char *text = SPT_WORDS("[other values]");

	g_mutex_lock(&values->mutex);
	if (detail && detail <= values->texts->len)
		text = values->texts->pdata[detail - 1];
	g_mutex_unlock(&values->mutex);
	return text;
}

static bool compares(SptFieldOperator op, int order)
{
	switch (op) {
	case SPT_FIELD_EQUAL:
		return order == 0;
	case SPT_FIELD_NOT_EQUAL:
		return order != 0;
	case SPT_FIELD_LESS:
		return order < 0;
	case SPT_FIELD_AT_MOST:
		return order <= 0;
	case SPT_FIELD_MORE:
		return order > 0;
	default:
		return order >= 0;
	}
}

static bool meets(const SptFieldCondition *condition, SptValue value)
{
	SptValue other = condition->value;

	switch (condition->type) {
	case SPT_VALUE_TEXT:
		return spt_glob_match(other.text, value.text) ==
		       (condition->op == SPT_FIELD_EQUAL);
	case SPT_VALUE_I64:
		return compares(condition->op, (value.integer > other.integer) -
						       (value.integer < other.integer));
	case SPT_VALUE_F64:
		return !isnan(value.real) &&
		       compares(condition->op,
				(value.real > other.real) - (value.real < other.real));
	default:
		return compares(condition->op,
				(value.number > other.number) - (value.number < other.number));
	}
}

/* Intervals have their duration like a field, unless one has that name. */
#define DURATION_FIELD UINT_MAX

static bool has_field(const SptDeclared *kind, const char *name, SptValueType type, unsigned *ret)
{
	if (spt_declared_find_field(kind, name, ret))
		return kind->fields[*ret].type == type;
	*ret = DURATION_FIELD;
	return kind->shape == SPT_DECLARED_INTERVAL && strcmp(name, BY_DURATION) == 0 &&
	       type == SPT_VALUE_NS;
}

static SptValue field_value(const SptDeclaredRow *row, unsigned field)
{
	return field == DURATION_FIELD ? (SptValue){ .number = row->duration_ns } :
					 row->values[field];
}

bool spt_declared_meets(const SptDeclared *kind, const SptDeclaredRow *row,
			const SptFieldCondition *conditions, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned field;

		if (!has_field(kind, conditions[i].field, conditions[i].type, &field) ||
		    !meets(&conditions[i], field_value(row, field)))
			return false;
	}
	return true;
}

static bool is_in(const SptCapture *capture, const SptWeightSource *base)
{
	const struct declared_source *source = (const struct declared_source *)base;
	const SptDeclared *kind = spt_declared_find(capture, source->kind);
	unsigned field;

	if (!kind || kind->shape == SPT_DECLARED_COUNTER ||
	    (source->look.by && !spt_declared_find_field(kind, source->look.by, &field)))
		return false;
	for (unsigned i = 0; i < source->look.n_conditions; i++)
		if (!has_field(kind, source->look.conditions[i].field,
			       source->look.conditions[i].type, &field))
			return false;
	return !source->is_field || (spt_declared_find_field(kind, source->weight, &field) &&
				     spt_value_type_adds_up(kind->fields[field].type));
}

static uint64_t count(const SptCapture *capture)
{
	const SptDeclared *kind;
	uint64_t most = 0;

	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++)
		most = MAX(most, kind->rows);
	return most;
}

static gpointer begin(const SptCapture *capture, const SptWeightSource *base)
{
	struct cursor *cursor = g_new0(struct cursor, 1);

	cursor->source = (const struct declared_source *)base;
	cursor->kind = spt_declared_find(capture, cursor->source->kind);
	if (!cursor->kind || !is_in(capture, base))
		return cursor;
	if (cursor->source->is_field)
		spt_declared_find_field(cursor->kind, cursor->source->weight, &cursor->weight);
	if (cursor->source->look.by)
		spt_declared_find_field(cursor->kind, cursor->source->look.by, &cursor->by);
	if (cursor->source->look.by || cursor->source->look.by_labels)
		cursor->values = values_of(capture, base);
	cursor->reader = spt_declared_reader_new(capture, cursor->kind);
	return cursor;
}

static void end(gpointer data)
{
	struct cursor *cursor = data;

	spt_declared_reader_free(cursor->reader);
	g_free(cursor);
}

/* Weights are whole numbers; what is below 0 has none. */
static uint64_t whole(double value)
{
	return value >= 0x1p63 ? 1ULL << 63 : value > 0 ? (uint64_t)(value + 0.5) : 0;
}

static uint64_t weight_of(const struct cursor *cursor, const SptDeclaredRow *row)
{
	const SptDeclaredField *field = &cursor->kind->fields[cursor->weight];
	SptValue value = row->values[cursor->weight];

	if (!cursor->source->is_field)
		return strcmp(cursor->source->weight, BY_DURATION) == 0 ? row->duration_ns : 1;
	if (field->type == SPT_VALUE_I64 || field->type == SPT_VALUE_F64)
		return whole(spt_value_real(field, value));
	return value.number;
}

static bool is_label(const SptDeclaredField *field)
{
	return field->type == SPT_VALUE_TEXT || field->type == SPT_VALUE_ID;
}

/* What has no text is no label. */
static char *describe_labels(const SptDeclared *kind, const SptDeclaredRow *row)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < kind->n_fields; i++) {
		g_autofree char *value = NULL;

		if (!is_label(&kind->fields[i]))
			continue;
		value = spt_value_describe(&kind->fields[i], row->values[i]);
		if (!*value)
			continue;
		g_string_append(text, text->len ? LABEL_END : "");
		spt_append_one_line(text, kind->fields[i].name);
		g_string_append(text, LABEL_END);
		spt_append_one_line(text, value);
	}
	return g_string_free(text, FALSE);
}

static uint32_t detail_of(const struct cursor *cursor, const SptDeclaredRow *row)
{
	const SptDeclared *kind = cursor->kind;

	if (!cursor->values)
		return 0;
	return number_of(cursor->values,
			 cursor->source->look.by_labels ?
				 describe_labels(kind, row) :
				 spt_value_describe(&kind->fields[cursor->by],
						    row->values[cursor->by]));
}

static SptWeightRow weight_row(const struct cursor *cursor, const SptDeclaredRow *row)
{
	bool is_spread = !cursor->source->is_field &&
			 strcmp(cursor->source->weight, BY_DURATION) == 0;

	return (SptWeightRow){
		.time = row->time + (is_spread ? row->duration_ns : 0),
		.duration_ns = is_spread ? row->duration_ns : 0,
		.weight = weight_of(cursor, row),
		.thread = row->thread,
		.cpu = row->cpu,
		.node = row->node,
		.detail = detail_of(cursor, row),
	};
}

static uint32_t next(gpointer data, SptWeightRow *rows)
{
	struct cursor *cursor = data;
	const SptDeclaredLook *look = &cursor->source->look;
	uint32_t n = 0;

	while (cursor->reader && n < SPT_WEIGHTS_BATCH) {
		if (cursor->n == 0)
			cursor->rows = spt_declared_reader_next(cursor->reader, &cursor->n);
		if (cursor->n == 0)
			break;
		if (spt_declared_meets(cursor->kind, cursor->rows, look->conditions,
				       look->n_conditions))
			rows[n++] = weight_row(cursor, cursor->rows);
		cursor->rows++;
		cursor->n--;
	}
	return n;
}

/* Splits "NAME.FIELD"; a name may have dots itself. */
static const SptDeclared *split(const SptCapture *capture, const char *name, const char **ret_rest)
{
	for (const char *dot = strrchr(name, '.'); dot && dot > name;
	     dot = memrchr(name, '.', (size_t)(dot - name))) {
		g_autofree char *start = g_strndup(name, (size_t)(dot - name));
		const SptDeclared *kind = spt_declared_find(capture, start);

		*ret_rest = dot + 1;
		if (kind)
			return kind;
	}
	return NULL;
}

/* The kind of a metric, and what its weights are; NULL: there is none of that name. */
static const SptDeclared *find_weight(const SptCapture *capture, const char *name,
				      const char **ret_weight, bool *ret_is_field)
{
	const SptDeclared *kind = spt_declared_find(capture, name);
	unsigned field;

	*ret_weight = BY_COUNT;
	*ret_is_field = false;
	if (!kind)
		kind = split(capture, name, ret_weight);
	if (!kind || kind->shape == SPT_DECLARED_COUNTER)
		return NULL;
	*ret_is_field = spt_declared_find_field(kind, *ret_weight, &field) &&
			strcmp(name, kind->name) != 0;
	if (*ret_is_field)
		return spt_value_type_adds_up(kind->fields[field].type) ? kind : NULL;
	return strcmp(*ret_weight, BY_COUNT) == 0 ||
			       (strcmp(*ret_weight, BY_DURATION) == 0 &&
				kind->shape == SPT_DECLARED_INTERVAL) ?
		       kind :
		       NULL;
}

const SptDeclared *spt_declared_kind_of(const SptCapture *capture, const char *name)
{
	const SptDeclared *kind = spt_declared_find(capture, name);
	const char *rest;

	return kind ? kind : split(capture, name, &rest);
}

static SptUnit unit_of(const SptDeclared *kind, const char *weight, bool is_field)
{
	unsigned field;

	if (!is_field)
		return strcmp(weight, BY_DURATION) == 0 ? SPT_UNIT_NS : SPT_UNIT_EVENTS;
	spt_declared_find_field(kind, weight, &field);
	switch (kind->fields[field].type) {
	case SPT_VALUE_NS:
		return SPT_UNIT_NS;
	case SPT_VALUE_BYTES:
		return SPT_UNIT_BYTES;
	default:
		return SPT_UNIT_NUMBER;
	}
}

static SptDeclaredLook keep_look(const SptDeclaredLook *look)
{
	SptFieldCondition *conditions = g_new0(SptFieldCondition, look->n_conditions + 1);

	for (unsigned i = 0; i < look->n_conditions; i++) {
		conditions[i] = look->conditions[i];
		conditions[i].field = g_intern_string(conditions[i].field);
		if (conditions[i].type == SPT_VALUE_TEXT)
			conditions[i].value.text = g_intern_string(conditions[i].value.text);
	}
	return (SptDeclaredLook){ .by = g_intern_string(look->by),
				  .by_labels = look->by_labels,
				  .conditions = conditions,
				  .n_conditions = look->n_conditions };
}

/* All that a metric depends on. */
static char *key_of(const SptDeclared *kind, const char *name, const char *weight, SptUnit unit,
		    const SptDeclaredLook *look)
{
	GString *key = g_string_new(NULL);

	g_string_append_printf(key, "%s\n%s\n%s\n%s\n%u\n%s", name, kind->name, kind->title, weight,
			       unit, look->by_labels ? "\n\n" : look->by ? look->by : "\n");
	for (unsigned i = 0; i < look->n_conditions; i++) {
		const SptFieldCondition *condition = &look->conditions[i];

		g_string_append_printf(key, "\n%s\n%d\n%d\n", condition->field, condition->op,
				       condition->type);
		if (condition->type == SPT_VALUE_TEXT)
			g_string_append(key, condition->value.text);
		else
			g_string_append_printf(key, "%" G_GINT64_MODIFIER "x",
					       condition->value.number);
	}
	return g_string_free(key, FALSE);
}

static SptMetric *make_metric(const SptDeclared *kind, const char *name, const char *weight,
			      bool is_field, SptUnit unit, const SptDeclaredLook *look)
{
	struct declared_source *source = g_new(struct declared_source, 1);
	SptMetric *metric = g_new0(SptMetric, 1);
	bool is_count = !is_field && strcmp(weight, BY_COUNT) == 0;
	g_autofree char *title = is_count ? g_strdup(kind->title) :
					    g_strdup_printf("%s: %s", kind->title, weight);
	g_autofree char *value = g_strdup_printf("sum of %s", weight);

	*source = (struct declared_source){
		.base = { .of_events_are_in = is_in,
			  .count = count,
			  .begin_of_events = begin,
			  .next = next,
			  .end = end },
		.kind = g_intern_string(kind->name),
		.weight = g_intern_string(weight),
		.is_field = is_field,
		.look = keep_look(look),
	};
	*metric = (SptMetric){
		.name = g_intern_string(name),
		.title = g_intern_string(title),
		.value = is_count ? "number of events" : g_intern_string(value),
		.unit = unit,
		.parts = SPT_METRIC_HAS_CPU |
			 (look->by || look->by_labels ? SPT_METRIC_HAS_FIELD : 0),
		.source = &source->base,
	};
	return metric;
}

const SptMetric *spt_declared_metric(const SptCapture *capture, const char *name,
				     const SptDeclaredLook *look)
{
	static const SptDeclaredLook plain;
	static GMutex mutex;
	static GHashTable *known;
	const char *weight;
	bool is_field;
	const SptDeclared *kind = find_weight(capture, name, &weight, &is_field);
	g_autofree char *key = NULL;
	SptMetric *metric;
	SptUnit unit;

	if (!kind)
		return NULL;
	look = look ? look : &plain;
	unit = unit_of(kind, weight, is_field);
	key = key_of(kind, name, weight, unit, look);
	g_mutex_lock(&mutex);
	if (!known)
		known = g_hash_table_new(g_str_hash, g_str_equal);
	metric = g_hash_table_lookup(known, key);
	if (!metric) {
		metric = make_metric(kind, name, weight, is_field, unit, look);
		g_hash_table_insert(known, g_steal_pointer(&key), metric);
	}
	g_mutex_unlock(&mutex);
	return metric;
}

const SptMetric *spt_declared_labelled(const SptCapture *capture, const SptMetric *metric)
{
	const struct declared_source *source = (const struct declared_source *)metric->source;
	const SptDeclared *kind;
	SptDeclaredLook look;
	bool has_labels = false;

	if (metric->source->begin_of_events != begin)
		return NULL;
	kind = spt_declared_find(capture, source->kind);
	for (unsigned i = 0; kind && i < kind->n_fields; i++)
		has_labels |= is_label(&kind->fields[i]);
	look = (SptDeclaredLook){ .by_labels = true,
				  .conditions = source->look.conditions,
				  .n_conditions = source->look.n_conditions };
	return has_labels ? spt_declared_metric(capture, metric->name, &look) : NULL;
}

char **spt_declared_labels(const SptCapture *capture, const SptMetric *metric, uint32_t detail)
{
	return g_strsplit(detail ? spt_declared_value(capture, metric, detail) : "", LABEL_END, -1);
}

static void add_metric(GPtrArray *metrics, const SptCapture *capture, const SptDeclared *kind,
		       const char *weight)
{
	g_autofree char *name = weight ? g_strconcat(kind->name, ".", weight, NULL) :
					 g_strdup(kind->name);
	const SptMetric *metric = spt_declared_metric(capture, name, NULL);

	if (metric && metrics->len < METRICS_SHOWN)
		g_ptr_array_add(metrics, (gpointer)metric);
}

static gpointer make_metrics(const SptCapture *capture, G_GNUC_UNUSED gpointer key)
{
	GPtrArray *metrics = g_ptr_array_new();
	const SptDeclared *kind;

	for (unsigned i = 0; metrics->len < METRICS_SHOWN && (kind = spt_declared(capture, i));
	     i++) {
		add_metric(metrics, capture, kind, spt_metric_find(kind->name) ? BY_COUNT : NULL);
		add_metric(metrics, capture, kind, BY_DURATION);
		for (unsigned k = 0; k < kind->n_fields; k++)
			if (strcmp(kind->fields[k].name, BY_DURATION) != 0)
				add_metric(metrics, capture, kind, kind->fields[k].name);
	}
	return metrics;
}

const GPtrArray *spt_declared_metrics(const SptCapture *capture)
{
	static const char key;

	return spt_capture_keep(capture, (gpointer)&key, make_metrics,
				(GDestroyNotify)g_ptr_array_unref);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/log-lines.h"

#include "profile/selection.h"

#define MOST_LINES 1000000u

struct log_fields {
	const SptDeclared *kind;
	unsigned text, severity, source;
	bool has_source;
};

static void log_line_clear(void *data)
{
	SptLogLine *line = data;

	g_free(line->source);
	g_free(line->text);
}

static bool find_log_fields(const SptDeclared *kind, struct log_fields *ret)
{
	ret->kind = kind;
	ret->has_source = spt_declared_find_field(kind, "source", &ret->source) &&
			  kind->fields[ret->source].type == SPT_VALUE_TEXT;
	return spt_declared_find_field(kind, "text", &ret->text) &&
	       kind->fields[ret->text].type == SPT_VALUE_TEXT &&
	       spt_declared_find_field(kind, "severity", &ret->severity) &&
	       kind->fields[ret->severity].type == SPT_VALUE_ID;
}

static void take_log_line(GArray *found, const struct log_fields *fields,
			  const SptDeclaredRow *row)
{
	SptLogLine line = {
		.time = row->time,
		.severity = row->values[fields->severity].number,
		.thread = row->thread,
		.source = g_strdup(fields->has_source ? row->values[fields->source].text : ""),
		.text = g_strdup(row->values[fields->text].text),
	};

	g_array_append_val(found, line);
}

static void read_log(const SptCapture *capture, const struct log_fields *fields,
		     const SptLogQuery *query, GArray *found, uint64_t *n_more)
{
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, fields->kind);
	unsigned most = query->most ? query->most : MOST_LINES;
	struct spt_selection selection;
	const SptDeclaredRow *rows;
	uint32_t n;

	spt_selection_init(&selection, capture, query->filter);
	while ((rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++) {
			if (!spt_selection_has_time(&selection, rows[i].thread, rows[i].time) ||
			    !spt_selection_has_place(&selection, rows[i].thread, rows[i].cpu) ||
			    !spt_declared_meets(fields->kind, &rows[i], query->conditions,
						query->n_conditions) ||
			    (query->is_wanted &&
			     !query->is_wanted(rows[i].values[fields->severity].number,
					       rows[i].values[fields->text].text, query->data)))
				continue;
			if (found->len < most)
				take_log_line(found, fields, &rows[i]);
			else
				(*n_more)++;
		}
	spt_selection_clear(&selection);
}

static int compare_lines(gconstpointer a, gconstpointer b)
{
	const SptLogLine *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

bool spt_log_lines_are_of(const SptDeclared *kind)
{
	struct log_fields fields;

	return find_log_fields(kind, &fields);
}

bool spt_log_lines_are_in(const SptCapture *capture)
{
	const SptDeclared *kind;

	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++)
		if (spt_log_lines_are_of(kind))
			return true;
	return false;
}

GArray *spt_log_lines(const SptCapture *capture, const SptLogQuery *query, uint64_t *ret_n_more)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(SptLogLine));
	struct log_fields fields;
	const SptDeclared *kind;

	*ret_n_more = 0;
	g_array_set_clear_func(found, log_line_clear);
	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++)
		if (find_log_fields(kind, &fields))
			read_log(capture, &fields, query, found, ret_n_more);
	g_array_sort(found, compare_lines);
	return found;
}

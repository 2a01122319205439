/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declared kinds in info: their names are those that report --metric and --events take. */
#include "info-declared.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/declared.h"
#include "cmd.h"

/* How often an event was counted, recorded or not (record --event). */
struct counted {
	uint64_t count, enabled_ns, running_ns;
};

/* False: it was not counted. */
static bool find_counted(const SptCapture *capture, const SptDeclared *kind, struct counted *ret)
{
	g_autofree char *key = g_strconcat("event ", kind->name, NULL);
	const char *text = spt_capture_host(capture, key);

	return text && sscanf(text, "count=%" SCNu64 " rows=%*u enabled_ns=%" SCNu64
				    " running_ns=%" SCNu64,
			      &ret->count, &ret->enabled_ns, &ret->running_ns) == 3;
}

void spt_info_add_declared(SptJson *json, const SptCapture *capture)
{
	const SptDeclared *kind;
	struct counted counted;

	if (!spt_declared(capture, 0))
		return;
	spt_json_array(json, "declared");
	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++) {
		spt_json_object(json, NULL);
		spt_json_text(json, "name", kind->name);
		spt_json_text(json, "title", kind->title);
		spt_json_text(json, "shape", spt_declared_shape_name(kind->shape));
		spt_json_count(json, "count", kind->rows);
		if (find_counted(capture, kind, &counted)) {
			spt_json_count(json, "counted", counted.count);
			spt_json_count(json, "enabled_ns", counted.enabled_ns);
			spt_json_count(json, "running_ns", counted.running_ns);
		}
		spt_json_array(json, "fields");
		for (unsigned k = 0; k < kind->n_fields; k++) {
			spt_json_object(json, NULL);
			spt_json_text(json, "name", kind->fields[k].name);
			spt_json_text(json, "type", spt_value_type_name(kind->fields[k].type));
			spt_json_text(json, "unit", kind->fields[k].unit);
			spt_json_end_object(json);
		}
		spt_json_end_array(json);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static void print_fields(const SptDeclared *kind)
{
	for (unsigned i = 0; i < kind->n_fields; i++)
		printf("%s%s (%s)", i ? ", " : "", kind->fields[i].name,
		       spt_value_type_name(kind->fields[i].type));
	putchar('\n');
}

void spt_info_print_declared(const SptCapture *capture)
{
	const SptDeclared *kind;
	struct counted counted;
	bool has_counts = false;
	int width = 18;

	if (!spt_declared(capture, 0))
		return;
	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++) {
		has_counts |= find_counted(capture, kind, &counted);
		width = MAX(width, (int)strlen(kind->name));
	}
	printf("\n%s%-*s %-9s %12s  %sFields%s\n", spt_color(SPT_COLOR_TITLE), width,
	       "Declared events", "Shape", "Events", has_counts ? "     Counted  " : "",
	       spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++) {
		printf("%-*s %-9s %12" PRIu64 "  ", width, kind->name,
		       spt_declared_shape_name(kind->shape), kind->rows);
		if (find_counted(capture, kind, &counted))
			printf("%12" PRIu64 "  ", counted.count);
		else if (has_counts)
			printf("%12s  ", "");
		print_fields(kind);
	}
}

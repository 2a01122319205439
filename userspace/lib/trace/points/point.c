/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds points by names and globs. */
#include "trace/points/point.h"

#include <string.h>

#include "base/suggest.h"
#include "base/words.h"
#include "trace/trace.h"

#define IF " if "

void spt_point_free(SptPoint *point)
{
	if (!point)
		return;
	g_clear_pointer(&point->begin, spt_named_event_free);
	g_free(point->name);
	g_free(point->target);
	g_free(point->filter);
	g_free(point);
}

void spt_point_free_it(gpointer point)
{
	spt_point_free(point);
}

static void name_free(gpointer data)
{
	SptPointName *name = data;

	g_free(name->name);
	g_free(name->help);
	g_free(name);
}

GPtrArray *spt_point_names_new(void)
{
	return g_ptr_array_new_with_free_func(name_free);
}

const char *spt_point_type_name(SptPointType type)
{
	static const char *const names[] = {
		[SPT_POINT_TRACE] = "trace point",
		[SPT_POINT_SOFTWARE] = "software event",
		[SPT_POINT_HARDWARE] = "hardware event",
		[SPT_POINT_FUNCTION] = "kernel function",
		[SPT_POINT_PROBE] = "probe",
	};

	return names[type];
}

void spt_point_list(GPtrArray *names, const char *glob, bool with_help)
{
	spt_point_list_counted(names, glob);
	spt_point_list_traced(names, glob, with_help);
}

static bool has_it(const GPtrArray *points, const char *name)
{
	for (unsigned i = 0; i < points->len; i++)
		if (strcmp(((const SptPoint *)points->pdata[i])->name, name) == 0)
			return true;
	return false;
}

void spt_point_set_timed(SptPoint *point)
{
	static const SptDeclaredField fields[] = {
		{ SPT_DECLARED_RETURN, "", SPT_VALUE_I64 },
		{ SPT_DECLARED_OWN, "", SPT_VALUE_NS },
	};

	point->is_timed = true;
	G_STATIC_ASSERT(G_N_ELEMENTS(fields) == SPT_POINT_CALL_FIELDS);
	point->format.n_fields = G_N_ELEMENTS(fields);
	for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++)
		point->format.fields[i] =
			(SptPointField){ .field = fields[i], .form = SPT_POINT_CALL };
}

bool spt_point_add(GPtrArray *points, SptPoint *point, GError **error)
{
	g_autoptr(SptPoint) owned = point;

	if (has_it(points, point->name))
		return true;
	if (points->len >= SPT_POINTS_MAX) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "--event names more than %u events, the most that a recording can have; name fewer",
			      SPT_POINTS_MAX);
		return false;
	}
	g_ptr_array_add(points, g_steal_pointer(&owned));
	return true;
}

/* @filter is for this one; @all is for every trace point that has none. */
static bool point_add(GPtrArray *points, SptPoint *point, const char *filter, const char *all,
		GError **error)
{
	if (!filter && point->type == SPT_POINT_TRACE)
		filter = all;
	if (filter && !spt_point_check_filter(filter, point, error)) {
		spt_point_free(point);
		return false;
	}
	point->filter = g_strdup(filter);
	return spt_point_add(points, point, error);
}

/* No event is called @name: why, and what may have been meant. */
static void point_set_unknown(const char *name, GError **error)
{
	g_autoptr(GPtrArray) names = spt_point_names_new();
	const char *nearest = NULL;
	unsigned least = UINT_MAX;

	if (strchr(name, ':') && !spt_point_can_trace(error))
		return;
	spt_point_list(names, NULL, false);
	for (unsigned i = 0; i < names->len; i++) {
		const char *known = ((const SptPointName *)names->pdata[i])->name;

		if (spt_is_nearer(name, known, &least))
			nearest = known;
	}
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "There is no event \"%s\" on this machine; \"sysprof-cli events\" lists what there is%s%s%s",
		      name, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
		      nearest ? "\"?" : "");
}

static bool add_matching(GPtrArray *points, const char *glob, const char *filter, const char *all,
			 GError **error)
{
	g_autoptr(GPtrArray) names = spt_point_names_new();

	spt_point_list(names, glob, false);
	for (unsigned i = 0; i < names->len; i++) {
		const char *name = ((const SptPointName *)names->pdata[i])->name;
		SptPoint *point = spt_point_counted(name);

		/* Its module may have been unloaded meanwhile. */
		if (!point)
			point = spt_point_traced(name);
		if (point && !point_add(points, point, filter, all, error))
			return false;
	}
	if (!names->len)
		point_set_unknown(glob, error);
	return names->len;
}

bool spt_point_find(GPtrArray *points, const char *text, const char *all, GError **error)
{
	const char *condition = strstr(text, IF);
	const char *filter = condition ? condition + strlen(IF) : NULL;
	g_autofree char *name = condition ? g_strndup(text, (size_t)(condition - text)) :
					    g_strdup(text);
	SptPoint *point;

	g_strstrip(name);
	if (strpbrk(name, "*?"))
		return add_matching(points, name, filter, all, error);
	point = spt_point_counted(name);
	if (!point)
		point = spt_point_traced(name);
	if (point)
		return point_add(points, point, filter, all, error);
	point_set_unknown(name, error);
	return false;
}

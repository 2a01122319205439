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
	if (filter) {
		point->filter = spt_point_check_filter(filter, point, error);
		if (!point->filter) {
			spt_point_free(point);
			return false;
		}
	}
	return spt_point_add(points, point, error);
}

/* As perf and bpftrace write what is asked for in another way here; a regular expression. */
static const struct {
	const char *form, *help;
} foreign[] = {
	{ "^$", "a name is missing: names have commas between them" },
	{ "^\\{", "groups are not made: name the events without { and }, and the summary says if they were counted in turn" },
	{ "^(cpu|cpu_core|cpu_atom)/.*event=", "write the number as perf's raw one, the unit mask before the event: cpu/event=0xa8,umask=0x1/ is r01a8" },
	{ "^(tracepoint|rawtracepoint|t|rt):.*:", "write a trace point as GROUP:NAME" },
	{ "^(kprobe|kretprobe|fentry|fexit|kfunc|kretfunc|k|kr|probe):", "--function NAME records calls of a function of the kernel, with their returns" },
	{ "^(uprobe|uretprobe|u|ur|usdt|U|probe_[^:]*|sdt_[^:]*):", "--probe FILE:NAME records calls of a function of a program, with their returns, and marks" },
	{ "^(software|hardware|s|h):", "write the name alone, without number and colons" },
	{ "^(profile|interval|p|i):", "-F sets how often samples are taken" },
	{ "^(mem|watchpoint|w):", "accesses to an address are not recorded" },
	{ "/", "of the CPU's and other units those with a name here can be recorded, and raw numbers such as r1a8" },
	{ "^[^:]*:[a-zA-Z]+$", "behind an event that is counted may be :u (in programs), :k (in the kernel) and :p to :ppp (more precise)" },
	{ ":[^:]+:[a-zA-Z]*$", "letters such as :u and :k are for events that are counted" },
};

static const char *foreign_help(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(foreign); i++)
		if (g_regex_match_simple(foreign[i].form, name, 0, 0))
			return foreign[i].help;
	return NULL;
}

/* "sched_switch" and "openat" are said of sched:sched_switch and syscalls:sys_enter_openat. */
static bool is_called(const char *known, const char *name)
{
	const char *colon = strchr(known, ':');
	const char *own = colon ? colon + 1 : known;

	return g_ascii_strcasecmp(known, name) == 0 || g_ascii_strcasecmp(own, name) == 0 ||
	       (g_str_has_prefix(own, "sys_enter_") &&
		g_ascii_strcasecmp(own + strlen("sys_enter_"), name) == 0);
}

/* What may have been meant; NULL: nothing.  To be freed. */
static char *nearest_name(const char *name)
{
	g_autoptr(GPtrArray) names = spt_point_names_new();
	const char *nearest = NULL;
	unsigned least = UINT_MAX;

	spt_point_list(names, NULL, false);
	for (unsigned i = 0; i < names->len; i++) {
		const char *known = ((const SptPointName *)names->pdata[i])->name;

		if (is_called(known, name))
			return g_strdup(known);
		if (spt_is_nearer(name, known, &least))
			nearest = known;
	}
	return g_strdup(nearest);
}

/* No event is called @name: why, and what may have been meant. */
static void point_set_unknown(const char *name, GError **error)
{
	g_autofree char *nearest = nearest_name(name);
	bool is_case = nearest && g_ascii_strcasecmp(nearest, name) == 0;
	const char *help = is_case ? NULL : foreign_help(name);

	if (!help && strchr(name, ':') && !spt_point_can_trace(error))
		return;
	if (!help)
		help = "\"sysprof-cli events\" lists what there is";
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "There is no event \"%s\" on this machine; %s%s%s%s", name, help,
		      nearest ? "; did you mean \"" : "", nearest ? nearest : "",
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

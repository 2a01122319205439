/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/perf/kernel-points.h"

#include <string.h>

#include "base/words.h"

/* Up to which size, or order, a part of the allocations goes; the rest is the last part. */
static const struct {
	uint64_t bytes;
	const char *by_size, *by_order;
} parts[] = {
	{ 256, "bytes_alloc <= 256", NULL },
	{ 2048, "bytes_alloc > 256 && bytes_alloc <= 2048", NULL },
	{ 4096, NULL, "order == 0" },
	{ 16384, "bytes_alloc > 2048 && bytes_alloc <= 16384", "order > 0 && order <= 2" },
	{ UINT64_MAX, "bytes_alloc > 16384", "order > 2" },
};

static const struct spt_kernel_hook *const families[] = {
	spt_hooks_interrupts, spt_hooks_locks, spt_hooks_faults, spt_hooks_block, spt_hooks_memory,
};

struct finding {
	const SptTraceConfig *config;
	bool is_of_threads;
	GPtrArray *points;
	GString *left_out;
};

static void kernel_point_free(gpointer data)
{
	struct spt_kernel_point *point = data;

	spt_point_free(point->point);
	g_free(point);
}

static bool points_is_traced(const struct spt_kernel_hook *hook)
{
	return strchr(hook->name, ':');
}

static const SptPointField *points_field(const SptPointFormat *format, const char *name)
{
	for (unsigned i = 0; i < format->n_fields; i++)
		if (strcmp(format->fields[i].field.name, name) == 0)
			return &format->fields[i];
	return NULL;
}

/* NULL: this kernel has no such trace point, or none with these fields. */
static struct spt_kernel_point *points_make(const struct spt_kernel_hook *hook)
{
	struct spt_kernel_point *point = g_new0(struct spt_kernel_point, 1);

	point->hook = hook;
	point->period = point->period_before = 1;
	point->point = points_is_traced(hook) ? spt_point_traced(hook->name) :
						spt_point_counted(hook->name);
	for (unsigned i = 0; point->point && i < SPT_HOOK_FIELDS && hook->fields[i]; i++) {
		bool is_optional = hook->fields[i][0] == '?';

		point->fields[i] = points_field(&point->point->format,
						hook->fields[i] + is_optional);
		if (!point->fields[i] && !is_optional)
			g_clear_pointer(&point->point, spt_point_free);
	}
	if (point->point)
		return point;
	g_free(point);
	return NULL;
}

/* An odd number, which patterns of allocations do not keep step with. */
static uint64_t points_period(const SptTraceConfig *config, uint64_t bytes)
{
	return config->kmem_bytes / bytes | 1;
}

static void points_add_parts(struct finding *finding, const struct spt_kernel_hook *hook)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
		const char *filter = hook->flags & SPT_HOOK_BY_SIZE ? parts[i].by_size :
								      parts[i].by_order;
		struct spt_kernel_point *point = filter ? points_make(hook) : NULL;

		if (!point)
			continue;
		point->point->filter = g_strdup(filter);
		point->period = point->period_before =
			points_period(finding->config, parts[i].bytes);
		g_ptr_array_add(finding->points, point);
	}
}

/* False: the kernel does not have it. */
static bool points_add_hook(struct finding *finding, const struct spt_kernel_hook *hook)
{
	const unsigned by_part = SPT_HOOK_BY_SIZE | SPT_HOOK_BY_ORDER;
	struct spt_kernel_point *point = points_make(hook);

	if (!point)
		return false;
	if (!(hook->flags & by_part) || !finding->config->kmem_bytes) {
		g_ptr_array_add(finding->points, point);
		return true;
	}
	kernel_point_free(point);
	points_add_parts(finding, hook);
	return true;
}

static const struct spt_kernel_hook *points_family_of(const SptEventKind *kind)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(families); i++)
		for (const struct spt_kernel_hook *hook = families[i]; hook->name; hook++)
			if (hook->kind == kind->number)
				return families[i];
	return NULL;
}

static void points_leave_out(struct finding *finding, const SptEventKind *kind, const char *why)
{
	if (!kind->request->is_rare)
		g_string_append_printf(finding->left_out, "%s%s records no%s%s: %s",
				       finding->left_out->len ? "; " : "", kind->option->flag,
				       kind->request->part ? " " : "thing",
				       kind->request->part ? kind->request->part : "", why);
}

/* The first hook of @kind that is missing and needed; NULL: all are there, and added. */
static const char *points_add_kind(struct finding *finding, const struct spt_kernel_hook *hook,
				   const SptEventKind *kind)
{
	const unsigned n = finding->points->len;

	for (; hook->name; hook++) {
		if (hook->kind != kind->number ||
		    (finding->is_of_threads && points_is_traced(hook)) ||
		    points_add_hook(finding, hook) || hook->flags & SPT_HOOK_OPTIONAL)
			continue;
		g_ptr_array_set_size(finding->points, (int)n);
		return hook->name;
	}
	return NULL;
}

/* Whether this user can have @kind, if the kernel does. */
static bool points_is_open(const struct finding *finding, const SptEventKind *kind, GError **error)
{
	if (kind->option == &spt_option_faults)
		return true;
	if (!finding->is_of_threads)
		return spt_point_can_trace(error);
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_PERMISSION,
		      "%s shows what all users do: run as root or with CAP_PERFMON, or load the module: doctor says how",
		      kind->option->flag);
	return false;
}

static bool points_find_kind(struct finding *finding, const SptEventKind *kind, GError **error)
{
	const struct spt_kernel_hook *family = points_family_of(kind);
	bool may_miss = kind->request->is_optional || finding->config->kernel_is_optional;
	g_autoptr(GError) closed = NULL;
	g_autofree char *why = NULL;
	const char *missing;

	if (!family) {
		points_leave_out(finding, kind, "perf events do not tell them, the module does");
		return true;
	}
	if (!points_is_open(finding, kind, &closed)) {
		if (may_miss)
			points_leave_out(finding, kind, closed->message);
		else
			g_propagate_error(error, g_steal_pointer(&closed));
		return may_miss;
	}
	missing = points_add_kind(finding, family, kind);
	if (!missing)
		return true;
	if (may_miss) {
		why = g_strdup_printf("this kernel has no trace point %s", missing);
		points_leave_out(finding, kind, why);
		return true;
	}
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "This kernel has no trace point %s, which %s needs; record without it",
		      missing, kind->option->flag);
	return false;
}

GPtrArray *spt_kernel_points_of(const SptTraceConfig *config, bool is_of_threads,
				char **ret_left_out, GError **error)
{
	g_autoptr(GPtrArray) points = g_ptr_array_new_with_free_func(kernel_point_free);
	struct finding finding = {
		.config = config,
		.is_of_threads = is_of_threads,
		.points = points,
		.left_out = g_string_new(NULL),
	};
	const SptEventKind *kind;
	bool ok = true;

	*ret_left_out = NULL;
	for (unsigned i = 0; ok && (kind = spt_event_kind(i)); i++)
		if (kind->request && kind->option && kind->option->bit & config->kernel)
			ok = points_find_kind(&finding, kind, error);
	*ret_left_out = g_string_free(finding.left_out, finding.left_out->len == 0);
	return ok ? g_steal_pointer(&points) : NULL;
}

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
	GArray *reasons;		/* struct reason */
};

/* Why something is not recorded, once for all that it is said of. */
struct reason {
	char *why;
	GPtrArray *options;		/* those that record nothing, each once */
	GPtrArray *parts;		/* "--kmem no stalls", of options that record the rest */
};

static void reason_clear(gpointer data)
{
	struct reason *reason = data;

	g_free(reason->why);
	g_ptr_array_unref(reason->options);
	g_ptr_array_unref(reason->parts);
}

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

static struct reason *reason_of(GArray *reasons, const char *why)
{
	struct reason reason = { .why = g_strdup(why) };

	for (unsigned i = 0; i < reasons->len; i++)
		if (strcmp(g_array_index(reasons, struct reason, i).why, why) == 0) {
			g_free(reason.why);
			return &g_array_index(reasons, struct reason, i);
		}
	reason.options = g_ptr_array_new();
	reason.parts = g_ptr_array_new_with_free_func(g_free);
	g_array_append_val(reasons, reason);
	return &g_array_index(reasons, struct reason, reasons->len - 1);
}

static void points_leave_out(struct finding *finding, const SptEventKind *kind, const char *why)
{
	struct reason *reason;
	const char *flag = kind->option->flag;

	if (kind->request->is_rare)
		return;
	reason = reason_of(finding->reasons, why);
	if (kind->request->part)
		g_ptr_array_add(reason->parts,
				g_strdup_printf("%s records no %s", flag, kind->request->part));
	else if (!g_ptr_array_find(reason->options, flag, NULL))
		g_ptr_array_add(reason->options, (gpointer)flag);
}

/* Its parts are not there either. */
static bool is_of_whole(const struct reason *reason, const char *part)
{
	for (unsigned i = 0; i < reason->options->len; i++) {
		const char *flag = reason->options->pdata[i];

		if (strncmp(part, flag, strlen(flag)) == 0 && part[strlen(flag)] == ' ')
			return true;
	}
	return false;
}

/* "--kmem, --io record nothing, --locks records no stacks of holders: WHY"; NULL: all is there. */
static char *describe_reasons(const GArray *reasons)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < reasons->len; i++) {
		const struct reason *reason = &g_array_index(reasons, struct reason, i);
		bool is_first = reason->options->len == 0;

		g_string_append(text, text->len ? "; " : "");
		for (unsigned k = 0; k < reason->options->len; k++)
			g_string_append_printf(text, "%s%s", k ? ", " : "",
					       (const char *)reason->options->pdata[k]);
		if (!is_first)
			g_string_append_printf(text, " record%s nothing",
					       reason->options->len == 1 ? "s" : "");
		for (unsigned k = 0; k < reason->parts->len; k++) {
			if (is_of_whole(reason, reason->parts->pdata[k]))
				continue;
			g_string_append_printf(text, "%s%s", is_first ? "" : ", ",
					       (const char *)reason->parts->pdata[k]);
			is_first = false;
		}
		g_string_append_printf(text, ": %s", reason->why);
	}
	return g_string_free(text, text->len == 0);
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
	g_autoptr(GArray) reasons = g_array_new(FALSE, FALSE, sizeof(struct reason));
	struct finding finding = {
		.config = config,
		.is_of_threads = is_of_threads,
		.points = points,
		.reasons = reasons,
	};
	const SptEventKind *kind;
	bool ok = true;

	g_array_set_clear_func(reasons, reason_clear);
	for (unsigned i = 0; ok && (kind = spt_event_kind(i)); i++)
		if (kind->request && kind->option && kind->option->bit & config->kernel)
			ok = points_find_kind(&finding, kind, error);
	*ret_left_out = describe_reasons(reasons);
	return ok ? g_steal_pointer(&points) : NULL;
}

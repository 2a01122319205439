// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's trace points that both modules hook on to, and what code of a stack is theirs. */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat/export.h"
#include "source-ops.h"
#include "trace-points.h"

#define FOUND_MAX  96
#define HOOK_BYTES 256 /* no trace point's function is longer */

/* Those that were asked for.  The first NULL is behind the last one. */
static struct tracepoint *found[FOUND_MAX];
static DEFINE_MUTEX(found_lock);

/*
 * The trace point's own function may be between the kernel and a hook; it does not belong in a
 * stack.
 */
bool sysprof_trace_points_own(unsigned long ip)
{
	int i;

	if (within_module(ip, THIS_MODULE) || sysprof_source_owns(ip))
		return true;
	for (i = 0; i < FOUND_MAX && found[i]; i++)
		if (ip - (unsigned long)found[i]->iterator < HOOK_BYTES)
			return true;
	return false;
}

struct search {
	const char *name;
	struct tracepoint *tracepoint;
};

static void trace_points_compare(struct tracepoint *tracepoint, void *data)
{
	struct search *search = data;

	if (!strcmp(tracepoint->name, search->name))
		search->tracepoint = tracepoint;
}

struct tracepoint *sysprof_trace_point_find(const char *name)
{
	struct search search = { .name = name };
	int i;

	mutex_lock(&found_lock);
	for (i = 0; i < FOUND_MAX && found[i]; i++)
		if (!strcmp(found[i]->name, name))
			goto out;
	for_each_kernel_tracepoint(trace_points_compare, &search)
		;
	if (search.tracepoint && !WARN_ON_ONCE(i == FOUND_MAX))
		WRITE_ONCE(found[i], search.tracepoint);
out:
	if (i < FOUND_MAX && found[i])
		search.tracepoint = found[i];
	mutex_unlock(&found_lock);
	return search.tracepoint;
}
SYSPROF_EXPORT(sysprof_trace_point_find);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace points that the module reports by itself (uapi/sysprof-named.h): which were hit, with
 * stacks and without fields.  Members have them, and others need not have tracefs.
 */
#include <string.h>
#include <unistd.h>

#include "sysprof-named.h"
#include "sysprof.h"
#include "trace/points/point.h"

static const struct {
	const char *name;
	uint16_t source;
} reported[] = {
	{ "sched:sched_migrate_task", SYSPROF_SOURCE_MIGRATE },
	{ "sched:sched_process_fork", SYSPROF_SOURCE_FORKED },
	{ "sched:sched_process_exec", SYSPROF_SOURCE_EXECUTED },
	{ "workqueue:workqueue_execute_start", SYSPROF_SOURCE_WORK },
	{ "timer:hrtimer_expire_entry", SYSPROF_SOURCE_HRTIMER },
	{ "net:net_dev_queue", SYSPROF_SOURCE_NET_QUEUE },
	{ "skb:kfree_skb", SYSPROF_SOURCE_DROPPED },
};

bool spt_point_has_module(void)
{
	return access(SYSPROF_DEVICE, F_OK) == 0;
}

SptPoint *spt_point_of_module(const char *name)
{
	SptPoint *point;

	for (unsigned i = 0; i < G_N_ELEMENTS(reported); i++) {
		if (strcmp(reported[i].name, name) != 0)
			continue;
		point = g_new0(SptPoint, 1);
		point->type = SPT_POINT_TRACE;
		point->name = g_strdup(name);
		point->period = 1;
		point->source = reported[i].source;
		return point;
	}
	return NULL;
}

const char *spt_point_name_of_source(unsigned source)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(reported); i++)
		if (reported[i].source == source)
			return reported[i].name;
	return NULL;
}

void spt_point_list_of_module(GPtrArray *names, const char *glob)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(reported); i++) {
		SptPointName *name;

		if (glob && !g_pattern_match_simple(glob, reported[i].name))
			continue;
		name = g_new0(SptPointName, 1);
		name->type = SPT_POINT_TRACE;
		name->name = g_strdup(reported[i].name);
		name->help = g_strdup("by the module: stacks, no fields");
		g_ptr_array_add(names, name);
	}
}

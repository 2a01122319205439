/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder names such counters by pid alone: the program may exec while it is counted. */
#include "profile/counter-label.h"

#include <string.h>

#include "profile/selection.h"

char *spt_counter_label(const SptCapture *capture, const SptDeclared *kind, uint32_t thread)
{
	const SptProcessRow *process = spt_process_of_thread(capture, thread);
	g_autofree char *prefix = process ? g_strdup_printf("process.%u.", process->pid) : NULL;

	if (prefix && g_str_has_prefix(kind->name, prefix))
		return g_strdup_printf("%s (%u): %s", spt_process_label(process), process->pid,
				       kind->name + strlen(prefix));
	return NULL;
}

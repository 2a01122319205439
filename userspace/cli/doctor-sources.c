/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events besides samples that can be recorded on this kernel, by the module or without it, and
 * reasons for those that cannot.
 */
#include <sys/stat.h>

#include "cmd.h"
#include "doctor.h"
#include "record/mark-node.h"
#include "trace/trace.h"

/* Each reason once, with the options that it is of. */
static void tell_reasons(GHashTable *reasons, const GPtrArray *order)
{
	for (unsigned i = 0; i < order->len; i++) {
		const GPtrArray *flags = g_hash_table_lookup(reasons, order->pdata[i]);
		g_autofree char *list = spt_format_list(flags, "and");

		spt_doctor_tell(SPT_FINDING_NOTE, NULL, "%s cannot be recorded: %s.", list,
				(const char *)order->pdata[i]);
	}
}

static void add_reason(GHashTable *reasons, GPtrArray *order, const char *why, const char *flag)
{
	GPtrArray *flags = g_hash_table_lookup(reasons, why);

	if (!flags) {
		char *key = g_strdup(why);

		flags = g_ptr_array_new();
		g_hash_table_insert(reasons, key, flags);
		g_ptr_array_add(order, key);
	}
	g_ptr_array_add(flags, (gpointer)flag);
}

/* Only what is wrong: a module from before it has no such node. */
static void tell_of_marks(void)
{
	struct stat stat_of;

	if (stat(SPT_MARK_NODE_PATH, &stat_of) == 0 && (stat_of.st_mode & 06) != 06)
		spt_doctor_tell(SPT_FINDING_NOTE, "sudo chmod 0666 " SPT_MARK_NODE_PATH,
				"Programs cannot open " SPT_MARK_NODE_PATH
				": root's recorder does not find their marks (--marks).");
}

void spt_doctor_check_sources(SptTraceSource source)
{
	g_autoptr(SptTrace) trace = spt_trace_open_source(source, NULL);
	g_autoptr(GString) works = g_string_new(NULL);
	g_autofree char *partly = NULL, *fix = NULL;
	g_autofree char *lacks = trace ? spt_trace_lacks_sources(trace, &fix) : NULL;
	g_autoptr(GHashTable) reasons = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
							      (GDestroyNotify)g_ptr_array_unref);
	g_autoptr(GPtrArray) order = g_ptr_array_new();
	const SptEventOption *extra;

	if (lacks) {
		spt_doctor_tell(SPT_FINDING_NOTE, fix,
				"The module sysprof-sources %s: only CPU time can be recorded.",
				lacks);
		return;
	}
	for (unsigned i = 0; trace && (extra = spt_event_option(i)); i++) {
		const SptTraceConfig config = {
			.kernel = extra->bit,
			.kmem_bytes = SPT_TRACE_KMEM_BYTES,
			.waits = { .is_on = !extra->bit, .period_ns = SPT_TRACE_WAITS_NS },
		};
		g_autoptr(GError) error = NULL;

		if (extra->of_command)
			continue;
		if (spt_trace_can(trace, &config, &error))
			g_string_append_printf(works, "%s--%s", works->len ? ", " : "",
					       extra->name);
		else
			add_reason(reasons, order, error->message, extra->flag);
	}
	tell_reasons(reasons, order);
	if (source == SPT_TRACE_MODULE)
		tell_of_marks();
	partly = trace ? spt_trace_sees_in_part(trace) : NULL;
	if (partly)
		spt_doctor_tell(SPT_FINDING_NOTE, NULL, "%s.", partly);
	if (works->len && source == SPT_TRACE_MODULE)
		spt_doctor_tell(SPT_FINDING_OK, NULL, "Besides samples the module records: %s.",
				works->str);
	else if (works->len)
		spt_doctor_tell(SPT_FINDING_OK, NULL,
				"Besides samples perf events record: %s.  Only the module shows who holds locks, the files of requests to disks, and stretches with interrupts off.",
				works->str);
}

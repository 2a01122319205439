/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known keys are shown as texts and in this order; all others follow as they are in the file. */
#include "recording-facts.h"

#include <glib/gi18n.h>
#include <string.h>

#include "text.h"

enum kind { TEXT, DURATION, MOMENT, MAPS, HIDDEN };

static const struct {
	const char *key, *title;
	enum kind kind;
} known[] = {
	{ "command", N_("Command"), TEXT },
	{ "pid", N_("Process"), TEXT },
	{ "exit_status", N_("Exit status"), TEXT },
	{ "start_realtime_ns", N_("Began"), MOMENT },
	{ "host", N_("Machine"), TEXT },
	{ "kernel", N_("Kernel"), TEXT },
	{ "arch", N_("Architecture"), TEXT },
	{ "cpus", N_("CPUs"), TEXT },
	{ "source", N_("Source of samples"), TEXT },
	{ "clock", N_("Clock"), TEXT },
	{ "period_ns", N_("Period"), DURATION },
	{ "stacks", N_("Stacks"), TEXT },
	{ "frame_pointers", N_("With frame pointers"), TEXT },
	{ "no_frame_pointers", N_("Without frame pointers"), TEXT },
	{ "maps", N_("Mappings"), MAPS },
	{ "recorder", N_("Recorder"), TEXT },
	/* These are shown in a sentence: profile/wholeness.h. */
	{ "stacks_seen", NULL, HIDDEN },
	{ "stacks_whole", NULL, HIDDEN },
	{ "stacks_stop", NULL, HIDDEN },
	{ "build-id", N_("Build ID of the kernel"), TEXT },
};

static void recording_facts_append(GPtrArray *facts, const char *title, char *text)
{
	g_ptr_array_add(facts, g_strdup(title));
	g_ptr_array_add(facts, text);
}

/* Unchanged if it is no number. */
static char *recording_facts_tell(enum kind kind, const char *value)
{
	g_autoptr(GDateTime) moment = NULL;
	guint64 ns;

	if (kind == MAPS)
		return g_strdup(
			strcmp(value, "made") == 0 ?
				_("as they were made; when they ended is not known") :
				_("as they were once, within a second of a process's first sample"));
	if (kind == TEXT || !g_ascii_string_to_unsigned(value, 10, 0, G_MAXINT64, &ns, NULL))
		return g_strdup(value);
	if (kind == DURATION)
		return spt_text_duration(ns);
	moment = g_date_time_new_from_unix_local((gint64)(ns / 1000000000));
	return moment ? g_date_time_format(moment, "%F %T %Z") : g_strdup(value);
}

static bool recording_facts_is_known(const char *key)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
		if (strcmp(known[i].key, key) == 0)
			return true;
	}
	return false;
}

static int recording_facts_compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

GPtrArray *spt_recording_facts(const SptCapture *capture)
{
	GPtrArray *facts = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GList) keys =
		g_list_sort(g_hash_table_get_keys(capture->host), recording_facts_compare_texts);

	recording_facts_append(facts, _("File"), g_strdup(capture->path));
	for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
		const char *value = spt_capture_host(capture, known[i].key);

		if (value && known[i].kind != HIDDEN)
			recording_facts_append(facts, _(known[i].title),
					       recording_facts_tell(known[i].kind, value));
	}
	for (GList *key = keys; key; key = key->next) {
		if (!recording_facts_is_known(key->data))
			recording_facts_append(facts, key->data,
					       g_strdup(spt_capture_host(capture, key->data)));
	}
	return facts;
}

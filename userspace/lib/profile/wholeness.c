/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder has counted (record/ends.h): its facts are put into words. */
#include "profile/wholeness.h"

#include <string.h>

#include "base/words.h"

/* %s: the objects in which stacks stop. */
static const struct {
	const char *cause, *where, *where_unnamed, *cure;
} causes[] = {
	{ "frame_pointers", SPT_WORDS("%.0f %% stop in %s (no frame pointers)"),
	  SPT_WORDS("%.0f %% are along frame pointers, which not all code keeps"),
	  "sudo systemctl enable --now sysprof-tables" },
	{ "cut", NULL, SPT_WORDS("%.0f %% are cut off (the copies are too short)"),
	  "--stacks dwarf,57344" },
	{ "run_time", NULL, SPT_WORDS("%.0f %% stop in code made at run time: no cure yet"), NULL },
	{ "no_info", SPT_WORDS("%.0f %% stop in %s (no unwind information)"),
	  SPT_WORDS("%.0f %% stop in code without unwind information"), NULL },
	{ "other", NULL, SPT_WORDS("%.0f %% stop at memory that is no stack"), NULL },
};

static uint64_t number(const SptCapture *capture, const char *key)
{
	const char *text = spt_capture_host(capture, key);
	guint64 value;

	return text && g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, &value, NULL) ? value :
											   0;
}

bool spt_wholeness(const SptCapture *capture, double *ret_pct)
{
	uint64_t seen = number(capture, "stacks_seen"), whole = number(capture, "stacks_whole");

	*ret_pct = seen ? 100 * (double)MIN(whole, seen) / (double)seen : 0;
	return seen > 0;
}

/* The file may say anything. */
static char *tell_stop(const SptCapture *capture, const char **ret_cure)
{
	const char *stop = spt_capture_host(capture, "stacks_stop");
	g_auto(GStrv) parts = g_strsplit(stop ? stop : "", " ", 3);
	const char *source = spt_capture_host(capture, "source");
	guint64 weight;

	*ret_cure = NULL;
	if (g_strv_length(parts) < 3 ||
	    !g_ascii_string_to_unsigned(parts[1], 10, 0, UINT64_MAX, &weight, NULL))
		return NULL;
	for (unsigned i = 0; i < G_N_ELEMENTS(causes); i++) {
		double pct = MIN(100 * (double)weight / (double)number(capture, "stacks_seen"), 100);

		if (strcmp(parts[0], causes[i].cause) != 0)
			continue;
		*ret_cure = causes[i].cure;
		/* Tables are the module's. */
		if (i == 0 && g_strcmp0(source, "perf") == 0)
			*ret_cure = "sudo modprobe sysprof";
		/* The recorder made them shorter, as all that runs was too much for it. */
		if (i == 1 && number(capture, "copy_bytes"))
			*ret_cure = "-p PID";
		if (*parts[2] && causes[i].where)
			return g_strdup_printf(spt_words(causes[i].where), pct, parts[2]);
		return g_strdup_printf(spt_words(causes[i].where_unnamed), pct);
	}
	return NULL;
}

char *spt_wholeness_line(const SptCapture *capture)
{
	g_autofree char *whole = NULL, *stop = NULL;
	const char *cure;
	double pct;

	if (!spt_wholeness(capture, &pct) || pct >= SPT_WHOLE_ENOUGH_PCT)
		return NULL;
	whole = g_strdup_printf(spt_words("Call stacks: %.0f %% complete"), pct);
	stop = tell_stop(capture, &cure);
	if (!stop)
		return g_steal_pointer(&whole);
	if (!cure)
		return g_strdup_printf("%s; %s", whole, stop);
	return g_strdup_printf(spt_words("%s; %s. Fix: %s"), whole, stop, cure);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder notes "whose" and "sides" (record/recorder.c). */
#include "reach.h"

#include <glib/gi18n.h>

#include "trace/trace.h"

SptReach spt_reach_here(void)
{
	g_autoptr(SptTrace) trace = spt_trace_open(NULL);

	if (!trace)
		return SPT_REACH_UNKNOWN;
	if (!spt_trace_shows_only_own(trace))
		return spt_trace_shows_only_user(trace) ? SPT_REACH_USER : SPT_REACH_ALL;
	return spt_trace_shows_only_user(trace) ? SPT_REACH_OWN_USER : SPT_REACH_OWN;
}

SptReach spt_reach_of(const SptCapture *capture)
{
	const char *whose = spt_capture_host(capture, "whose"),
		   *sides = spt_capture_host(capture, "sides");
	bool only_user = g_strcmp0(sides, "user") == 0;

	if (!whose || !sides)
		return SPT_REACH_UNKNOWN;
	if (g_str_equal(whose, "own"))
		return only_user ? SPT_REACH_OWN_USER : SPT_REACH_OWN;
	return only_user			  ? SPT_REACH_USER :
	       g_str_equal(sides, "kernel") ? SPT_REACH_KERNEL :
						    SPT_REACH_ALL;
}

const char *spt_reach_title(SptReach reach)
{
	static const char *const titles[] = {
		[SPT_REACH_ALL] = N_("Whole system"),
		[SPT_REACH_USER] = N_("Whole system, user code"),
		[SPT_REACH_KERNEL] = N_("Whole system, kernel only"),
		[SPT_REACH_OWN] = N_("One user's processes"),
		[SPT_REACH_OWN_USER] = N_("One user's processes, user code"),
		[SPT_REACH_UNKNOWN] = N_("Whole system"),
	};

	return _(titles[reach]);
}

const char *spt_reach_promise(SptReach reach)
{
	static const char *const promises[] = {
		[SPT_REACH_ALL] = N_("Whole system, kernel included"),
		[SPT_REACH_USER] = N_("Whole system, user code"),
		[SPT_REACH_KERNEL] = N_("Whole system, kernel only"),
		[SPT_REACH_OWN] = N_("Your processes, kernel included"),
		[SPT_REACH_OWN_USER] = N_("Your processes, user code"),
		[SPT_REACH_UNKNOWN] = N_("Whole system"),
	};

	return _(promises[reach]);
}

const char *spt_reach_sides(SptReach reach)
{
	return reach == SPT_REACH_OWN_USER || reach == SPT_REACH_USER ? _("User code") :
	       reach == SPT_REACH_UNKNOWN			      ? "" :
									_("User code and kernel");
}

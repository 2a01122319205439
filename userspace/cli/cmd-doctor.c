/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli doctor: can this user record here, and if not, what helps. */
#include <stdio.h>

#include "cmd.h"
#include "doctor.h"
#include "trace/trace.h"

static void check_perf(bool module_works)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptTrace) trace = spt_trace_open_source(SPT_TRACE_PERF, &error);

	if (!trace)
		spt_doctor_tell(SPT_FINDING_NOTE, NULL,
				"perf events (--source perf) do not work%s: %s.",
				module_works ? "" : " either", error->message);
	else
		spt_doctor_tell(SPT_FINDING_OK, NULL,
				"perf events (--source perf) work%s; %u CPUs.",
				module_works ?
					", too" :
					", and record uses them as long as the module is missing",
				spt_trace_n_cpus(trace));
	if (trace && spt_trace_notice(trace))
		spt_doctor_tell(SPT_FINDING_NOTE, NULL, "With perf events %s.",
				spt_trace_notice(trace));
}

static int run_doctor(int argc, char **argv)
{
	g_autofree char *user = NULL;
	const GOptionEntry entries[] = {
		{ "revoke", 0, 0, G_OPTION_ARG_STRING, &user,
		  "Instead, end all sessions of a user who may no longer record (root only)",
		  "USER" },
		{ NULL },
	};
	bool works;

	if (!spt_cli_parse(&cmd_doctor, entries, &argc, &argv))
		return SPT_EXIT_USAGE;
	if (user)
		return spt_doctor_revoke(user);
	works = spt_doctor_check_module();
	check_perf(works);
	spt_doctor_check_names();
	printf("\n%s\n", works ? "Recording with the module works." :
				 "Recording with the module does not work: see MISSING above.");
	return spt_cli_flush() && works ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

const struct spt_command cmd_doctor = {
	.name = "doctor",
	.usage = "",
	.help = "Tell whether this user can record here, and what helps if not",
	.run = run_doctor,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli doctor: whether this user can record here, and how to fix it if not. */
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

#include "cmd.h"
#include "doctor.h"
#include "trace/trace.h"
#include "trace/verdict.h"

#define TRACEFS "/sys/kernel/tracing"

/* Nobody is asked to authenticate here: the user has not said that everything is wanted. */
static void tell_of_opener(void)
{
	if (spt_trace_may_ask_for_system())
		spt_doctor_tell(SPT_FINDING_OK, NULL,
				"Perf events of the whole system: record --source system asks polkit for them.");
	else
		spt_doctor_tell(SPT_FINDING_NOTE, NULL,
				"Perf events of the whole system are for root; with the package sysprof-trace-polkit "
				"record --source system asks for them.");
}

static SptTrace *check_perf(bool module_works)
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
	if (trace && spt_trace_shows_only_own(trace))
		tell_of_opener();
	return g_steal_pointer(&trace);
}

/* Without it perf events report less of waits. */
static void check_tracefs(void)
{
	g_autofree char *known = NULL;
	struct statfs status;

	if (!g_file_get_contents("/proc/filesystems", &known, NULL, NULL) ||
	    !strstr(known, "\ttracefs\n"))
		return;
	if (statfs(TRACEFS, &status) == 0 && status.f_type == TRACEFS_MAGIC)
		spt_doctor_tell(SPT_FINDING_OK, NULL,
				"Tracefs is mounted on " TRACEFS
				": with perf events root sees in which states threads wait, and who wakes them.");
	else
		spt_doctor_tell(SPT_FINDING_NOTE, "sudo mount -t tracefs nodev " TRACEFS,
				"Tracefs is not mounted on " TRACEFS
				": with perf events record --waits reports neither states nor who wakes.");
}

static void cmd_doctor_tell(SptFinding finding, const char *fix, const char *text,
			    G_GNUC_UNUSED void *data)
{
	spt_doctor_tell(finding, fix, "%s", spt_cli_named(text));
}

static int run_doctor(int argc, char **argv)
{
	gboolean json = FALSE;
	g_autofree char *user = NULL, *source_name = NULL, *verdict = NULL;
	const GOptionEntry entries[] = {
		{ "source", 0, 0, G_OPTION_ARG_STRING, &source_name,
		  "End with status 0 only if this one records: module or perf (auto: any of them)",
		  "SOURCE" },
		{ "revoke", 0, 0, G_OPTION_ARG_STRING, &user,
		  "End all sessions of a user instead of checking (root only)",
		  "USER" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json,
		  "JSON, for scripts: sysprof-json(5) describes it", NULL },
		{ NULL },
	};
	SptTraceSource source = SPT_TRACE_AUTO;
	g_autoptr(SptTrace) perf = NULL;
	bool module, works;

	if (!spt_cli_parse(&cmd_doctor, entries, &argc, &argv))
		return SPT_EXIT_USAGE;
	if (source_name && (!spt_trace_source_called(source_name, &source) ||
			    source == SPT_TRACE_SYSTEM)) {
		spt_cli_complain("--source takes auto, module or perf, not \"%s\"", source_name);
		return SPT_EXIT_USAGE;
	}
	if (user)
		return spt_doctor_revoke(user);
	module = spt_module_check(cmd_doctor_tell, NULL);
	if (module)
		spt_doctor_check_sources(SPT_TRACE_MODULE);
	perf = check_perf(module);
	if (perf)
		check_tracefs();
	if (perf && !module)
		spt_doctor_check_sources(SPT_TRACE_PERF);
	if (perf || module)
		spt_doctor_check_scripts();
	verdict = spt_verdict(module, perf, spt_doctor_first_fix());
	spt_doctor_check_names();
	if (json) {
		spt_doctor_print_json(verdict, module, perf != NULL);
	} else {
		spt_terminal_page();
		spt_doctor_print(verdict);
	}
	works = source == SPT_TRACE_MODULE ? module :
		source == SPT_TRACE_PERF   ? perf != NULL :
					     module || perf;
	return spt_cli_flush() && works ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

const struct spt_command cmd_doctor = {
	.name = "doctor",
	.usage = "",
	.is_read = true,
	.help = "Check whether you can record here, and what helps if not",
	.run = run_doctor,
};

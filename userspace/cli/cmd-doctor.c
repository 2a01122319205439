/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli doctor: can this user record here, and if not, what helps. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "cmd.h"
#include "sysprof.h"
#include "trace/trace.h"

static bool module_is_loaded(void)
{
	return g_file_test("/sys/module/sysprof", G_FILE_TEST_IS_DIR);
}

static bool module_is_installed(void)
{
	struct utsname name;
	g_autofree char *path = NULL, *dep = NULL;

	if (uname(&name) < 0)
		return false;
	path = g_strdup_printf("/lib/modules/%s/modules.dep", name.release);
	return g_file_get_contents(path, &dep, NULL, NULL) && strstr(dep, "/sysprof.ko");
}

/* Firmware that checks signatures; the byte behind the variable's attributes tells. */
static bool secure_boot_is_on(void)
{
	const char *path = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	g_autofree char *data = NULL;
	size_t bytes;

	return g_file_get_contents(path, &data, &bytes, NULL) && bytes == 5 && data[4] == 1;
}

static void advise_on_module(void)
{
	if (module_is_loaded())
		printf("The module is loaded, but its node is not there: is /dev a devtmpfs?\n");
	else if (module_is_installed())
		printf("The module is installed for this kernel; load it with: sudo modprobe sysprof\n");
	else
		printf("The module is not installed for this kernel; do that, in the sources, with: sudo make install\n");
	if (secure_boot_is_on())
		printf("Secure Boot is on: the kernel loads the module only if the key that signed it is enrolled "
		       "(sudo mokutil --import /var/lib/dkms/mok.pub).\n");
}

static bool advise_on_perf(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptTrace) trace = spt_trace_open_source(SPT_TRACE_PERF, &error);

	if (!trace) {
		printf("Recording with perf events (--source perf) does not work either: %s.\n", error->message);
		return false;
	}
	printf("Recording with perf events (--source perf) works; %u CPUs.\n", spt_trace_n_cpus(trace));
	if (spt_trace_notice(trace))
		printf("But %s.\n", spt_trace_notice(trace));
	return true;
}

static int run_doctor(int argc, char **argv)
{
	const GOptionEntry entries[] = { { NULL } };
	g_autoptr(SptTrace) trace = NULL;
	g_autoptr(GError) error = NULL;
	bool works;

	if (!spt_cli_parse(&cmd_doctor, entries, &argc, &argv))
		return SPT_EXIT_USAGE;
	trace = spt_trace_open_source(SPT_TRACE_MODULE, &error);
	if (trace) {
		printf("%s opens; %u CPUs. Recording works.\n", SYSPROF_DEVICE, spt_trace_n_cpus(trace));
		return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
	}
	printf("Recording with the module does not work: %s.\n", error->message);
	if (g_error_matches(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_DEVICE))
		advise_on_module();
	works = advise_on_perf();
	return spt_cli_flush() && works ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

const struct spt_command cmd_doctor = {
	.name = "doctor",
	.usage = "",
	.help = "Tell whether this user can record here, and what helps if not",
	.run = run_doctor,
};

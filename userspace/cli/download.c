/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --debuginfod: downloads are shown on a terminal, and Ctrl-C ends only them. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#ifdef SPT_HAVE_DEBUGINFOD
#include <elfutils/debuginfod.h>
#endif

#include "cmd.h"
#include "report-filter.h"

static volatile sig_atomic_t interrupted;

static void download_on_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

/* Ctrl-C is for the running activity, and that is the download. */
static bool download_tell(const char *path, uint64_t done_bytes, uint64_t total_bytes, void *data)
{
	struct sigaction action = { .sa_handler = download_on_interrupt,
				    .sa_flags = SA_RESTART | SA_RESETHAND };
	g_autofree char *shown = spt_format_cut(path, 0), *done = spt_format_bytes(done_bytes);
	g_autofree char *total = total_bytes ? spt_format_bytes(total_bytes) : NULL;

	(void)data;
	sigaction(SIGINT, &action, NULL);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s: %s%s%s of debug information; Ctrl-C goes on without\033[K%s",
			shown, done, total ? " of " : "", total ? total : "",
			interrupted || (total_bytes && done_bytes >= total_bytes) ? "\n" : "");
	return !interrupted;
}

const char *spt_cli_lacks_debuginfod(const char **ret_remedy)
{
#ifdef SPT_HAVE_DEBUGINFOD
	void *client;

	/* Without an interpreter no libraries can be loaded, and trying would crash. */
	if (!getauxval(AT_BASE)) {
		*ret_remedy = spt_cli_named("take the " SPT_CLI " of a package or of make install");
		return "this program is linked statically and loads no libraries";
	}
	client = dlopen(DEBUGINFOD_SONAME, RTLD_LAZY);
	if (client) {
		dlclose(client);
		return NULL;
	}
	*ret_remedy = "install libdebuginfod1 (Debian) or elfutils-debuginfod-client (Fedora)";
	return "elfutils' client of debuginfod, " DEBUGINFOD_SONAME ", is not installed";
#else
	*ret_remedy =
		"install libdebuginfod-dev (Debian) or elfutils-debuginfod-client-devel (Fedora), and build again";
	return "this program was built without elfutils' client of debuginfod";
#endif
}

bool spt_cli_download(SptSymbols *symbols)
{
	const char *servers = g_getenv("DEBUGINFOD_URLS"), *remedy,
		   *lacks = spt_cli_lacks_debuginfod(&remedy);

	if (lacks) {
		spt_cli_complain("--debuginfod: %s; %s", lacks, remedy);
		return false;
	}
	if (!servers || !*servers) {
		spt_cli_complain(
			"--debuginfod needs servers: export DEBUGINFOD_URLS, for example https://debuginfod.debian.net");
		return false;
	}
	spt_symbols_set_download(symbols, download_tell, NULL);
	return true;
}

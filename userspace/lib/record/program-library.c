/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/program-library.h"

#include <unistd.h>

#include "base/words.h"
#include "trace/trace.h"

char *spt_program_library_find(const char *name, const char *options, GError **error)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *home = g_path_get_dirname(self ? self : ".");
	const char *const places[] = { ".", "..", "../lib/sysprof-trace", SPT_LIBDIR };

	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++) {
		g_autofree char *path = g_path_is_absolute(places[i]) ?
			g_build_filename(places[i], name, NULL) :
			g_build_filename(home, places[i], name, NULL);
		g_autofree char *whole = g_canonicalize_filename(path, NULL);

		if (access(whole, R_OK) == 0)
			return g_steal_pointer(&whole);
	}
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
		      "Cannot load a library into programs (%s): %s is neither beside this program nor in %s; install it",
		      options, name, SPT_LIBDIR);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program without shared libraries cannot load one: it is linked with GIO (SPT_IS_STATIC). */
#include "record/bus-library.h"

#ifdef SPT_IS_STATIC

bool spt_bus_library_load(SptBusLibrary *library, G_GNUC_UNUSED GError **error)
{
#define MEMBER(name) .name = name,
	*library = (SptBusLibrary){ SPT_BUS_FUNCTIONS(MEMBER) };
	return true;
}

#else

#include "base/library.h"
#include "base/words.h"

bool spt_bus_library_load(SptBusLibrary *library, GError **error)
{
#define FUNCTION(name) { #name, &library->name },
	const SptLibraryFunction functions[] = { SPT_BUS_FUNCTIONS(FUNCTION) };
	static const char *const names[] = { "libgio-2.0.so.0", NULL };

	if (spt_library_load(names, functions, G_N_ELEMENTS(functions)))
		return true;
	spt_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
		      "%s, which comes with GLib, is not here; install it", *names);
	return false;
}

#endif

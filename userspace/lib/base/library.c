/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library that lacks a function is another one than this program was built for. */
#include "base/library.h"

#include <dlfcn.h>

static bool library_find(void *library, const SptLibraryFunction *functions, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return false;
		*(void **)functions[i].at = function;
	}
	return true;
}

bool spt_library_load(const char *const *names, const SptLibraryFunction *functions, unsigned n)
{
	for (const char *const *name = names; *name; name++) {
		void *library = dlopen(*name, RTLD_NOW);

		if (library && library_find(library, functions, n))
			return true;
		if (library)
			dlclose(library);
	}
	return false;
}

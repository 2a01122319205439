/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library that lacks a function is another one than this program was built for. */
#include "agent/client.h"

#include <dlfcn.h>

#include "base/words.h"
#include "capture/capture.h"

static bool client_find(void *library, const SptClientFunction *functions, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return false;
		*(void **)functions[i].at = function;
	}
	return true;
}

bool spt_client_load(const char *const *names, const SptClientFunction *functions, unsigned n,
		     GError **error)
{
	for (const char *const *name = names; *name; name++) {
		void *library = dlopen(*name, RTLD_NOW);

		if (library && client_find(library, functions, n))
			return true;
		if (library)
			dlclose(library);
	}
	spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
		      "The agent needs %s, which is not here or too old; install it", *names);
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent/client.h"

#include "base/words.h"
#include "capture/capture.h"

bool spt_client_load(const char *const *names, const SptLibraryFunction *functions, unsigned n,
		     GError **error)
{
	if (spt_library_load(names, functions, n))
		return true;
	spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
		      "The agent needs %s, which is not here or too old; install it", *names);
	return false;
}

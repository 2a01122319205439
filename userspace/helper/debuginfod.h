/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fetches debug information from servers, if this was built with a client of them. */
#ifndef SPT_HELPER_DEBUGINFOD_H
#define SPT_HELPER_DEBUGINFOD_H

#include "symbols/helpers.h"

/*
 * A SptHelperFetch from the servers that $DEBUGINFOD_URLS names, by elfutils' client, which also
 * keeps the files.  Not there (NULL) if this was built without the client.
 */
char *spt_debuginfod_fetch(const uint8_t *build_id, unsigned bytes, SptHelperGoesOn goes_on,
			   void *data) __attribute__((weak));

#endif

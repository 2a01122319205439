/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by record --bundle and bundle. */
#ifndef SPT_CLI_BUNDLE_H
#define SPT_CLI_BUNDLE_H

#include "symbols/symbols.h"

enum spt_sharing { SPT_SHARE_ALL, SPT_SHARE_NO_PATHS, SPT_SHARE_ANONYMOUS };

/*
 * Writes @capture to @out with the names that files have for its places, and without what must not
 * be shared.  False: complained.
 */
bool spt_cli_bundle(SptCapture *capture, SptSymbols *symbols, enum spt_sharing sharing,
		    const char *out);

#endif

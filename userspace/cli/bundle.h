/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What record --bundle and bundle do alike. */
#ifndef SPT_CLI_BUNDLE_H
#define SPT_CLI_BUNDLE_H

#include "symbols/symbols.h"

enum spt_sharing { SPT_SHARE_ALL, SPT_SHARE_NO_PATHS, SPT_SHARE_ANONYMOUS };

/*
 * Writes @capture to @out with what files say of its places, and without what is not to be shared.
 * False: complained.
 */
bool spt_cli_bundle(SptCapture *capture, SptSymbols *symbols, enum spt_sharing sharing,
		    const char *out);

#endif

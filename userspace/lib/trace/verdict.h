/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line that says whether this user can record here, and what would be better. */
#ifndef SPT_VERDICT_H
#define SPT_VERDICT_H

#include "trace/trace.h"

G_BEGIN_DECLS

/*
 * @module: whether it opens.  @perf: perf events as they open; NULL: they do not.  @fix: what makes
 * the module work, a command or a clause; NULL: not known.  The caller frees the result.
 */
char *spt_verdict(bool module, const SptTrace *perf, const char *fix);

G_END_DECLS

#endif

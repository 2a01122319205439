/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line that says whether this user can record here, and what would be better. */
#ifndef SPT_VERDICT_H
#define SPT_VERDICT_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/*
 * @module, @perf: whether the source opens.  @fix: what makes the module work, a command or a
 * clause; NULL: not known.  The caller frees the result.
 */
char *spt_verdict(bool module, bool perf, const char *fix);

G_END_DECLS

#endif

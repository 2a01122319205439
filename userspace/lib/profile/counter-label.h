/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How people call the counter of a process. */
#ifndef SPT_COUNTER_LABEL_H
#define SPT_COUNTER_LABEL_H

#include "capture/declared.h"

G_BEGIN_DECLS

/*
 * "python3 (4711): cpu" for a counter "process.4711.cpu" if @thread, which a row of it has, is one
 * of that process; best the last row's, since a program may have begun as another one.  To be
 * freed; NULL: it is no counter of a process, or that is not known.
 */
char *spt_counter_label(const SptCapture *capture, const SptDeclared *kind, uint32_t thread);

G_END_DECLS

#endif

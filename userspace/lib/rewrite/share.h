/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures for other people: without what their owner would not say. */
#ifndef SPT_SHARE_H
#define SPT_SHARE_H

#include "capture/capture.h"

G_BEGIN_DECLS

/*
 * Takes directories out of @capture: of objects, of source files, of the host's facts, and of the
 * names of code made at run time.
 */
void spt_strip_paths(SptCapture *capture);

/*
 * And all else that shows whose it is.  Processes, threads, files, and functions of files are
 * numbered; equal ones have equal numbers.  Names of the kernel, of its threads and modules, and of
 * libraries of the system (*.so below /usr/lib and /lib) stay.  Of the host's facts those stay that
 * are about time and the kernel.  Streams other than the samples and embedded files, of which
 * nobody knows what they hold, are dropped.
 */
void spt_anonymize(SptCapture *capture);

G_END_DECLS

#endif

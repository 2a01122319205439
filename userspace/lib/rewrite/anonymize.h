/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prepares captures for other people: removes what their owner would not want to show. */
#ifndef SPT_SHARE_H
#define SPT_SHARE_H

#include "capture/capture.h"

G_BEGIN_DECLS

/*
 * Removes directories from @capture: those of objects, of source files, in the host's facts, and in
 * names of code made at run time.  Embedded files have more of them, and are dropped.
 */
void spt_drop_files(SptCapture *capture);	/* embedded ones */
void spt_strip_paths(SptCapture *capture);

/*
 * Also removes everything else that shows whose it is.  Processes, threads, files, and functions of
 * files are numbered; equal ones have equal numbers.  Names of the kernel, of its threads and
 * modules, and of libraries of the system (*.so below /usr/lib and /lib) stay.  Of the host's
 * facts, those about time and the kernel stay.  Streams other than the samples, and embedded files,
 * may contain anything, and are dropped.
 */
void spt_anonymize(SptCapture *capture);

G_END_DECLS

#endif

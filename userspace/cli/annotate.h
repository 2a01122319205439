/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of annotate: cmd-annotate.c reads its options and prints text; this is its JSON. */
#ifndef SPT_CLI_ANNOTATE_H
#define SPT_CLI_ANNOTATE_H

#include "annotate/annotate.h"

/*
 * Prints lines and instructions of a function in an object, of the samples of @filter, through the
 * pager.  False: complained.
 */
bool spt_annotate_print_function(const SptCapture *capture, const SptMetric *metric,
				 const SptFilter *filter, const SptFunction *function);
void spt_annotate_print_json(const SptCapture *capture, const SptMetric *metric,
			     const char *function, const SptAnnotation *annotation);

#endif

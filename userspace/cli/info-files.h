/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info --files and --file: the files that are embedded in a recording. */
#ifndef SPT_INFO_FILES_H
#define SPT_INFO_FILES_H

#include "capture/capture.h"
#include "json.h"

/* Prints their list.  False: complained. */
bool spt_info_print_files(const SptCapture *capture);
/* Writes the file @name to @out; NULL: to the standard output.  False: complained. */
bool spt_info_write_file(const SptCapture *capture, const char *name, const char *out);
/* The array "files" of the JSON. */
void spt_info_add_files(SptJson *json, const SptCapture *capture);

#endif

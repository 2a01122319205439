/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes in files that programs run, by the names in them. */
#ifndef SPT_PROBES_H
#define SPT_PROBES_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/*
 * Appends to @points (SptPoint *) what @text names: FILE:FUNCTION (its calls), FILE:SOURCE:LINE, or
 * PROVIDER:NAME of FILE as FILE:mark:PROVIDER:NAME.  FILE is a path, or the name of a library or
 * program of this machine.  The file is read by a confined process.
 */
bool spt_probes_find(GPtrArray *points, const char *text, GError **error);

G_END_DECLS

#endif

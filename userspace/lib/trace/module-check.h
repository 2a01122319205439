/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps to an open device: built for this kernel, allowed in, loaded, open to this user. */
#ifndef SPT_MODULE_CHECK_H
#define SPT_MODULE_CHECK_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

typedef enum {
	SPT_FINDING_OK,
	SPT_FINDING_NOTE,		/* recording works, with some limitation */
	SPT_FINDING_MISSING,		/* recording is impossible until this is repaired */
} SptFinding;

/*
 * @fix: the command or the steps that help, or NULL.  Both texts have SPT_CLI where they name the
 * program.
 */
typedef void (*SptFoundFunc)(SptFinding finding, const char *fix, const char *text, void *data);

/* The path of module @file for kernel @release, by depmod or in an image, to be freed; or NULL. */
char *spt_module_find(const char *release, const char *file);

/* Checks the steps in order.  Stops at the first problem, and returns false. */
bool spt_module_check(SptFoundFunc func, void *data);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the kernel has not got sysprof-sources, the module of event sources, which it loads for the
 * first session that requests one.
 */
#ifndef SPT_SOURCES_MODULE_H
#define SPT_SOURCES_MODULE_H

#include <glib.h>

G_BEGIN_DECLS

#define SPT_SOURCES_MODULE "sysprof-sources"

/* How a sentence about it goes on, to be freed, and so is @ret_fix: what helps. */
char *spt_sources_module_why(char **ret_fix);

G_END_DECLS

#endif

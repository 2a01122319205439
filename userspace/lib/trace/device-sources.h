/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which sources of events the module's device is asked for. */
#ifndef SPT_DEVICE_SOURCES_H
#define SPT_DEVICE_SOURCES_H

#include "trace/trace-private.h"

G_BEGIN_DECLS

/*
 * Asks the device @fd for what @config wants; @events: by id.  @ret_left_out: a sentence on what it
 * cannot have and was optional, the caller's to free, or NULL.
 */
bool spt_device_set_sources(int fd, const struct sysprof_info *info, const SptTraceConfig *config,
			    SptTraceEvents *events, char **ret_left_out, GError **error);

G_END_DECLS

#endif

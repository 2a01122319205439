/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests sources of events from the module's device. */
#ifndef SPT_DEVICE_SOURCES_H
#define SPT_DEVICE_SOURCES_H

#include "trace/trace-private.h"

G_BEGIN_DECLS

/*
 * Requests what @config wants from the device @fd; @events: by id.  @ret_left_out: a sentence on
 * the optional sources that it does not have, the caller's to free, or NULL.
 */
bool spt_device_set_sources(int fd, const struct sysprof_info *info, const SptTraceConfig *config,
			    SptTraceEvents *events, char **ret_left_out, GError **error);

/* As spt_trace_lacks_sources(). */
char *spt_device_lacks_sources(int fd, char **ret_fix);

/* As spt_trace_sees_in_part(). */
char *spt_device_sees_in_part(int fd);

G_END_DECLS

#endif

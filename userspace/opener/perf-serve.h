/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of trace/perf/opener-protocol.h: their sender is not trusted. */
#ifndef SPT_PERF_SERVE_H
#define SPT_PERF_SERVE_H

#include <stdbool.h>

/* Takes a request from @channel and answers it.  False: that is closed, or it makes no sense. */
bool spt_door_serve(int channel);
/* Answers the first request by @number, an errno. */
void spt_door_refuse(int channel, int number);

#endif

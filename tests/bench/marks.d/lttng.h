/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mark of marks.c as a trace point of LTTng-UST, two texts. */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER interface
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "lttng.h"
#if !defined(BENCH_LTTNG_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_H
#include <lttng/tracepoint.h>
TRACEPOINT_EVENT(interface, key, TP_ARGS(const char *, name, const char *, message),
		 TP_FIELDS(ctf_string(name, name) ctf_string(message, message)))
#endif
#include <lttng/tracepoint-event.h>

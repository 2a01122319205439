/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread is at work for, as programs publish it for readers from outside: the thread context
 * of OpenTelemetry (OTEP 4947).  The dynamic symbol otel_thread_ctx_v1 is a variable of each thread
 * that points to a record with the ids of trace and span, and with attributes.  These have numbers
 * for names; what they mean is in the process's own context (threadlocal.attribute_key_map).
 *
 * Files and what was copied of a program may be hostile.
 */
#ifndef SPT_TRACE_CONTEXT_H
#define SPT_TRACE_CONTEXT_H

#include "scripts/interpreter.h"

G_BEGIN_DECLS

#define SPT_THREAD_CONTEXT_NUMBER 64	/* in tags, beside those of interpreters */

typedef struct {
	uint8_t trace[16], span[8];	/* the order of bytes is that of their texts */
} SptThreadContext;

#define SPT_TRACE_TEXT_BYTES (2 * 16 + 1)
#define SPT_SPAN_TEXT_BYTES  (2 * 8 + 1)

/* The chain that finds it; NULL: no file with such a variable, or not one that can be read. */
GBytes *spt_thread_context_describe(const SptObject *file);
/* The context of a record as it was copied; false: there is none. */
bool spt_thread_context_read(const SptSpan *record, SptThreadContext *ret);
/*
 * Attributes of the same record as one line, "0=GET,3=/cart", to be freed; "": there are none.  One
 * with which it would have SPT_ATTRIBUTES_TEXT_BYTES is skipped.
 */
char *spt_thread_context_attributes(const SptSpan *record);
#define SPT_ATTRIBUTES_TEXT_BYTES 1024
/* Hexadecimal digits. */
void spt_thread_context_text(const SptThreadContext *context, char trace[SPT_TRACE_TEXT_BYTES],
			     char span[SPT_SPAN_TEXT_BYTES]);

G_END_DECLS

#endif

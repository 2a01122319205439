/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs write into trace_marker, in the form that systrace and Perfetto know. */
#ifndef SPT_SYSTRACE_TEXT_H
#define SPT_SYSTRACE_TEXT_H

#include <stdbool.h>

typedef enum {
	SPT_SYSTRACE_LINE,		/* of no such form; the name is the whole line */
	SPT_SYSTRACE_BEGIN,		/* B|PID|NAME */
	SPT_SYSTRACE_END,		/* E or E|PID */
	SPT_SYSTRACE_COUNTER,		/* C|PID|NAME|VALUE */
	SPT_SYSTRACE_START,		/* S|PID|NAME|COOKIE: a span of no one thread */
	SPT_SYSTRACE_FINISH,		/* F|PID|NAME|COOKIE */
	SPT_SYSTRACE_TRACK_START,	/* G|PID|TRACK|NAME|COOKIE */
	SPT_SYSTRACE_TRACK_FINISH,	/* H|PID|TRACK|COOKIE, or with a name */
	SPT_SYSTRACE_INSTANT,		/* I|PID|NAME */
	SPT_SYSTRACE_TRACK_INSTANT,	/* N|PID|TRACK|NAME */
} SptSystraceType;

/* Texts are parts of the line that was parsed, or "". */
typedef struct {
	SptSystraceType type;
	const char *pid, *track, *name, *cookie;
	double value;
} SptSystraceText;

/* @line: up to a nul; it is changed, and must live as long as @ret. */
void spt_systrace_parse(char *line, SptSystraceText *ret);

#endif

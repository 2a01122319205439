/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be recorded of what programs and the machine say of themselves (statements.h): a row is
 * an option of "record", and a switch on the viewer's page for recording.
 */
#ifndef SPT_STATEMENT_OPTIONS_H
#define SPT_STATEMENT_OPTIONS_H

#include "record/recorder.h"

G_BEGIN_DECLS

typedef enum {
	SPT_STATEMENT_MARKS,
	SPT_STATEMENT_COUNTERS,
	SPT_STATEMENT_LOGS,
	SPT_STATEMENT_JOURNAL,
	SPT_STATEMENT_DBUS,
	SPT_STATEMENT_TRACE_MARKER,
	SPT_STATEMENT_N_OPTIONS,
} SptStatement;

typedef struct {
	const char *name, *flag;	/* of "record": NAME and --NAME */
	const char *key;		/* of the viewer's setting */
	const char *title, *note;	/* for people, marked for translation */
	const char *help;		/* of "record" */
	size_t member;			/* of SptRecorderOptions, a bool */
	bool of_command;		/* a running command has it anew for each recorder */
	/* NULL: always.  Why it cannot be recorded here, as far as that is known before. */
	bool (*is_possible)(GError **error);
} SptStatementOption;

const SptStatementOption *spt_statement_option(SptStatement statement);
/* Requests those whose bits (1 << SptStatement) are in @statements. */
void spt_statements_request(unsigned statements, SptRecorderOptions *options);
/*
 * What is to be said of a recording's end: sentences of what was not heard, each to be freed; the
 * status's strings may go before.
 */
GPtrArray *spt_statements_notes(const SptMarksStatus *status);

G_END_DECLS

#endif

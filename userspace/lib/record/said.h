/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs and the machine say of themselves, as rows of declared kinds: "mark", "log", and a
 * kind for each counter.  A kind is declared when its first event comes.  Names and texts may have
 * any bytes; the capture's reader cleans them.
 */
#ifndef SPT_SAID_H
#define SPT_SAID_H

#include "record/flow-ends.h"
#include "record/output.h"

G_BEGIN_DECLS

#define SPT_SAID_MARK "mark"
#define SPT_SAID_LOG  "log"
#define SPT_SAID_FLOW "flow"
#define SPT_SAID_CALL "dbus"
#define SPT_SAID_SIGNAL "dbus-signal"
/* As importers declare them, too; values: name, category and message; text, severity and source. */
extern const SptDeclarationRow spt_said_mark_kind, spt_said_log_kind;
/* Kinds of counters have numbers from this one on. */
#define SPT_SAID_FIRST_COUNTER 6u
/* Other counters are dropped. */
#define SPT_SAID_COUNTERS 2048

typedef struct SptSaid SptSaid;

typedef struct {
	uint64_t time, duration_ns;
	uint32_t thread;		/* of the capture; 0: not known */
	const char *category, *name, *message;
} SptSaidMark;

/* On D-Bus.  A signal has no duration, reply nor error, and its sender is the client. */
typedef struct {
	uint64_t time, duration_ns;
	uint32_t thread;		/* of the client's process; 0: not known */
	uint32_t client_pid, server_pid; /* 0: not known */
	uint64_t bytes, reply_bytes;	/* of the messages */
	const char *name;		/* of the member, with its interface */
	const char *bus, *client, *server, *error;
} SptSaidCall;

typedef struct {
	const char *name, *title;	/* title NULL: the name */
	const char *unit;		/* "": none; "bytes": a size */
} SptSaidCounter;

SptSaid *spt_said_new(SptOutput *output);
void spt_said_free(SptSaid *said);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSaid, spt_said_free)

void spt_said_mark(SptSaid *said, const SptSaidMark *mark);
/* The flows of those that have none of their own. */
SptFlowEnds *spt_said_flows(SptSaid *said);
/*
 * An end of a flow of @flows: the rows of both ends get the same number, which no other flow of the
 * recording has.  False: it was dropped, since too many are under way.
 */
bool spt_said_flow(SptSaid *said, SptFlowEnds *flows, uint64_t time, uint32_t thread,
		   const char *name, uint64_t id, bool is_end);
void spt_said_call(SptSaid *said, const SptSaidCall *call);
void spt_said_signal(SptSaid *said, const SptSaidCall *call);
/* Of GLib's levels, which are bits. */
unsigned spt_said_severity(unsigned level);
/* @severity: as in syslog(3), 0 to 7; @source: whose log it is. */
void spt_said_line(SptSaid *said, uint64_t time, uint32_t thread, unsigned severity,
		   const char *source, const char *text);
/* False: it was dropped, since there are too many counters, or the value is no finite number. */
bool spt_said_count(SptSaid *said, const SptSaidCounter *counter, uint64_t time, uint32_t thread,
		    double value);

G_END_DECLS

#endif

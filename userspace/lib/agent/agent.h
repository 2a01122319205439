/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an agent does with windows: each is a capture of a few seconds, which a thread turns into
 * requests for all targets.  The recorder's thread cuts windows and hands them in.
 */
#ifndef SPT_AGENT_AGENT_H
#define SPT_AGENT_AGENT_H

#include "agent/http-client.h"
#include "agent/keep.h"
#include "agent/sender.h"
#include "export/labels.h"

G_BEGIN_DECLS

typedef struct {
	const char *const *targets;	/* "KIND=URL", up to a NULL */
	const char *spool;		/* a directory; each target has one in it */
	uint64_t spool_bytes;		/* of each target */
	const char *keep;		/* NULL, or a directory where windows stay, as captures */
	uint64_t keep_bytes;		/* of all that stay; older ones are removed */
	const char *captures;		/* NULL, or a directory for those of spt_agent_capture() */
	uint64_t captures_bytes, last_ns;	/* bound of them all; how much one goes back */
	SptHttpOptions http;
	SptLabelRules rules;
	SptSenderTell tell;		/* from any thread */
	void *tell_data;
} SptAgentOptions;

typedef struct {
	uint64_t windows, empty;	/* that were handed in, and without a sample */
	uint64_t dropped;		/* while encoding was behind, or unreadable */
	uint64_t encoding_ns;		/* CPU time of the thread that encodes */
	uint64_t too_soon;		/* captures that were asked for behind another one */
	bool has_keep, has_captures;
	SptKeepStatus keep, captures;
} SptAgentStatus;

typedef struct SptAgent SptAgent;

/* @options outlive it.  NULL: with a sentence. */
SptAgent *spt_agent_new(const SptAgentOptions *options, GError **error);
/* Ends the waits of callers of spt_agent_profile(), and then refuses them. */
void spt_agent_close(SptAgent *agent);
/* Encodes what was handed in, then as spt_sender_free(). */
void spt_agent_free(SptAgent *agent, unsigned patience_ms);

/* Where the next window is to be written; the caller's. */
char *spt_agent_next_path(SptAgent *agent);
/* It was written, and is the agent's; NULL: it had no sample. */
void spt_agent_take(SptAgent *agent, const char *path);
/* Somebody waits for the end of the window. */
bool spt_agent_wants_window(SptAgent *agent);
void spt_agent_status(SptAgent *agent, SptAgentStatus *ret);
unsigned spt_agent_n_senders(const SptAgent *agent);
SptSender *spt_agent_sender(const SptAgent *agent, unsigned i);

/*
 * Waits for @seconds, then appends what was recorded in them to @to, as a profile of pprof of
 * @metric: of all processes, or those in the control group @group and below it.  For any thread.
 * False: with a sentence.
 */
bool spt_agent_profile(SptAgent *agent, const char *metric, unsigned seconds, const char *group,
		       GString *to, GError **error);
#define SPT_AGENT_PROFILE_SECONDS_MAX 300

/*
 * Keeps what was recorded in the last options->last_ns as a capture, and says so.  @why: letters
 * and digits, for its name.  For any thread, at most once in ten seconds.  The path, the caller's;
 * NULL: with a sentence, SPT_CAPTURE_ERROR_BUSY if it is too soon.
 */
char *spt_agent_capture(SptAgent *agent, const char *why, GError **error);
#define SPT_AGENT_CAPTURE_PAUSE_S 10
#define SPT_AGENT_CAPTURES_MAX	  20	/* files; then the oldest is removed */

/*
 * Appends to @to what would be sent of a window, and where to: for people.  False: with a sentence.
 */
bool spt_agent_explain(const SptAgentOptions *options, const char *window, GString *to,
		       GError **error);

G_END_DECLS

#endif

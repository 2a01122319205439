/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A window, opened: its capture, names, labels, and the metrics that are sent of it. */
#ifndef SPT_AGENT_WINDOW_H
#define SPT_AGENT_WINDOW_H

#include "agent/published.h"
#include "agent/target.h"
#include "rewrite/remembered.h"

G_BEGIN_DECLS

typedef struct {
	SptCapture *capture;
	SptSymbols *symbols;
	SptLabels *labels;
	SptRemembered *names;
} SptAgentWindow;

/*
 * @rules, and @names and @published of windows before (or NULL), outlive it.  With @published,
 * which gives labels for one window at a time, its processes are looked at.  False: with a
 * sentence.
 */
bool spt_agent_window_open(SptAgentWindow *window, const char *path, const SptLabelRules *rules,
			   SptRemembered *names, SptPublished *published, GError **error);
/*
 * Remembers the names, and writes the capture with them to @path: it names its functions where
 * their files are not.  After that, the window is of no other use.  False: with a sentence.
 */
bool spt_agent_window_write(SptAgentWindow *window, const char *path, GError **error);
/* Remembers the names, if that was not done. */
void spt_agent_window_clear(SptAgentWindow *window);

/* A metric that is sent, if a window has it; NULL behind the last one. */
const char *spt_agent_window_metric(unsigned i);
/* The profile of a metric, for encoders; NULL: the window has none.  Owned by the caller. */
SptProfile *spt_agent_window_profile(const SptAgentWindow *window, const char *metric);
SptExportInput spt_agent_window_input(const SptAgentWindow *window, const SptProfile *profile);

G_END_DECLS

#endif

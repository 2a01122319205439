/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of agent, and its file of options. */
#ifndef SPT_AGENT_OPTIONS_H
#define SPT_AGENT_OPTIONS_H

#include "agent/agent.h"
#include "agent/watch.h"
#include "record/recorder.h"

struct spt_agent_words;

struct spt_agent_options {
	SptRecorderOptions recorder;
	SptAgentOptions agent;		/* its strings are those of @words */
	const char *door, *door_token;	/* address and file, or NULL */
	const char *pods;		/* path of the socket for containers, or NULL */
	int pods_fd;			/* such a socket that systemd made; -1: it did not */
	SptWatchOptions watch;
	uint64_t every_ns;
	/* Windows end at multiples of that, by the clock of the day. */
	bool is_aligned;
	bool is_dry;
	struct spt_agent_words *words;
};

/* False: complained, return SPT_EXIT_USAGE. */
bool spt_agent_options_parse(struct spt_agent_options *options, int argc, char **argv);
void spt_agent_options_clear(struct spt_agent_options *options);

#endif

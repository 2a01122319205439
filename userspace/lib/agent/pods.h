/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A socket for containers without rights: who connects gets profiles of the processes of his own
 * control group and those below it, and of nothing else.  Requests are those of HTTP that are in
 * http-door.h for profiles: curl --unix-socket PATH http://pod/debug/pprof/profile?seconds=10
 *
 * Who asks is the process that connected, as the kernel says: by a descriptor of it where there is
 * SO_PEERPIDFD (6.5), else by its number, if it is older than the connection.  It has to run still.
 */
#ifndef SPT_AGENT_PODS_H
#define SPT_AGENT_PODS_H

#include "agent/agent.h"

G_BEGIN_DECLS

typedef struct SptPods SptPods;

/*
 * Replaces a socket at @path; NULL: listens at @inherited, which stays the caller's.  NULL: with a
 * sentence.
 */
SptPods *spt_pods_new(const char *path, int inherited, SptAgent *agent, GError **error);
/* After the agent's end has begun. */
void spt_pods_free(SptPods *pods);

typedef struct {
	uint64_t served, refused;	/* refused: who is in no control group, or has ended */
} SptPodsStatus;

void spt_pods_status(SptPods *pods, SptPodsStatus *ret);

/*
 * What the head of a request asks for: *@ret_metric, a constant, and *@ret_seconds.  0, or the
 * status of HTTP that it is refused with.
 */
unsigned spt_pods_parse(const char *head, size_t bytes, const char **ret_metric,
			unsigned *ret_seconds);
/*
 * Sends within that time, however slowly somebody reads, and waits no more once @stop, a pipe, has
 * ended.  False: not all of it.
 */
bool spt_pods_send(int fd, int stop, const char *text, size_t bytes, unsigned within_ms);
/*
 * Whether who is in control group @group gets anything.  Not in the root, nor above the root of the
 * agent's own namespace of groups: that is "/..", as often as it is above, and so are the paths of
 * all groups beside it.
 */
bool spt_pods_is_served(const char *group);
/* Whether the process in control group @path is in @group or below it. */
bool spt_pods_is_below(const char *path, const char *group);

G_END_DECLS

#endif

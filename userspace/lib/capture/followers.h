/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which frames were met below a frame, the latest first: what both sides of a capture guess the
 * frame of a node by (format.md, "NODE").  Frames are numbers from 1; 0 is the root's.
 */
#ifndef SPT_CAPTURE_FOLLOWERS_H
#define SPT_CAPTURE_FOLLOWERS_H

#include "capture/store.h"

G_BEGIN_DECLS

typedef struct {
	SptStore first;		/* uint32_t by frame: the link of its latest follower */
	SptStore links;
} SptFollowers;

void spt_followers_init(SptFollowers *followers);
void spt_followers_clear(SptFollowers *followers);
/* As after init, with what memory there is. */
void spt_followers_forget(SptFollowers *followers);

/* The latest follower of @frame; 0: none yet. */
uint32_t spt_followers_latest(const SptFollowers *followers, uint32_t frame);
/* The place of @follower, 1 for the latest, at most SPT_MOST_FOLLOWERS; 0 if it is not there. */
unsigned spt_followers_find(const SptFollowers *followers, uint32_t frame, uint32_t follower);
/* The follower at @place, which becomes the latest; 0 if there are fewer. */
uint32_t spt_followers_take(SptFollowers *followers, uint32_t frame, unsigned place);
/* A new latest one.  Error: a clause. */
bool spt_followers_add(SptFollowers *followers, uint32_t frame, uint32_t follower, GError **error);

uint64_t spt_followers_bytes(const SptFollowers *followers);
/* What spt_followers_bytes() may grow by with @n more followers of frames below @n_frames. */
uint64_t spt_followers_more_bytes(const SptFollowers *followers, uint64_t n, uint64_t n_frames);

G_END_DECLS

#endif

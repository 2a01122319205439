/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames that were met below a frame, the latest first.  Writer and reader both guess the frame
 * of a node by them (format.md, "NODE").  Frames are numbers from 1; 0 is the root's.
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
/* Empties it, but keeps its memory. */
void spt_followers_forget(SptFollowers *followers);

/* The latest follower of @frame; 0: none yet. */
uint32_t spt_followers_latest(const SptFollowers *followers, uint32_t frame);
/* The place of @follower, 1 for the latest, at most SPT_MOST_FOLLOWERS; 0: it is not there. */
unsigned spt_followers_find(const SptFollowers *followers, uint32_t frame, uint32_t follower);
/* The follower at @place, which becomes the latest; 0: there are fewer. */
uint32_t spt_followers_take(SptFollowers *followers, uint32_t frame, unsigned place);
/* Adds a follower, which becomes the latest.  Error: a clause. */
bool spt_followers_add(SptFollowers *followers, uint32_t frame, uint32_t follower, GError **error);

uint64_t spt_followers_bytes(const SptFollowers *followers);
/*
 * Most bytes by which spt_followers_bytes() grows with @n more followers of frames below @n_frames.
 */
uint64_t spt_followers_more_bytes(const SptFollowers *followers, uint64_t n, uint64_t n_frames);

G_END_DECLS

#endif

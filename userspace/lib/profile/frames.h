/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which marks are the frames of a program that draws, and when one is late. */
#ifndef SPT_PROFILE_FRAMES_H
#define SPT_PROFILE_FRAMES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* A screen of 60 Hz has a picture each 16.7 ms; a frame that takes longer comes too late. */
#define SPT_FRAME_NS 16666667u

/* Whether marks called @name, which last, are frames: those of GTK, of Mutter, and "frame". */
bool spt_frame_is(const char *name);

G_END_DECLS

#endif

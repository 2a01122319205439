/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process between a command's standard error and where that goes: it passes all on as it comes,
 * and gives the recorder a copy of each line.  It is no part of the recorder, so that a command
 * whose recorder has died can still write.
 */
#ifndef SPT_RELAY_H
#define SPT_RELAY_H

#include <stdbool.h>

struct spt_relay {
	int writer;		/* what becomes the command's standard error */
	int lines;		/* packets of lines, for record/logs.h */
};

#define SPT_RELAY_NONE { .writer = -1, .lines = -1 }

/* False: errno says why there is none. */
bool spt_relay_begin(struct spt_relay *relay);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A terminal as a whole screen: the alternate one, keys as they are pressed. */
#ifndef SPT_SCREEN_H
#define SPT_SCREEN_H

#include <stdbool.h>

enum {
	SPT_KEY_NONE = -1,		/* the time is over, or the size has changed */
	SPT_KEY_END = -2,		/* of the input, or a signal has asked for it */
	SPT_KEY_UP = 0x100,
	SPT_KEY_DOWN,
	SPT_KEY_LEFT,
	SPT_KEY_RIGHT,
	SPT_KEY_PAGE_UP,
	SPT_KEY_PAGE_DOWN,
	SPT_KEY_FIRST,
	SPT_KEY_LAST,
};

/* False: standard input or output is no terminal. */
bool spt_screen_begin(void);
/* Gives the terminal back as it was; may be called without a beginning. */
void spt_screen_end(void);
/* Waits for a key, @timeout_ms or (-1) for ever: a byte, or one of the above. */
int spt_screen_key(int timeout_ms);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A terminal as a whole screen: the alternate screen, and single keys. */
#ifndef SPT_SCREEN_H
#define SPT_SCREEN_H

#include <stdbool.h>

enum {
	SPT_KEY_NONE = -1,		/* timeout, or the size has changed */
	SPT_KEY_END = -2,		/* end of the input, or a signal */
	SPT_KEY_UP = 0x100,
	SPT_KEY_DOWN,
	SPT_KEY_LEFT,
	SPT_KEY_RIGHT,
	SPT_KEY_PAGE_UP,
	SPT_KEY_PAGE_DOWN,
	SPT_KEY_FIRST,
	SPT_KEY_LAST,
};

/* False: standard input or output is not a terminal. */
bool spt_screen_begin(void);
/* Restores the terminal; may be called without begin(). */
void spt_screen_end(void);
/* Waits for a key for @timeout_ms, or without limit (-1): a byte, or one of the above. */
int spt_screen_key(int timeout_ms);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A word in shared memory by which others see whether this process exists, however it ends: the
 * kernel adds FUTEX_OWNER_DIED.  They need neither its number nor any right.
 */
#ifndef SPT_ALIVE_H
#define SPT_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct SptAlive SptAlive;

/* @word: 0; it must stay mapped. */
SptAlive *spt_alive_new(uint32_t *word);
/* Others see this, too. */
void spt_alive_free(SptAlive *alive);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who ended waits, and who holds locks, until the waits themselves come: by the key that both have.
 */
#ifndef SPT_RECORD_WAKES_H
#define SPT_RECORD_WAKES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptWakes SptWakes;

typedef struct {
	uint64_t key;
	uint32_t node, thread;
	uint32_t stash_number;		/* the stash in which it has that node */
} SptWake;

SptWakes *spt_wakes_new(void);
void spt_wakes_free(SptWakes *wakes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptWakes, spt_wakes_free)

/*
 * It replaces one of the same key.  When there are 65,536, whose waits must have been lost,
 * all are forgotten before.  Key 0 is nobody's.
 */
void spt_wakes_put(SptWakes *wakes, const SptWake *wake);
/* NULL: there is none.  Valid until the next call of another function. */
const SptWake *spt_wakes_find(const SptWakes *wakes, uint64_t key);
/* Removes the one of @key.  False: there is none. */
bool spt_wakes_take(SptWakes *wakes, uint64_t key, SptWake *ret);

G_END_DECLS

#endif

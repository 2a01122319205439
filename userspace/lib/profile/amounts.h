/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Amounts as sentences say them: with their unit, and a no-break space before it. */
#ifndef SPT_AMOUNTS_H
#define SPT_AMOUNTS_H

#include "events/event.h"

G_BEGIN_DECLS

/* "1.50 s", "12.00 ms", "1.2 MiB", "17"; to be freed. */
char *spt_amount_text(double value, SptUnit unit);

G_END_DECLS

#endif

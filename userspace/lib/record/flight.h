/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flight recorder's memory, a sink: the rows of the last seconds, and the rows that they refer
 * to.  It replaces the file of an ordinary recording, and gives all rows to one on request; the
 * names of their frames are put into that file alone.
 */
#ifndef SPT_FLIGHT_H
#define SPT_FLIGHT_H

#include "capture/sink.h"

G_BEGIN_DECLS

/*
 * Each flush forgets what is older than @last_ns.  Accounts that it gives count from the first
 * sample that was kept.
 */
SptSink *spt_flight_new(uint64_t last_ns);
/*
 * Forgets nothing until it gives its rows, and then all that it gave: what is given is one window
 * after the other, with each row in one of them.
 */
SptSink *spt_flight_new_windows(void);

G_END_DECLS

#endif

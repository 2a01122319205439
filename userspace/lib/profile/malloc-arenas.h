/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the marks of record --malloc-arenas (record/malloc-arenas.h) say of each process: how its
 * arenas grew and shrank, and which threads share one.
 */
#ifndef SPT_PROFILE_MALLOC_ARENAS_H
#define SPT_PROFILE_MALLOC_ARENAS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "profile/arenas.h"
#include "profile/profile.h"

G_BEGIN_DECLS

/* Whether the marks were recorded. */
bool spt_malloc_arenas_are_in(const SptCapture *capture);
/* By process, those with most memory first: of SptMallocArenas. */
GArray *spt_malloc_arenas(const SptCapture *capture, const SptFilter *filter);

G_END_DECLS

#endif

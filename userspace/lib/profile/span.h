/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether times of a recording are those of its samples: text formats have an order alone. */
#ifndef SPT_SPAN_H
#define SPT_SPAN_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* A fact of the host: SPT_SPAN_NONE if the file that was imported has no times. */
#define SPT_SPAN_TIMES "times"
#define SPT_SPAN_NONE  "none"

bool spt_span_is_known(const SptCapture *capture);

G_END_DECLS

#endif

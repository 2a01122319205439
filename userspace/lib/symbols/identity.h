/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a file is the one that was recorded. */
#ifndef SPT_IDENTITY_H
#define SPT_IDENTITY_H

#include "capture/capture.h"
#include "object/object.h"

G_BEGIN_DECLS

/* NULL, or why @image is not the recorded file of @row: by its build-id, else by size and time. */
const char *spt_identity_problem(const SptObjectRow *row, const SptObject *image);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples without the copy of their stack, once it was followed or cannot be. */
#ifndef SPT_UNWOUND_H
#define SPT_UNWOUND_H

#include <glib.h>

#include "sysprof.h"
#include "unwind/stepper.h"

G_BEGIN_DECLS

/*
 * A sample like @from in @room, valid until the next call with it: without the copy, and with the
 * user frames that @from has.  The caller sets user_mode.
 */
struct sysprof_sample *spt_unwound_keep(GByteArray *room, const struct sysprof_sample *from);
/*
 * The same with the @n frames of a walk through the copy that ended with @end.  All but the
 * innermost are taken for calls; a signal's interrupted instruction is looked up where the call
 * before it would be.
 */
struct sysprof_sample *spt_unwound_walked(GByteArray *room, const struct sysprof_sample *from,
					  const SptUnwindFrame *frames, unsigned n,
					  SptUnwindEnd end);
/* The same with the @n frames at @values, as they are in records. */
struct sysprof_sample *spt_unwound_made(GByteArray *room, const struct sysprof_sample *from,
					const __u64 *values, unsigned n, SptUnwindEnd end);

G_END_DECLS

#endif

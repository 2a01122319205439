/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Embeds files in the capture, as they are when the recording begins: those of the system that who
 * reads it elsewhere will ask for, and those that the user names.  capture/embedded.h reads them.
 */
#ifndef SPT_EMBED_H
#define SPT_EMBED_H

#include "record/output.h"
#include "record/recorder.h"

G_BEGIN_DECLS

/* A file of the system that is longer is cut; one that the user names is refused. */
#define SPT_EMBED_SYSTEM_BYTES (1u << 20)
#define SPT_EMBED_FILE_BYTES   (16u << 20)
/* All that the user names. */
#define SPT_EMBED_FILES	       64u
#define SPT_EMBED_ALL_BYTES    (32u << 20)

/* False: a file that the user named cannot be embedded.  What the system lacks is skipped. */
bool spt_embed(const SptEmbedOptions *options, SptOutput *output, GError **error);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs say of themselves in a capture of GNOME Sysprof: marks, lines of logs, counters. */
#ifndef SPT_IMPORT_SYSCAP_SAID_H
#define SPT_IMPORT_SYSCAP_SAID_H

#include "import/stacks.h"

G_BEGIN_DECLS

typedef struct SptSyscapSaid SptSyscapSaid;

/* @begin_ns: of the capture, in the time of its frames. */
SptSyscapSaid *spt_syscap_said_new(SptImportStacks *stacks, SptCaptureWriter *writer,
				   uint64_t begin_ns);
void spt_syscap_said_free(SptSyscapSaid *said);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSyscapSaid, spt_syscap_said_free)
/* Whether frames of this type are something that was said. */
bool spt_syscap_said_is(unsigned type);
/*
 * Takes the @bytes at @data behind the head of a frame of this type and @time; other types are
 * nothing of this kind.  Returns NULL, or what is wrong.
 */
const char *spt_syscap_said_take(SptSyscapSaid *said, unsigned type, int64_t time, uint32_t thread,
				 const uint8_t *data, size_t bytes);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether bytes are a profile of pprof, or a trace of Perfetto.  These have no magic number: each
 * is a message of protobuf, whose writers put its fields in any order.
 */
#ifndef SPT_IMPORT_PPROF_PROBE_H
#define SPT_IMPORT_PPROF_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Of the first @bytes of a file, unpacked: every field has the type of a profile's field of that
 * number, and one at least is whole and has itself what belongs into it.
 */
bool spt_import_pprof_is(const char *begin, size_t bytes);
/* Likewise: all fields are packets, and one at least has a time or the number of a sequence. */
bool spt_import_perfetto_is(const char *begin, size_t bytes);

#endif

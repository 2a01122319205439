/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs say of themselves, one after the other, for formats that show it beside the
 * samples: marks, lines of logs, flows, and all other intervals and instants of declared kinds.
 */
#ifndef SPT_EXPORT_SAYINGS_H
#define SPT_EXPORT_SAYINGS_H

#include "capture/declared.h"
#include "profile/profile.h"

G_BEGIN_DECLS

/* Which end of a flow it is. */
typedef enum {
	SPT_FLOW_NONE,
	SPT_FLOW_BEGIN,
	SPT_FLOW_END,
} SptFlowSide;

typedef struct {
	uint64_t begin_ns, duration_ns;	/* duration 0: an instant */
	const SptDeclared *kind;
	/* Name: its first text, or the kind's; category: "" if it has none; text: its other fields. */
	const char *name, *category, *text;
	uint64_t flow;			/* id; both ends have the same */
	uint32_t thread, cpu, name_number;	/* name_number: of spt_sayings_names() */
	uint8_t side;			/* SptFlowSide */
	/* It begins within another interval of its kind and thread, and ends after that. */
	bool crosses;
} SptSaying;

typedef struct SptSayings SptSayings;

/* Those of the threads, CPUs and time of @filter (NULL: all).  Both must outlive it. */
SptSayings *spt_sayings_new(const SptCapture *capture, const SptFilter *filter);
void spt_sayings_free(SptSayings *sayings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSayings, spt_sayings_free)
/* Texts are valid as long as @sayings.  False: no more, and the next call begins again. */
bool spt_sayings_next(SptSayings *sayings, SptSaying *ret);
/* After the first pass: the names, by number. */
const GPtrArray *spt_sayings_names(const SptSayings *sayings);

G_END_DECLS

#endif

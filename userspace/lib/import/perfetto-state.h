/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What packets of a trace of Perfetto refer to: numbers of names, clocks and defaults, which belong
 * to a sequence of packets each, and tracks, processes and threads, which belong to all.
 */
#ifndef SPT_IMPORT_PERFETTO_STATE_H
#define SPT_IMPORT_PERFETTO_STATE_H

#ifdef SPT_HAS_PPROF

#include "formats/perfetto.pb-c.h"
#include "import/stacks.h"

G_BEGIN_DECLS

/* Most sequences of packets, and tracks, processes or threads that are known. */
#define SPT_PFTRACE_SEQUENCES (1u << 14)
#define SPT_PFTRACE_TRACKS    (1u << 20)
/* Clocks below are those of the machine, the next ones those of a sequence. */
#define SPT_PFTRACE_CLOCKS 64u

enum { SPT_PFTRACE_FUNCTION, SPT_PFTRACE_PATH, SPT_PFTRACE_EVENT, SPT_PFTRACE_CATEGORY,
       SPT_PFTRACE_MAPPING, SPT_PFTRACE_TEXTS };

typedef struct {
	uint64_t at, base_ns;		/* the same time, as it counts, and as the machine does */
	uint64_t last, unit_ns;
	bool is_there, is_incremental;
} SptPftraceClock;

/* A sequence of packets. */
typedef struct {
	GHashTable *texts[SPT_PFTRACE_TEXTS]; /* number -> text; NULL: there are none */
	GHashTable *frames, *nodes;	/* number -> SptFrame, node; likewise */
	uint64_t track;			/* of events that name none */
	uint32_t clock;			/* of packets that name none */
	bool is_weighed;		/* each sample is a period */
	SptPftraceClock clocks[SPT_PFTRACE_CLOCKS];
} SptPftraceSequence;

typedef struct {
	char *name;			/* "": it has none */
	uint32_t pid, tid;		/* 0: it is of no process, of no thread */
} SptPftraceTrack;

typedef struct {
	GHashTable *sequences;		/* id -> SptPftraceSequence */
	GHashTable *tracks;		/* uuid -> SptPftraceTrack */
	GHashTable *processes, *threads; /* id -> name */
	GHashTable *owners;		/* thread -> process */
	int64_t offset_ns[SPT_PFTRACE_CLOCKS];
	bool has_offset[SPT_PFTRACE_CLOCKS];
	uint64_t period_ns;		/* of samples of a clock; 0: of none */
	const char *unit;		/* of what samples count, for values.h */
} SptPftraceState;

void spt_pftrace_state_init(SptPftraceState *state);
void spt_pftrace_state_clear(SptPftraceState *state);
/* For another pass: forgets sequences and clocks. */
void spt_pftrace_state_rewind(SptPftraceState *state);
/*
 * The sequence of a packet, once its flags, defaults, clocks and descriptors are taken; NULL: there
 * are too many.
 */
SptPftraceSequence *spt_pftrace_state_take(SptPftraceState *state,
					   const SptPerfettoPacket *packet);
/* False: the packet has none that is known. */
bool spt_pftrace_state_time(const SptPftraceState *state, SptPftraceSequence *sequence,
			    const SptPerfettoPacket *packet, uint64_t *ret_ns);
/* Takes numbers of names, and of stacks, whose frames go to @stacks. */
void spt_pftrace_state_number(SptPftraceSequence *sequence, const SptPerfettoInterned *interned,
			      SptImportStacks *stacks);
/* @otherwise: there is no such number. */
const char *spt_pftrace_state_text(const SptPftraceSequence *sequence, unsigned kind, uint64_t iid,
				   const char *otherwise);

const SptPftraceTrack *spt_pftrace_state_track(const SptPftraceState *state, uint64_t uuid);
/* A thread of the capture.  @pid 0: it is looked for. */
uint32_t spt_pftrace_state_thread(const SptPftraceState *state, SptImportStacks *stacks,
				  uint32_t pid, uint32_t tid);
/* The name of a thread that has none so far. */
void spt_pftrace_state_name(SptPftraceState *state, uint32_t tid, const ProtobufCBinaryData *name);

G_END_DECLS

#endif

#endif

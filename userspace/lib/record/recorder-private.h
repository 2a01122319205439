/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder: recorder.c starts and ends it, intake.c takes records. */
#ifndef SPT_RECORDER_PRIVATE_H
#define SPT_RECORDER_PRIVATE_H

#include "base/clock.h"
#include "base/proc-files.h"
#include "process/spaces.h"
#include "process/tasks.h"
#include "record/cgroups.h"
#include "record/trace-contexts.h"
#include "record/ends.h"
#include "record/deferred-samples.h"
#include "record/table-upload.h"
#include "record/point-hits.h"
#include "record/maps.h"
#include "record/memory.h"
#include "record/event-pairs.h"
#include "record/output.h"
#include "record/recorder.h"
#include "record/table-prefetch.h"
#include "record/resident.h"
#include "record/scripts.h"
#include "record/stacks.h"
#include "record/stage.h"
#include "record/statements.h"
#include "record/thread-ids.h"
#include "record/self-limit.h"
#include "record/unwinding.h"
#include "record/waits.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* The account of a CPU's periods. */
struct cpu {
	uint64_t taken;			/* weight of the samples that came */
	uint64_t filtered;		/* part of it that was dropped, as requested */
	uint64_t filtered_later;	/* by samples that are not in the account below yet */
	uint64_t lost, delivered, budget;	/* from the last account */
	/* Time of the next account to be reported; UINT64_MAX: there is none. */
	uint64_t account_time;
	uint64_t put_time;		/* time of the last one */
	bool account_has_deferred;	/* it did not count samples that were deferred */
	bool has_news;			/* since its last account */
	uint32_t last_thread;		/* of a sample, in sampled_threads */
};

struct SptRecorder {
	SptTrace *trace;
	const SptTraceAbilities *abilities;	/* of @trace, as all up to @stages */
	unsigned n_cpus, n_sources;
	const SptTraceEvents *sources;	/* of events, by id */
	const SptOnce *once;		/* NULL: each stack comes as a whole */
	SptTraceConfig config;
	SptStages *stages;		/* the optional parts among those below */
	SptOutput *output;
	SptTasks *tasks;
	SptSpaces *spaces;
	SptProcFiles *proc_files;
	SptMaps *maps;			/* NULL: not requested */
	SptCgroups *cgroups;		/* likewise */
	SptStacks *stacks;
	SptCopies *copies;		/* these two NULL: raw stacks are not requested */
	SptUnwinding *unwinding;
	SptWaits *waits;		/* NULL: not requested */
	SptMemory *memory;		/* NULL: not requested */
	SptThreadIds *thread_ids;
	SptStatements *statements;
	GPtrArray *environment;		/* of the command; with the NULL at its end */
	char *node_options;		/* in it */
	SptResident *resident;		/* NULL: no process is known to be recorded */
	SptEventPairs *pairs;		/* with waits */
	SptHits *hits;			/* NULL: no points are requested */
	uint16_t *point_sources;		/* as in SptTraceConfig; or NULL */
	char *hits_notice;
	SptTables *tables;		/* of upload and unwinding */
	SptDeferred *deferred;		/* NULL: samples wait for unwind tables */
	SptTableUpload *upload;		/* NULL: tables are not given to the module */
	SptScripts *scripts;		/* NULL: frames of scripts are not looked for */
	SptContexts *contexts;		/* NULL: nothing is published with stacks */
	SptTablePrefetch *prefetch;	/* NULL: no program was announced */
	SptSelfLimit *self_limit;
	SptEnds *ends;			/* NULL: it is not known whether stacks are whole */
	unsigned stash_number;		/* number of the stash whose nodes @stacks has */
	GHashTable *mapped_by;		/* object id -> pid that mapped it last */
	GHashTable *sampled_threads;	/* set of thread ids */
	/* Mm ids, dropped one step later, since late records may still need them. */
	GArray *gone_spaces;
	struct cpu *cpus;
	unsigned snapshot_number;
	bool in_snapshot, needs_snapshot;
	bool has_seen;			/* facts of snapshots wait for their time */
	bool filters_pids, no_command_lines, script_loops;
	bool follows;			/* records wanted processes until they end */
	uint32_t command_pid;		/* 0: none */
	uint64_t command_begin_ns;	/* when it was let go; 0: before the recording */
	uint64_t late_ns;
	bool is_watched;
	uint64_t begin_ns;		/* before the source was started */
	bool is_realtime;		/* the thread that drives it has precedence */
	uint64_t start_ns, last_flush_ns, last_reported_ns, last_snapshot_ns;
	uint64_t flushing_ns;		/* how long the last flush took */
	SptRecorderStatus status;
	/* Error of a flush during a drain: no more records are taken. */
	GError *failure;
};

/* Called when the source was started, before the first record is taken. */
void spt_recorder_begin_intake(SptRecorder *recorder);
/* Takes one record; @data is the recorder. */
void spt_recorder_take(const struct sysprof_record *record, void *data);
/* A hit of one of the points. */
void spt_recorder_take_hit(SptRecorder *recorder, const SptTraceHit *hit);
/* The node of a stack in the output's stash. */
uint32_t spt_recorder_node(SptRecorder *recorder, const struct sysprof_sample *sample,
			   const SptThread *thread);
/* The stash that @recorder->stacks knows nodes of. */
static inline SptStash *spt_recorder_stash(SptRecorder *recorder)
{
	unsigned number;
	SptStash *stash = spt_output_stash(recorder->output, &number);

	if (number != recorder->stash_number)
		spt_stacks_forget(recorder->stacks);
	recorder->stash_number = number;
	return stash;
}

/* A stack whose outer frames have a number.  False: it has to be taken as a whole. */
static inline bool spt_recorder_node_by_outer(SptRecorder *recorder, const SptStackView *view,
					      const SptOuter *outer, const char *comm,
					      uint32_t *ret_node)
{
	if ((recorder->copies && spt_copies_asks(recorder->copies, comm)) ||
	    !spt_stacks_node_by_outer(recorder->stacks, spt_recorder_stash(recorder), view, outer,
				      ret_node))
		return false;
	/* It is at work for nobody. */
	if (recorder->contexts)
		spt_contexts_none(recorder->contexts);
	return true;
}

/*
 * Puts the samples that were deferred and whose tables are made now.  @all: also the others, for
 * which it waits a short time.
 */
void spt_recorder_take_deferred(SptRecorder *recorder, bool all);
/* At its first sample: reads its command line, its control group and its mappings. */
void spt_recorder_meet(SptRecorder *recorder, SptProcess *process);
/* Called when data of a process is recorded. */
static inline void spt_recorder_get_to_know(SptRecorder *recorder, SptProcess *process)
{
	if (!process->is_known)
		spt_recorder_meet(recorder, process);
}
/* Puts the account of a CPU at @time, unless a later one was put. */
void spt_recorder_put_account(SptRecorder *recorder, uint64_t time, unsigned cpu,
			      const struct sysprof_account *account);
/* Puts the objects with fixed ids that this recording may need (stacks.h). */
/* Notes the machine, and what is recorded. */
void spt_recorder_note_host(SptRecorder *recorder, const SptRecorderOptions *options);
void spt_recorder_put_fixed_objects(SptRecorder *recorder);
void spt_recorder_note_number(SptRecorder *recorder, const char *key, uint64_t value);

G_END_DECLS

#endif

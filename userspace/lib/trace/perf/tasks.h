/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which process image runs under which pid, for records that have only pids.  Each image gets an id
 * for its address space, as in the device's records.  A fork copies the parent's image; an exec
 * makes a new one.
 */
#ifndef SPT_PERF_TASKS_H
#define SPT_PERF_TASKS_H

#include "trace/trace.h"

G_BEGIN_DECLS

/* Gets the records that are made here. */
struct spt_perf_sink {
	SptTraceFunc func;
	void *data;
};

struct spt_perf_process {
	uint32_t pid;
	uint64_t mm;			/* 0: a kernel thread */
	uint64_t start_time;
	unsigned n_threads;		/* living ones */
	unsigned snapshot;		/* number of the latest snapshot that saw it */
	bool is_kthread;
	bool is_fresh;			/* it has exec'ed and not mapped anything yet */
	/* All its mappings were reported; of later ones there are records */
	bool has_maps;
	bool is_32bit;
	char name[SYSPROF_COMM_BYTES];
};

/* The thread that a record is about, and the record's time and CPU. */
struct spt_perf_who {
	uint64_t time;
	uint32_t cpu, pid, tid;
};

typedef struct SptPerfTasks SptPerfTasks;

SptPerfTasks *spt_perf_tasks_new(void);
void spt_perf_tasks_free(SptPerfTasks *tasks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfTasks, spt_perf_tasks_free)

/* The header of a record about @who. */
static inline struct sysprof_record spt_perf_record(unsigned type, unsigned flags, size_t bytes,
						    const struct spt_perf_who *who)
{
	return (struct sysprof_record){
		.type = (uint16_t)type,
		.flags = (uint16_t)flags,
		.size = (uint16_t)(bytes / 8),
		.cpu = (uint16_t)who->cpu,
		.time = who->time,
		.pid = who->pid,
		.tid = who->tid,
	};
}

/*
 * The process of @who.  If it is not known it is made, and nothing is known of its address space.
 */
struct spt_perf_process *spt_perf_tasks_get(SptPerfTasks *tasks, const struct spt_perf_who *who,
					    const struct spt_perf_sink *sink);
void spt_perf_tasks_fork(SptPerfTasks *tasks, const struct spt_perf_who *who, uint32_t parent_pid,
			 uint32_t parent_tid, const struct spt_perf_sink *sink);
void spt_perf_tasks_exec(SptPerfTasks *tasks, const struct spt_perf_who *who, const char *name,
			 const struct spt_perf_sink *sink);
void spt_perf_tasks_rename(SptPerfTasks *tasks, const struct spt_perf_who *who, const char *name,
			   const struct spt_perf_sink *sink);
/*
 * A task reports its exit long before it last runs.  The record is held back until flush_exits(),
 * or until the task's id is used again.
 */
void spt_perf_tasks_exit(SptPerfTasks *tasks, const struct spt_perf_who *who);
void spt_perf_tasks_flush_exits(SptPerfTasks *tasks, uint64_t before,
				const struct spt_perf_sink *sink);

/* Records were lost: of no process all mappings are known any more. */
void spt_perf_tasks_lose_maps(SptPerfTasks *tasks);

/* The name of a thread by the records so far; NULL: it is not known.  Valid until it changes. */
const char *spt_perf_tasks_name(SptPerfTasks *tasks, uint32_t tid);

/* A snapshot: begin, every thread of every process, end. */
void spt_perf_tasks_begin_snapshot(SptPerfTasks *tasks);
struct spt_perf_process *spt_perf_tasks_seen(SptPerfTasks *tasks, const struct spt_perf_who *who,
					     uint32_t parent_pid, uint64_t start_time,
					     bool is_kthread, const char *name,
					     const struct spt_perf_sink *sink);
/* The same for a process of which later records say more; nothing is reported.  NULL: unknown. */
struct spt_perf_process *spt_perf_tasks_lives(SptPerfTasks *tasks, uint32_t pid);
/* Processes that the snapshot did not see have exited, unless they are younger than @before. */
void spt_perf_tasks_end_snapshot(SptPerfTasks *tasks, uint64_t before);

G_END_DECLS

#endif

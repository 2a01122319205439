/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes and threads over time.  A process image lasts from a fork or exec to the next exec or
 * the exit.  Each image and each thread has an id of its own.  So a pid that is used twice, or a
 * program that replaces itself, is not mixed up.
 */
#ifndef SPT_TASKS_H
#define SPT_TASKS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
	uint32_t id;			/* from 1 */
	uint32_t pid, parent;		/* parent: id of an image; 0: not known */
	bool is_kthread;
	bool has_run;			/* for the owner: some of its code was sampled */
	/* For the owner: it had a sample, and its command line was requested. */
	bool is_known;
	/* For the owner: when its command line was read; 0: it could not be read. */
	uint64_t read_time;
	/* For filters: inherited by children and later images. */
	bool is_wanted;
	bool is_measured;		/* its resident memory is recorded; likewise inherited */
	uint64_t mm;
	uint64_t start_time, end_time;	/* end 0: it is alive */
	char *name;
	GQueue threads;			/* living ones, of SptThread */
} SptProcess;

typedef struct {
	uint32_t id;			/* from 1 */
	uint32_t tid;
	SptProcess *process;
	uint64_t start_time, end_time;
	char *name;
	/* From when it has the name; UINT64_MAX: no record said that name. */
	uint64_t name_time;
	/* Names that it had before, each with a line's end behind it; NULL: none. */
	char *former;
	GList link;			/* in process->threads */
} SptThread;

/* Called for each image and thread when it is made and whenever it has changed. */
typedef struct {
	void (*process)(const SptProcess *process, void *data);
	void (*thread)(const SptThread *thread, void *data);
	/* The last process of an address space has exited. */
	void (*space_gone)(uint64_t mm, void *data);
	void *data;
} SptTasksListener;

typedef struct SptTasks SptTasks;

SptTasks *spt_tasks_new(const SptTasksListener *listener);
void spt_tasks_free(SptTasks *tasks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTasks, spt_tasks_free)

/* The functions below take records about tasks. */
/*
 * A snapshot has this thread at @time, which is not before that of the last call.  If records were
 * lost, a known thread may have another image or name.  Those count once spt_tasks_pass() has
 * reached @time.
 */
void spt_tasks_seen(SptTasks *tasks, uint32_t pid, uint32_t tid, uint32_t parent_pid, uint64_t mm,
		    uint64_t start_time, uint64_t time, bool is_kthread, const char *name);
/* All records from before @time have been given.  False: no later facts wait for their time. */
bool spt_tasks_pass(SptTasks *tasks, uint64_t time);
void spt_tasks_fork(SptTasks *tasks, uint32_t pid, uint32_t tid, uint32_t parent_pid, uint64_t mm,
		    uint64_t start_time, bool is_kthread, const char *name);
void spt_tasks_exec(SptTasks *tasks, uint32_t pid, uint32_t old_tid, uint64_t mm, uint64_t time,
		    const char *name);
void spt_tasks_rename(SptTasks *tasks, uint32_t pid, uint32_t tid, uint64_t mm, uint64_t time,
		      const char *name);
void spt_tasks_exit(SptTasks *tasks, uint32_t pid, uint32_t tid, uint64_t time, bool is_last);

/*
 * The thread of a sample, made if it is not known.  A new @mm means that the process has another
 * image by now.
 */
const SptThread *spt_tasks_sampled(SptTasks *tasks, uint32_t pid, uint32_t tid, uint64_t mm,
				   uint64_t time);
/* The thread that has @tid now; NULL: none is known. */
const SptThread *spt_tasks_find(const SptTasks *tasks, uint32_t tid);
/* Marks the process @pid; false: there is none. */
bool spt_tasks_want(SptTasks *tasks, uint32_t pid);
/* The same for is_measured.  NULL: there is no such process. */
const SptProcess *spt_tasks_measure(SptTasks *tasks, uint32_t pid);
/* Whether a marked process is alive. */
bool spt_tasks_has_wanted(const SptTasks *tasks);
/* Whether a living process uses the address space.  The id may belong to a new one by now. */
bool spt_tasks_use_space(const SptTasks *tasks, uint64_t mm);

G_END_DECLS

#endif

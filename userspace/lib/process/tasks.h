/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes and threads over time.  A process image lives from a fork or exec to the next exec or
 * the exit; it and its threads have ids of their own, so that pids used twice and programs that
 * replace themselves stay apart.
 */
#ifndef SPT_TASKS_H
#define SPT_TASKS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
	uint32_t id;			/* from 1 */
	uint32_t pid, parent;		/* parent: id of an image, 0 if not known */
	bool is_kthread;
	bool has_run;			/* the owner's: some of its code was sampled */
	/* The owner's: it had a first sample, and was asked for its command line, */
	bool is_known;
	/* ... which was read at that time; 0: it was not to be had */
	uint64_t read_time;
	/* For who filters: inherited by children and later images */
	bool is_wanted;
	uint64_t mm;
	uint64_t start_time, end_time;	/* end 0: lives */
	char *name;
	GQueue threads;			/* of SptThread, those that live */
} SptProcess;

typedef struct {
	uint32_t id;			/* from 1 */
	uint32_t tid;
	SptProcess *process;
	uint64_t start_time, end_time;
	char *name;
	GList link;			/* in process->threads */
} SptThread;

/* Called for each image and thread when it is made and whenever something about it has changed. */
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

/* Records about tasks, by what they say. */
/*
 * What a snapshot says at @time, not less than the last one's.  Who is known may have another image
 * or name if records of that were lost: that counts from when spt_tasks_pass() has come to that
 * time.
 */
void spt_tasks_seen(SptTasks *tasks, uint32_t pid, uint32_t tid, uint32_t parent_pid, uint64_t mm,
		    uint64_t start_time, uint64_t time, bool is_kthread, const char *name);
/* All records from before @time have been taken. */
void spt_tasks_pass(SptTasks *tasks, uint64_t time);
void spt_tasks_fork(SptTasks *tasks, uint32_t pid, uint32_t tid, uint32_t parent_pid, uint64_t mm,
		    uint64_t start_time, bool is_kthread, const char *name);
void spt_tasks_exec(SptTasks *tasks, uint32_t pid, uint32_t old_tid, uint64_t mm, uint64_t time,
		    const char *name);
void spt_tasks_rename(SptTasks *tasks, uint32_t pid, uint32_t tid, uint64_t mm, uint64_t time,
		      const char *name);
void spt_tasks_exit(SptTasks *tasks, uint32_t pid, uint32_t tid, uint64_t time, bool is_last);

/*
 * The thread a sample is of, made if it is not known; a new @mm means that the process is another
 * image by now.
 */
const SptThread *spt_tasks_sampled(SptTasks *tasks, uint32_t pid, uint32_t tid, uint64_t mm,
				   uint64_t time);
/* The thread that has @tid now; NULL: none is known. */
const SptThread *spt_tasks_find(const SptTasks *tasks, uint32_t tid);
/* Marks the process @pid, if there is one. */
bool spt_tasks_want(SptTasks *tasks, uint32_t pid);
/* Whether one that is marked lives. */
bool spt_tasks_has_wanted(const SptTasks *tasks);
/*
 * Whether a process lives in the address space: its id may have been given to a new one
 * since.
 */
bool spt_tasks_use_space(const SptTasks *tasks, uint64_t mm);

G_END_DECLS

#endif

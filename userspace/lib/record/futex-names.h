/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is at the address of a futex that a thread waits for: a variable of a program or library is
 * a place in its file, which has a symbol; of all others the kind of memory and the address are
 * known.  Of an address that is in no mapping that could be read yet nothing is: a lock has one
 * name.
 */
#ifndef SPT_RECORD_FUTEX_NAMES_H
#define SPT_RECORD_FUTEX_NAMES_H

#include "base/proc-files.h"
#include "record/maps.h"

G_BEGIN_DECLS

typedef struct SptFutexNames SptFutexNames;

typedef struct {
	uint32_t object;		/* id; 0: no variable of a file */
	uint64_t offset;		/* in the file, as if it went on behind its end; else 0 */
	const char *name;		/* NULL with an object; valid as long as the names */
} SptFutexPlace;

/* @files outlives the names. */
SptFutexNames *spt_futex_names_new(SptProcFiles *files);
void spt_futex_names_free(SptFutexNames *names);
/*
 * The place of @address in process @pid; @maps knows the objects that files are (NULL: none).  May
 * wait for the process's maps, as SptProcFiles does.
 */
SptFutexPlace spt_futex_names_find(SptFutexNames *names, uint32_t pid, const SptMaps *maps,
				   uint64_t address);
/* The process has ended, or executes another program: nothing of what was mapped is so any more. */
void spt_futex_names_forget(SptFutexNames *names, uint32_t pid);

G_END_DECLS

#endif

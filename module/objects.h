/* SPDX-License-Identifier: GPL-2.0-only */
/* Ids of mapped files, and the records that name them. */
#ifndef _SYSPROF_OBJECTS_H
#define _SYSPROF_OBJECTS_H

#include <linux/types.h>

#include "program-quota.h"

struct file;
struct inode;
struct sysprof_object;
struct sysprof_rights;

/**
 * struct sysprof_object_users - what those above do as objects come and go; process context
 * @mark: sets the bit of each object that is mapped somewhere.  Ids are below 2^24
 * @hold: a file is about to be named; it is open until then.  Only while there are sessions
 * @named: an object has a new id
 * @keep: gives up the ids of all files whose bit is not set; NULL: of all files
 */
struct sysprof_object_users {
	void (*mark)(unsigned long *ids);
	void (*hold)(u32 id, struct file *file, const struct sysprof_rights *mapper);
	void (*named)(const struct sysprof_object *record);
	void (*keep)(const unsigned long *ids);
};

/* Process context, once. */
int sysprof_objects_init(const struct sysprof_object_users *users);
void sysprof_objects_exit(void);
/* Process context, before the hooks are armed: makes sure that get() finds memory. */
int sysprof_objects_prepare(void);

/*
 * The id of a file that process @pid (0: not known) has mapped.  If the file is new, @payer pays
 * for it, and a kernel thread names it and sends it to every session.  0 if there is no memory at
 * hand (sessions get a RESYNC once there is), or if @payer has used up its part.  In a task; does
 * not sleep or allocate.
 */
u32 sysprof_objects_get(struct file *file, u32 pid, sysprof_payer payer);
/*
 * The id of the file that an open @file reads, as programs map it, and who pays for it; 0 as above.
 * A file that is not mapped gets an id now, and @ret_payer is current's user, except on overlayfs:
 * there it has none.  Mapped again after it was written to it gets another id.  Process context,
 * hooks armed; does not sleep.  inode(): what identifies the file; may sleep.
 */
u32 sysprof_objects_of_file(struct file *file, const struct inode *inode,
			    sysprof_payer *ret_payer);
const struct inode *sysprof_objects_inode(const struct file *file);
/* Names the objects that have no name yet.  Process context. */
void sysprof_objects_flush(void);
/*
 * Puts OBJECT records of named objects with ids above @after into @buffer, as many as fit.  Returns
 * their bytes, and sets @last to the last id.  Process context, hooks armed.
 */
size_t sysprof_objects_fill(u32 after, void *buffer, size_t bytes, u32 *last);
/*
 * Calls @each for each named object and for the vdso.  Process context, hooks armed; @each may
 * sleep.
 */
void sysprof_objects_each(void (*each)(const struct sysprof_object *record, void *data),
			  void *data);
/*
 * mapper(): whether object @id is a file with a name; sets @pid to the process in which it was
 * first seen, or to 0.  id(): the id of the file @inode; 0 if it has none.  Process context, hooks
 * armed.
 */
bool sysprof_objects_mapper(u32 id, u32 *pid);
u32 sysprof_objects_id(const struct inode *inode);
/* Forgets all objects.  Process context, hooks not armed. */
void sysprof_objects_forget(void);

#endif /* _SYSPROF_OBJECTS_H */

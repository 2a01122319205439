/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The interface of /dev/sysprof-mark: how programs that mark (spt/mark.h) and recorders of any user
 * find each other.  What they share then is memory of the recorder's; the module hands out its
 * descriptor, and takes no part in marks.
 *
 * Anybody may open the node, from any namespace.  A descriptor that has made no RECORD is as good
 * as any other, and who asks is who calls: the effective user at that moment.
 *
 * Programs
 * --------
 * SYSPROF_MARK_BELL gives a descriptor of the bell of the caller's user: memory of
 * SYSPROF_MARK_BELL_BYTES that begins with struct sysprof_mark_bell, and that only the module can
 * write.  It outlives the descriptor of the node, and does not keep the module loaded.  When the
 * module is unloaded, nobody records, for good: a later module has other bells.  Each user has one
 * bell, and there are SYSPROF_MARK_USERS at a time; one that no process has mapped makes room for
 * the next.  Users within namespaces of a user have at most SYSPROF_MARK_NESTED of them.
 *
 * SYSPROF_MARK_JOIN takes the number of the recording that the bell has, as a value, and gives a
 * descriptor of the recorder's memory.  -EAGAIN: the recorder has not answered for this user yet;
 * ask again when the bell's @answers has changed.  -ENOENT: that recording is none of this user's.
 *
 * Recorders
 * ---------
 * SYSPROF_MARK_RECORD makes the descriptor that of a recorder, until it is closed: of its user's
 * programs, or of everybody's (-EPERM without CAP_PERFMON in the initial user namespace, which the
 * opener has to have, too).  There is one for each user and one for all (-EBUSY).  A user's own
 * comes first: that user's programs have a new recording when it begins and when it ends.
 *
 * The first JOIN of a user makes poll() readable.  SYSPROF_MARK_NEXT gives the next user who waits
 * for an answer (-EAGAIN: there is none), and SYSPROF_MARK_ANSWER answers for all programs of that
 * user: with memory that memfd_create() has made and that is sealed against shrinking, or with -1.
 * -ESRCH: nobody waits for it any more.  SYSPROF_MARK_COUNTS says for how many users it answered,
 * and how many had, or got, a recorder of their own.
 *
 *	asset                    actor         door                what closes it; its test
 *	-----                    -----         ----                ------------------------
 *	what others' programs    any user      RECORD              CAP_PERFMON, by caller and opener;
 *	say                                                        vm/marks-node
 *	that programs believe    any user      the bell            no file of it can be opened to be
 *	the bell                                                   written; vm/marks-node
 *	memory, recorders' time  any user      BELL, JOIN          a bell for each user; one request
 *	                                                           for each answer; vm/marks-node
 */
#ifndef _UAPI_SYSPROF_MARK_H
#define _UAPI_SYSPROF_MARK_H

#include "sysprof.h"

#define SYSPROF_MARK_USERS	256
#define SYSPROF_MARK_NESTED	32
/* A page; where pages have several sizes, the largest. */
#if defined(__x86_64__) || defined(__i386__)
#define SYSPROF_MARK_BELL_BYTES	4096
#else
#define SYSPROF_MARK_BELL_BYTES	65536
#endif

struct sysprof_mark_bell {
	__u32	ring;		/* the number of the recording; 0: nobody records; never 1 */
	__u32	answers;	/* changes when the recorder has answered */
};

enum sysprof_mark_scope {
	SYSPROF_MARK_OWN	= 0,	/* programs of the caller's effective user */
	SYSPROF_MARK_ALL	= 1,
};

struct sysprof_mark_record {
	__u32	size;		/* sizeof, by the caller; likewise below */
	__u32	scope;
};

struct sysprof_mark_request {
	__u32	size;
	/* The overflow user (65534): who has no number in the recorder's user namespace. */
	__u32	uid;
	/* Who asked first, in the recorder's pid namespace; 0: is not in there. */
	__u32	tgid;
	__u32	reserved;
	__u64	cookie;
};

struct sysprof_mark_answer {
	__u32	size;
	__s32	fd;		/* -1: this user is not recorded */
	__u64	cookie;
};

struct sysprof_mark_counts {
	__u32	size;
	__u32	answered;	/* users */
	__u32	others;		/* users who were somebody else's, for a while at least */
	__u32	reserved;
};

#define SYSPROF_MARK_BELL	_IO('P', 0x90)	/* no argument; gives a descriptor */
#define SYSPROF_MARK_JOIN	_IO('P', 0x91)	/* the bell's ring; gives a descriptor */
#define SYSPROF_MARK_RECORD	_IO('P', 0x92)
#define SYSPROF_MARK_NEXT	_IO('P', 0x93)
#define SYSPROF_MARK_ANSWER	_IO('P', 0x94)
#define SYSPROF_MARK_COUNTS	_IO('P', 0x95)

#endif /* _UAPI_SYSPROF_MARK_H */

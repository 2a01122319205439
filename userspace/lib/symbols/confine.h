/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes from a process whatever it does not need to read the files that it is handed, before it
 * reads the first: what takes it over then has nothing.
 */
#ifndef SPT_CONFINE_H
#define SPT_CONFINE_H

#include <glib.h>

G_BEGIN_DECLS

/* What was possible here; the kernel, an administrator or a container may refuse any of them. */
enum {
	SPT_CONFINE_LIMITS = 1 << 0,   /* of memory, processor time and descriptors */
	SPT_CONFINE_USER = 1 << 1,     /* no capabilities, and never root */
	SPT_CONFINE_NETWORK = 1 << 2,  /* a network namespace with nothing in it */
	SPT_CONFINE_ROOT = 1 << 3,     /* an empty root directory */
	SPT_CONFINE_LANDLOCK = 1 << 4, /* no right to any path */
	SPT_CONFINE_SYSCALLS = 1 << 5, /* a list of system calls */
	SPT_CONFINE_ALL = (1 << 6) - 1,
};

/*
 * For a process of one thread, for ever.  All descriptors but @keep and the standard ones are
 * closed.  Which of them hold now.
 */
unsigned spt_confine(int keep);
/* What one of them means, in English; NULL: it is none. */
const char *spt_confine_name(unsigned protection);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes from a process every right that it does not need for reading the files that it gets, before
 * it reads the first one.  An attacker who takes over the process then has nothing.
 */
#ifndef SPT_CONFINE_H
#define SPT_CONFINE_H

#include <glib.h>

G_BEGIN_DECLS

/* The protections.  The kernel, an administrator or a container may refuse any of them. */
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
 * Confines a process of one thread, for ever.  Closes all descriptors except @keep and the standard
 * ones.  Returns the protections that hold now.
 */
unsigned spt_confine(int keep);
/* A protection in words, in English; NULL: there is no such protection. */
const char *spt_confine_name(unsigned protection);

G_END_DECLS

#endif

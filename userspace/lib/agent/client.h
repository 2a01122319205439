/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a library that is loaded when the agent needs it: other commands would begin later
 * for it, and could not be installed without it.
 */
#ifndef SPT_AGENT_CLIENT_H
#define SPT_AGENT_CLIENT_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

typedef struct {
	const char *name;
	void *at;			/* the pointer to set */
} SptClientFunction;

/*
 * Loads the first of @names that is there, up to a NULL; the program keeps it.  False: none has all
 * @functions; a sentence.
 */
bool spt_client_load(const char *const *names, const SptClientFunction *functions, unsigned n,
		     GError **error);

G_END_DECLS

#endif

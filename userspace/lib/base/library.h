/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a library that is loaded when it is needed: commands without a use for it would
 * begin later for it, or could not be installed without it.
 */
#ifndef SPT_LIBRARY_H
#define SPT_LIBRARY_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

typedef struct {
	const char *name;
	void *at;			/* the pointer to set */
} SptLibraryFunction;

/*
 * Loads the first of @names that is there, up to a NULL; the program keeps it.  False: none has all
 * @functions.
 */
bool spt_library_load(const char *const *names, const SptLibraryFunction *functions, unsigned n);

G_END_DECLS

#endif

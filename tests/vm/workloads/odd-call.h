/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of functions of the C library with known results: each prints its name, and whether what it
 * did is right.  Those of programs with _FORTIFY_SOURCE are called by their own names.
 */
#ifndef ODD_CALL_H
#define ODD_CALL_H

#include <dlfcn.h>
#include <errno.h>

#include "odd.h"

static int n_wrong;

#define CALL(name, condition)                                                                      \
	do {                                                                                       \
		bool is_right_;                                                                    \
                                                                                                   \
		errno = 0;                                                                         \
		is_right_ = (condition);                                                           \
		n_wrong += !is_right_;                                                             \
		printf("%s: %s\n", #name, is_right_ ? "right" : "wrong");                          \
	} while (0)

#define IS(text, expected) (memcmp(text, expected, sizeof(expected) - 1) == 0)
/* A call that fails with this errno. */
#define FAILS(call, number) ((call) == -1 && errno == (number))

static inline void *find_function(const char *name)
{
	void *function = dlsym(RTLD_DEFAULT, name);

	if (!function)
		errx(1, "%s is not there", name);
	return function;
}

/* A function that no header declares. */
#define FORTIFIED(type, name, ...) ((type(*)(__VA_ARGS__))find_function(#name))

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns for names: '*' is any text, '?' any one byte.  "..." is any text, too, since names are
 * shown with that in place of arguments: "map<...>::at(...)".
 */
#ifndef SPT_GLOB_H
#define SPT_GLOB_H

#include <stdbool.h>

/* Whether @name is one, if no function is called so. */
bool spt_glob_is_pattern(const char *name);
/* Takes time in proportion to the product of the two lengths. */
bool spt_glob_match(const char *pattern, const char *text);

/* Whether @function has this name; its parameters, as C++ has them, need not be given. */
bool spt_glob_is_called(const char *function, const char *name);

#endif

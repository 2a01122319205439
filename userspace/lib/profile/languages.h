/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In which language each stack ends: what symbols/language.h says, and what stacks add to it. */
#ifndef SPT_LANGUAGES_H
#define SPT_LANGUAGES_H

#include "profile/profile.h"

G_BEGIN_DECLS

/* Says of functions of native objects which have Go's runtime that they are in Go. */
void spt_languages_find_go(SptFunction *functions, uint32_t n);
/*
 * The language of the stack that ends at @node.  Functions of the file of an interpreter count for
 * the script that called them.
 */
const char *spt_languages_of_node(const SptTreeNode *nodes, const SptFunction *functions,
				  uint32_t node);

/*
 * The weight below Python's interpreter, or in the file of that of another language, if no function
 * of a script has a name; *@ret_minor: of Python 3.x, 0: not known, or no Python.
 */
uint64_t spt_languages_find_scripts(const SptProfile *profile, const char **ret_language,
				    unsigned *ret_minor);
/*
 * What the recording says of interpreters that are not known, of those that have functions in
 * @profile; g_free() it.  NULL: nothing.
 */
char *spt_languages_unknown(const SptProfile *profile, const SptCapture *capture);
/* Whether an interpreter ran that compiles at run time: Node.js, or a virtual machine of Java. */
bool spt_languages_have_compiler(const SptProfile *profile);

#define SPT_LANGUAGE_PYTHON "Python"

G_END_DECLS

#endif

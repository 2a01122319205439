/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions over the functions on a stack: "foo and (malloc or free)", "not idle_*".
 *
 * A word means "a function of this name is on the stack"; '*' and '?' in it are wildcards (glob.h).
 * Names with blanks or parentheses, and the words and, or and not, are put into double quotes.
 * There nothing is a wildcard, and a backslash protects the next character.  "not" binds closest,
 * then "and", then "or".
 */
#ifndef SPT_WHERE_EXPRESSION_H
#define SPT_WHERE_EXPRESSION_H

#include "profile/profile.h"

G_BEGIN_DECLS

#define SPT_EXPRESSION_ERROR (spt_expression_error_quark())
GQuark spt_expression_error_quark(void);
enum {
	SPT_EXPRESSION_ERROR_SYNTAX,
	SPT_EXPRESSION_ERROR_TOO_LARGE,
};

#define SPT_EXPRESSION_MAX_NAMES 64

/* NULL with a sentence that says what is wrong, and where. */
SptExpression *spt_expression_parse(const char *text, GError **error);
void spt_expression_free(SptExpression *expression);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptExpression, spt_expression_free)

/*
 * For each of @n_nodes tree nodes: whether the expression holds for the path from the root to it.
 * Processes are not functions.  The caller frees it.
 */
bool *spt_expression_holds(const SptExpression *expression, const SptTreeNode *nodes,
			   uint32_t n_nodes, const SptFunction *functions, uint32_t n_functions);

/* @name in quotes, as one word of an expression that means exactly this function. */
char *spt_expression_quote(const char *name);

G_END_DECLS

#endif

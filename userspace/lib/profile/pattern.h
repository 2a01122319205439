/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns for functions: names, of which '|' separates several and '*' and '?' are wild (glob.h),
 * as in "malloc|free|std::*", or a regular expression between slashes, which may match any part of
 * a name, as in "/^g_.*_new$/".
 */
#ifndef SPT_PATTERN_H
#define SPT_PATTERN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptPattern SptPattern;

#define SPT_PATTERN_ERROR (spt_pattern_error_quark())
GQuark spt_pattern_error_quark(void);
enum { SPT_PATTERN_ERROR_SYNTAX };

/* NULL with a clause that says what is wrong. */
SptPattern *spt_pattern_new(const char *text, GError **error);
/* Exactly the functions of these names, in which nothing is special. */
SptPattern *spt_pattern_new_names(const char *const *names, uint32_t n);
void spt_pattern_free(SptPattern *pattern);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPattern, spt_pattern_free)

/* As it was given; of names NULL. */
const char *spt_pattern_text(const SptPattern *pattern);
/* A name without its parameters means the function with any. */
bool spt_pattern_matches(const SptPattern *pattern, const char *function);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules by which functions have categories (profile/categories.h): the preferences' file. */
#ifndef SPT_CATEGORY_RULES_H
#define SPT_CATEGORY_RULES_H

#include "profile/categories.h"

/*
 * Reads the file anew, in any thread.  NULL: none is named, or it has no rules that can be used,
 * which @error says.  Rules are valid until the program ends, and the same while the file is.
 */
const SptCategories *spt_category_rules_read(GError **error);

/* The path of the file, "" if there is none; the caller frees it. */
char *spt_category_rules_path(void);
/* Main thread only. */
void spt_category_rules_set_path(const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Documents and threads use rules for as long as they like.  People change theirs a few times in
 * the life of a program: all that were read are kept.
 */
#include "category-rules.h"

#include "state.h"

#define RULES "category-rules"

static GMutex lock;
static GHashTable *known;		/* the text of a file -> its SptCategories */

static const SptCategories *parse_once(const char *text, GError **error)
{
	SptCategories *categories;

	g_mutex_lock(&lock);
	if (!known)
		known = g_hash_table_new(g_str_hash, g_str_equal);
	categories = g_hash_table_lookup(known, text);
	if (!categories && (categories = spt_categories_parse(text, error)))
		g_hash_table_insert(known, g_strdup(text), categories);
	g_mutex_unlock(&lock);
	return categories;
}

const SptCategories *spt_category_rules_read(GError **error)
{
	g_autofree char *path = spt_category_rules_path(), *text = NULL;

	if (!*path || !g_file_get_contents(path, &text, NULL, error))
		return NULL;
	return parse_once(text, error);
}

char *spt_category_rules_path(void)
{
	return spt_state_get_text(RULES, "");
}

void spt_category_rules_set_path(const char *path)
{
	spt_state_set_text(RULES, path);
}

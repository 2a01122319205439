/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Editors differ in how they are given a line.  Those of a terminal have none here. */
#include "editor.h"

#include <glib/gi18n.h>
#include <inttypes.h>

/* What is before the number of the line; NULL: nothing. */
static const struct editor {
	const char *name, *before;
	bool is_alone;			/* the number is an argument of its own */
	bool joins;			/* FILE:LINE */
} editors[] = {
	{ "gnome-text-editor", "+", false, false },
	{ "gedit", "+", false, false },
	{ "xed", "+", false, false },
	{ "pluma", "+", false, false },
	{ "gvim", "+", false, false },
	{ "geany", "+", false, false },
	{ "emacs", "+", false, false },
	{ "emacsclient", "+", false, false },
	{ "kate", "-l", true, false },
	{ "kwrite", "-l", true, false },
	{ "mousepad", "-l", true, false },
	{ "code", "-g", false, true },
	{ "codium", "-g", false, true },
	{ "subl", NULL, false, true },
	{ "zed", NULL, false, true },
};

static const struct editor *find_editor(const char *program)
{
	g_autofree char *name = g_path_get_basename(program);

	for (unsigned i = 0; i < G_N_ELEMENTS(editors); i++)
		if (g_strcmp0(editors[i].name, name) == 0)
			return &editors[i];
	return NULL;
}

static void add_place(GPtrArray *words, const struct editor *editor, const char *path,
		      uint32_t line)
{
	if (editor->joins) {
		if (editor->before)
			g_ptr_array_add(words, g_strdup(editor->before));
		g_ptr_array_add(words, g_strdup_printf("%s:%" PRIu32, path, line));
		return;
	}
	if (editor->is_alone) {
		g_ptr_array_add(words, g_strdup(editor->before));
		g_ptr_array_add(words, g_strdup_printf("%" PRIu32, line));
	} else {
		g_ptr_array_add(words, g_strdup_printf("%s%" PRIu32, editor->before, line));
	}
	g_ptr_array_add(words, g_strdup(path));
}

/* The command that @variable asks for, or NULL: it is not set, or not known to have a window. */
static GPtrArray *find_command(const char *variable, const char *path, uint32_t line)
{
	const char *wanted = g_getenv(variable);
	g_auto(GStrv) asked = NULL;
	const struct editor *editor;
	GPtrArray *words;

	if (!wanted || !g_shell_parse_argv(wanted, NULL, &asked, NULL) ||
	    !(editor = find_editor(asked[0])))
		return NULL;
	words = g_ptr_array_new_with_free_func(g_free);
	for (char **word = asked; *word; word++)
		g_ptr_array_add(words, g_strdup(*word));
	add_place(words, editor, path, line);
	g_ptr_array_add(words, NULL);
	return words;
}

bool spt_editor_open(const char *path, uint32_t line, GError **error)
{
	static const char *const variables[] = { "VISUAL", "EDITOR" };
	g_autoptr(GAppInfo) desktop = NULL;
	g_autoptr(GFile) file = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(variables); i++) {
		g_autoptr(GPtrArray) words = find_command(variables[i], path, line);

		if (words)
			return g_spawn_async(NULL, (char **)words->pdata, NULL,
					     G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, error);
	}
	desktop = g_app_info_get_default_for_type("text/plain", FALSE);
	if (!desktop) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
				    _("There is no editor: set EDITOR to one with a window, as gedit"));
		return false;
	}
	file = g_file_new_for_path(path);
	return g_app_info_launch(desktop, &(GList){ .data = file }, NULL, error);
}

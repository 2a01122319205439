/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof [FILE...]: the viewer. */
#include <libintl.h>
#include <locale.h>

#include "application.h"
#include "base/words.h"

/* Not the program's name: another profiler's translations may have that. */
#define DOMAIN "sysprof-trace"

static const char *translate(const char *text)
{
	return gettext(text);
}

/* Those that were built beside the program, else the installed ones. */
static void find_translations(void)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *dir = g_path_get_dirname(self ? self : "");
	g_autofree char *beside = g_build_filename(dir, "locale", NULL);

	bindtextdomain(DOMAIN, g_file_test(beside, G_FILE_TEST_IS_DIR) ? beside : SPT_LOCALEDIR);
	bind_textdomain_codeset(DOMAIN, "UTF-8");
	textdomain(DOMAIN);
	spt_words_set_translation(translate);
}

int main(int argc, char **argv)
{
	g_autoptr(SptApplication) application = NULL;

	setlocale(LC_ALL, "");
	find_translations();
	application = spt_application_new();
	return g_application_run(G_APPLICATION(application), argc, argv);
}

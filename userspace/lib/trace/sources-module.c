// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel asks modprobe for the module, and learns no more than that this failed.  Here is what
 * modprobe goes by: the list of modules, and the files of modprobe.d.
 */
#include "trace/sources-module.h"

#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/words.h"
#include "trace/module-check.h"

/* Whether a line of modprobe.d is about the module: its name has either dash. */
static bool is_about_sources(const char *line)
{
	g_auto(GStrv) words = g_strsplit_set(line, " \t", 3);

	if (!words[0] || !words[1] ||
	    (strcmp(words[0], "blacklist") != 0 && strcmp(words[0], "install") != 0))
		return false;
	return strcmp(g_strdelimit(words[1], "_", '-'), SPT_SOURCES_MODULE) == 0;
}

static bool file_forbids(const char *path)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_str_has_suffix(path, ".conf") || !g_file_get_contents(path, &text, NULL, NULL))
		return false;
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++)
		if (is_about_sources(g_strstrip(*line)))
			return true;
	return false;
}

/* The file of modprobe.d that forbids the module, to be freed, or NULL. */
static char *find_ban(void)
{
	static const char *const dirs[] = { "/etc/modprobe.d", "/run/modprobe.d",
					    "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d",
					    "/lib/modprobe.d" };

	for (unsigned i = 0; i < G_N_ELEMENTS(dirs); i++) {
		g_autoptr(GDir) dir = g_dir_open(dirs[i], 0, NULL);
		const char *name;

		while (dir && (name = g_dir_read_name(dir))) {
			g_autofree char *path = g_build_filename(dirs[i], name, NULL);

			if (file_forbids(path))
				return g_steal_pointer(&path);
		}
	}
	return NULL;
}

char *spt_sources_module_why(char **ret_fix)
{
	g_autofree char *ban = find_ban(), *path = NULL;
	struct utsname name;

	if (ban) {
		*ret_fix = g_strdup_printf("if it is wanted, take the line that forbids it out of %s",
					   ban);
		return g_strdup_printf(spt_words("is forbidden by %s"), ban);
	}
	path = uname(&name) < 0 ? NULL : spt_module_find(name.release, SPT_SOURCES_MODULE ".ko");
	if (!path) {
		*ret_fix = g_strdup("install it as sysprof.ko was, from the same release");
		return g_strdup(spt_words("is not installed for this kernel"));
	}
	*ret_fix = g_strdup("sudo modprobe " SPT_SOURCES_MODULE " says why, or the kernel's log (dmesg)");
	return g_strdup(spt_words("could not be loaded"));
}

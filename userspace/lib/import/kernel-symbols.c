/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/kernel-symbols.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *spt_import_modules_state(const char *modules)
{
	enum { NAME, BYTES, USERS, DEPENDENTS, STATE, ADDRESS, FIELDS };
	g_auto(GStrv) lines = g_strsplit(modules, "\n", -1);
	GString *state = g_string_new(NULL);

	for (unsigned i = 0; lines[i]; i++) {
		g_auto(GStrv) fields = g_strsplit(lines[i], " ", FIELDS + 1);

		if (g_strv_length(fields) >= FIELDS)
			g_string_append_printf(state, "%s %s %s %s\n", fields[NAME], fields[BYTES],
					       fields[STATE], fields[ADDRESS]);
	}
	return g_string_free(state, FALSE);
}

/* Until it changes, so do no symbols; NULL: it is not known.  Kernels may have no modules. */
static char *kernel_state(void)
{
	g_autofree char *boot = NULL, *modules = NULL, *loaded = NULL;

	if (!g_file_get_contents("/proc/sys/kernel/random/boot_id", &boot, NULL, NULL))
		return NULL;
	g_file_get_contents("/proc/modules", &modules, NULL, NULL);
	loaded = spt_import_modules_state(modules ? modules : "");
	return g_strconcat(boot, loaded, "\n", NULL);
}

/* At the first line of symbols; -1: there are none of this state, or others could have written. */
static int open_kept(const char *path, const char *state)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	size_t bytes = strlen(state);
	g_autofree char *found = g_malloc(bytes);
	struct stat stat;

	if (fd < 0)
		return -1;
	if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_uid == geteuid() &&
	    !(stat.st_mode & (S_IRWXG | S_IRWXO)) && read(fd, found, bytes) == (ssize_t)bytes &&
	    memcmp(found, state, bytes) == 0)
		return fd;
	close(fd);
	return -1;
}

/*
 * "ffffffff81000000 T _stext": whether it is text, others are of no use here; and of the kernel or
 * a module: programs of BPF, trampolines and the like come and go in every state.
 */
static bool is_kept_line(const char *line)
{
	const char *blank = strchr(line, ' ');

	return blank && blank[1] && strchr("tTwW", blank[1]) && !strstr(blank, "\t[bpf]") &&
	       !strstr(blank, "\t[__builtin__");
}

static void keep_symbols(const char *path, const char *state, const char *symbols)
{
	g_autoptr(GString) text = g_string_new(state);
	g_autofree char *directory = g_path_get_dirname(path);
	FILE *file = fopen(symbols, "re");
	char *line = NULL;
	size_t room = 0;
	bool has_addresses = false;

	while (file && getline(&line, &room, file) > 0)
		if (is_kept_line(line)) {
			has_addresses |= strtoull(line, NULL, 16) != 0;
			g_string_append(text, line);
		}
	free(line);
	if (file)
		fclose(file);
	if (has_addresses && g_mkdir_with_parents(directory, 0700) == 0)
		g_file_set_contents_full(path, text->str, (gssize)text->len,
					 G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL);
}

int spt_import_kept_symbols(const char *kept, const char *state, const char *symbols)
{
	int fd = open_kept(kept, state);

	if (fd < 0) {
		keep_symbols(kept, state, symbols);
		fd = open_kept(kept, state);
	}
	return fd < 0 ? open(symbols, O_RDONLY | O_CLOEXEC) : fd;
}

int spt_import_kernel_symbols(void)
{
	static const char symbols[] = "/proc/kallsyms";
	g_autofree char *state = kernel_state(),
			*kept = g_build_filename(g_get_user_cache_dir(), "sysprof",
						 "kernel-symbols", NULL);

	return state ? spt_import_kept_symbols(kept, state, symbols) :
		       open(symbols, O_RDONLY | O_CLOEXEC);
}

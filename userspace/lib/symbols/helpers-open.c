/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files for a helper, which may have been taken over by the file that it reads.  Only regular
 * ELF files are opened, in the few places where debug information of that file may be, no matter
 * what the helper requests.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "object/regular.h"
#include "symbols/dwarf/debug-file.h"
#include "symbols/dwarf/elf-parts.h"
#include "symbols/helpers-private.h"

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	return n > 0 && !strncmp(path, dir, n) && (path[n] == '/' || !path[n]);
}

/*
 * Looks in the debug directories, the usual ones if @bytes is 0; or in a single one, which may be a
 * file.
 */
static bool is_in_dirs(const char *path, const char *dirs, uint32_t bytes)
{
	if (bytes == 0)
		for (const char *const *dir = spt_debug_dirs(NULL); *dir; dir++)
			if (is_below(path, *dir))
				return true;
	for (uint32_t at = 0; at < bytes; at += strlen(dirs + at) + 1)
		if (is_below(path, dirs + at))
			return true;
	return false;
}

/* In the places of .gnu_debuglink, dwz and packages of split units. */
static bool is_beside(const char *path, const char *of)
{
	g_autofree char *home = g_path_get_dirname(of), *dir = g_path_get_dirname(path);
	g_autofree char *hidden = g_build_filename(home, ".debug", NULL);

	return g_path_is_absolute(of) && (!strcmp(dir, home) || !strcmp(dir, hidden));
}

static bool reader_open_is_elf(int fd)
{
	char magic[4];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, "\177ELF", sizeof(magic));
}

int spt_helpers_open_for(const char *path, const char *of, const char *dirs, uint32_t dirs_bytes,
			 const char *fetched)
{
	int fd;

	if (!g_path_is_absolute(path) || strstr(path, "/../") || g_str_has_suffix(path, "/..") ||
	    !(is_in_dirs(path, dirs, dirs_bytes) || is_beside(path, of) ||
	      g_str_has_suffix(path, ".dwo") || (fetched && !strcmp(path, fetched)))) {
		errno = EACCES;
		return -1;
	}
	fd = spt_open_regular(path);
	if (fd < 0 || reader_open_is_elf(fd))
		return fd;
	close(fd);
	errno = EACCES;
	return -1;
}

bool spt_helper_send(int socket, const void *data, size_t bytes)
{
	for (size_t at = 0; at < bytes;) {
		ssize_t n = send(socket, (const char *)data + at, bytes - at, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

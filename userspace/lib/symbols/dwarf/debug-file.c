/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the symbols of a stripped file: a file of its build-id below the debug directories, or the
 * file that its .gnu_debuglink names.  A candidate counts only if it has the same build-id, or the
 * CRC in the link.
 */
#include "symbols/dwarf/debug-file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/dwarf/elf-parts.h"

#define LINK_MAX_BYTES 4096
/* Larger than any debug file; limits the time for the CRC of a sparse file. */
#define CRC_MAX_BYTES (8ull << 30)

const char *const *spt_debug_dirs(const char *const *given_dirs)
{
	static GStrv dirs;

	if (given_dirs)
		return given_dirs;
	if (g_once_init_enter(&dirs)) {
		const char *given = g_getenv("SYSPROF_DEBUG_DIRS");
		g_autofree char *list = g_strconcat(given ? given : "", given && *given ? ":" : "",
						    "/usr/lib/debug", NULL);

		g_once_init_leave(&dirs, g_strsplit(list, ":", -1));
	}
	return (const char *const *)dirs;
}

static bool debug_file_has_build_id(const SptObject *object, const uint8_t *id, size_t bytes)
{
	unsigned n;
	const uint8_t *its_id = spt_object_build_id(object, &n);

	return n == bytes && n > 0 && memcmp(its_id, id, n) == 0;
}

static bool same_build_id(const SptObject *a, const SptObject *b)
{
	unsigned n;
	const uint8_t *id = spt_object_build_id(a, &n);

	return debug_file_has_build_id(b, id, n);
}

/* DIR/.build-id/ab/cdef....debug; NULL: the build-id is too short. */
static char *path_of_id(const uint8_t *id, size_t n, const char *dir)
{
	GString *path = g_string_new(dir);

	if (n < 2)
		return g_string_free(path, TRUE);
	g_string_append_printf(path, "/.build-id/%02x/", id[0]);
	for (size_t i = 1; i < n; i++)
		g_string_append_printf(path, "%02x", id[i]);
	g_string_append(path, ".debug");
	return g_string_free(path, FALSE);
}

/* NULL: @object has no build-id. */
static char *build_id_path(const SptObject *object, const char *dir)
{
	unsigned n;
	const uint8_t *id = spt_object_build_id(object, &n);

	return path_of_id(id, n, dir);
}

/* DIR itself may be the file. */
static SptObject *open_by_build_id(const SptObject *object, const char *dir)
{
	g_autoptr(SptObject) itself = spt_object_open(dir, NULL);
	g_autofree char *path = build_id_path(object, dir);
	g_autoptr(SptObject) candidate = NULL;

	if (itself && same_build_id(object, itself))
		return g_steal_pointer(&itself);
	candidate = path ? spt_object_open(path, NULL) : NULL;
	return candidate && same_build_id(object, candidate) ? g_steal_pointer(&candidate) : NULL;
}

bool spt_debug_file_may_be_there(const SptObject *object, const char *const *debug_dirs)
{
	for (const char *const *dir = spt_debug_dirs(debug_dirs); *dir; dir++) {
		g_autofree char *path = build_id_path(object, *dir);

		if ((path && access(path, F_OK) == 0) || g_file_test(*dir, G_FILE_TEST_IS_REGULAR))
			return true;
	}
	return false;
}

/* CRC-32 (IEEE) of a whole file, as .gnu_debuglink uses it. */
static bool file_crc(int fd, uint32_t *ret_crc)
{
	uint32_t table[256], crc = ~0u;
	struct stat st;
	g_autofree uint8_t *buffer = g_malloc(1 << 16);
	ssize_t n;
	off_t at = 0;

	if (fstat(fd, &st) != 0 || (uint64_t)st.st_size > CRC_MAX_BYTES)
		return false;
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	while (at < st.st_size && (n = pread(fd, buffer, 1 << 16, at)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			crc = crc >> 8 ^ table[(crc ^ buffer[i]) & 0xff];
		at += n;
	}
	*ret_crc = ~crc;
	return at == st.st_size;
}

/* A file name without directories, padded to 4 bytes, then the CRC in the file's byte order. */
static char *read_link(const SptObject *object, uint32_t *ret_crc)
{
	const char *ident = elf_getident(spt_object_elf(object), NULL);
	GElf_Shdr shdr;
	Elf_Scn *scn = spt_elf_section(object, ".gnu_debuglink", &shdr);
	Elf_Data *data =
		scn && ident ? spt_object_section(object, scn, ELF_T_BYTE, LINK_MAX_BYTES) : NULL;
	size_t length = data ? strnlen(data->d_buf, data->d_size) : 0;
	const uint8_t *crc;

	if (length == 0 || (length / 4 + 1) * 4 + 4 > data->d_size ||
	    memchr(data->d_buf, '/', length))
		return NULL;
	crc = (const uint8_t *)data->d_buf + (length / 4 + 1) * 4;
	if (ident[EI_DATA] == ELFDATA2MSB)
		*ret_crc = (uint32_t)crc[0] << 24 | crc[1] << 16 | crc[2] << 8 | crc[3];
	else
		*ret_crc = (uint32_t)crc[3] << 24 | crc[2] << 16 | crc[1] << 8 | crc[0];
	return g_strndup(data->d_buf, length);
}

static SptObject *open_linked(const char *dir, const char *subdir, const char *name, uint32_t crc)
{
	g_autofree char *path = g_build_filename(dir, subdir, name, NULL);
	g_autoptr(SptObject) candidate = spt_object_open(path, NULL);
	uint32_t found;

	if (!candidate || !file_crc(spt_object_fd(candidate), &found) || found != crc)
		return NULL;
	return g_steal_pointer(&candidate);
}

SptObject *spt_debug_file_open(const SptObject *object, const char *const *debug_dirs)
{
	const char *const *dirs = spt_debug_dirs(debug_dirs);
	g_autofree char *home = g_path_get_dirname(spt_object_name(object));
	g_autofree char *link = NULL;
	SptObject *found = NULL;
	uint32_t crc = 0;

	for (const char *const *dir = dirs; !found && *dir; dir++)
		found = open_by_build_id(object, *dir);
	if (found || !(link = read_link(object, &crc)))
		return found;

	/* A link in bytes without a file names nothing beside them. */
	if (g_path_is_absolute(home)) {
		found = open_linked(home, "", link, crc);
		if (!found)
			found = open_linked(home, ".debug", link, crc);
		for (const char *const *dir = dirs; !found && *dir; dir++)
			found = open_linked(*dir, home, link, crc);
	}
	return found;
}

SptObject *spt_debug_alt_open(const SptObject *debug, const char *name, const uint8_t *id, size_t n,
			      const char *const *debug_dirs)
{
	g_autofree char *home = g_path_get_dirname(spt_object_name(debug));
	/* Bytes without a file have nothing beside them. */
	g_autofree char *named =
		g_path_is_absolute(name) || g_path_is_absolute(home) ?
			g_canonicalize_filename(name, g_path_is_absolute(home) ? home : "/") :
			NULL;
	g_autoptr(SptObject) found = named ? spt_object_open(named, NULL) : NULL;

	for (const char *const *dir = spt_debug_dirs(debug_dirs);
	     *dir && (!found || !debug_file_has_build_id(found, id, n)); dir++) {
		g_autofree char *path = path_of_id(id, n, *dir);

		g_clear_pointer(&found, spt_object_free);
		found = path ? spt_object_open(path, NULL) : NULL;
	}
	return found && debug_file_has_build_id(found, id, n) ? g_steal_pointer(&found) : NULL;
}

/* BASE.dwp and BASE.debug.dwp, if they are not there yet; a ".debug" of @base does not count. */
static void add_packages(GPtrArray *paths, const char *base)
{
	size_t n = strlen(base) - (g_str_has_suffix(base, ".debug") ? strlen(".debug") : 0);
	char *named[] = { g_strdup_printf("%.*s.dwp", (int)n, base),
			  g_strdup_printf("%.*s.debug.dwp", (int)n, base) };

	for (unsigned i = 0; i < G_N_ELEMENTS(named); i++)
		if (!g_path_is_absolute(named[i]) ||
		    g_ptr_array_find_with_equal_func(paths, named[i], g_str_equal, NULL))
			g_free(named[i]);
		else
			g_ptr_array_add(paths, named[i]);
}

char **spt_debug_packages(const SptObject *debug, const SptObject *image,
			  const char *const *debug_dirs)
{
	GPtrArray *paths = g_ptr_array_new();
	const char *name = spt_object_name(image);
	g_autofree char *home = g_path_get_dirname(name), *base = g_path_get_basename(name),
			*hidden = g_build_filename(home, ".debug", base, NULL);

	add_packages(paths, spt_object_name(debug));
	add_packages(paths, name);
	add_packages(paths, hidden);
	for (const char *const *dir = spt_debug_dirs(debug_dirs); *dir; dir++) {
		g_autofree char *below = g_build_filename(*dir, name, NULL),
				*by_id = build_id_path(image, *dir);

		if (by_id)
			add_packages(paths, by_id);
		if (g_path_is_absolute(name))
			add_packages(paths, below);
	}
	g_ptr_array_add(paths, NULL);
	return (char **)g_ptr_array_free(paths, FALSE);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path comes from an object, which may be hostile, and the file is shown.  So only regular
 * files of a limited size are read, and only if they have the name of a source or are in a
 * directory for sources.
 */
#include "annotate/source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "object/regular.h"

/* The longest sources that people compile are generated, and have some tens of megabytes. */
#define SOURCE_MAX_BYTES (64 << 20)
#define TAB_COLUMNS 8
/* Lines without code are shown up to this distance from lines with code. */
#define NEAR_LINES 4

static char *read_all(int fd, size_t bytes)
{
	char *content = g_malloc(bytes + 1);
	size_t at = 0;
	ssize_t n;

	while (at < bytes && (n = read(fd, content + at, bytes - at)) > 0)
		at += n;
	content[at] = '\0';
	return content;
}

/* Headers of a C++ library have names without a suffix. */
static bool is_like_source(const char *path)
{
	static const char *const ends[] = {
		"S",   "ada", "adb", "ads", "asm", "c",	  "c++", "cc",	"clj", "cpp", "cr",  "cs",
		"cu",  "cuh", "cxx", "d",   "dart", "def", "erl", "ex", "f",   "f03", "f08", "f77",
		"f90", "f95", "for", "fs",  "go",  "gen", "h",	 "h++", "hh",  "hpp", "hs",  "hxx",
		"i",   "ii",  "inc", "inl", "ipp", "java", "jl", "js",	"kt",  "l",   "ll",  "lua",
		"m",   "ml",  "mli", "mm",  "nim", "pas", "php", "pl",	"pm",  "pp",  "py",  "pyx",
		"rb",  "rs",  "s",   "scala", "sh", "sx", "swift", "tcc", "ts", "txx", "v", "vala",
		"vapi", "y",  "yy",  "zig",
	};
	static const char *const dirs[] = { "/usr/include/", "/usr/lib/", "/usr/src/",
					    "/usr/local/include/" };
	const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');

	for (unsigned i = 0; dot && i < G_N_ELEMENTS(ends); i++)
		if (!strcmp(dot + 1, ends[i]))
			return true;
	for (unsigned i = 0; i < G_N_ELEMENTS(dirs); i++)
		if (g_str_has_prefix(path, dirs[i]))
			return true;
	return false;
}

/* Links count as their targets. */
static int open_source(const char *path)
{
	g_autofree char *real = realpath(path, NULL);

	return real && is_like_source(real) ? spt_open_regular(real) : -1;
}

static bool try_path(SptAnnotatedFile *file, const char *path, uint64_t built_ns)
{
	int fd = open_source(path);
	struct stat st;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= SOURCE_MAX_BYTES) {
		file->content = read_all(fd, st.st_size);
		file->found = g_strdup(path);
		if (built_ns &&
		    (uint64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec > built_ns)
			file->problem = SPT_WORDS(
				"was changed after the program was built: its lines may differ");
	}
	close(fd);
	return file->found != NULL;
}

/*
 * "/build/x/src/a.c" is looked for as DIR/build/x/src/a.c, DIR/x/src/a.c, DIR/src/a.c and DIR/a.c.
 */
static bool try_below(SptAnnotatedFile *file, const char *dir, uint64_t built_ns)
{
	for (const char *end = file->path; end; end = strchr(end, '/')) {
		g_autofree char *path = NULL;

		end += strspn(end, "/");
		path = g_build_filename(dir, end, NULL);
		if (try_path(file, path, built_ns))
			return true;
	}
	return false;
}

void spt_source_read(SptAnnotatedFile *file, const char *const *dirs, uint64_t built_ns)
{
	/* A relative path would lead to any file. */
	if (g_path_is_absolute(file->path) && try_path(file, file->path, built_ns))
		return;
	for (; dirs && *dirs; dirs++) {
		if (try_below(file, *dirs, built_ns))
			return;
	}
	file->problem = SPT_WORDS("was not found");
}

void spt_source_cut_lines(SptAnnotatedFile *file)
{
	char *at = file->content;
	uint32_t number = 1;

	for (unsigned i = 0; at && i < file->lines->len; number++) {
		SptAnnotatedLine *line = &g_array_index(file->lines, SptAnnotatedLine, i);
		char *end = strchr(at, '\n');

		if (line->number == number) {
			line->text = at;
			i++;
		}
		if (end)
			end[end > at && end[-1] == '\r' ? -1 : 0] = '\0';
		at = end ? end + 1 : NULL;
	}
}

char *spt_annotated_line_text(const SptAnnotatedLine *line)
{
	g_autofree char *valid = g_utf8_make_valid(line->text ? line->text : "", -1);
	GString *wide = g_string_new(NULL);
	unsigned column = 0;

	for (const char *c = valid; *c; c = g_utf8_next_char(c)) {
		gunichar letter = g_utf8_get_char(c);

		do {
			g_string_append_unichar(wide, letter == '\t' ? ' ' : letter);
			column++;
		} while (letter == '\t' && column % TAB_COLUMNS != 0);
	}
	return g_string_free(wide, FALSE);
}

bool spt_annotated_file_shows(const SptAnnotatedFile *file, unsigned index)
{
	const SptAnnotatedLine *lines = (const SptAnnotatedLine *)file->lines->data;
	unsigned first = index > NEAR_LINES ? index - NEAR_LINES : 0,
		 end = MIN(index + NEAR_LINES + 1, file->lines->len);

	if (lines[index].has_code || lines[index].total)
		return true;
	for (unsigned i = first; i < end && lines[index].text; i++) {
		if (lines[i].has_code || lines[i].total)
			return true;
	}
	return false;
}

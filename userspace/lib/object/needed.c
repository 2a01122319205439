/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file is read in parts, which are checked here.  Whatever the file has in it, the worst case is
 * that a file is named that is not needed.
 */
#include "object/needed.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object/regular.h"

#define FILES_MAX   256
#define TEXT_MAX    4096
#define PART_MAX    (1u << 20)
#define CACHE_PATH  "/etc/ld.so.cache"
#define CACHE_MAGIC "glibc-ld.so.cache1.1"
#define CACHE_MAX   (16u << 20)
#define SCRIPTS_MAX 4			/* interpreters that are scripts */
/* For which machine a library of the cache is, of its flags. */
#define MACHINE_MASK 0xff00
#if defined(__aarch64__)
#define MACHINE 0x0a00
#else
#define MACHINE 0x0300
#endif

/* The loader's index of libraries: a header, entries, and their texts. */
struct cache_head {
	char magic[20];
	uint32_t n, text_bytes;
	uint32_t unused[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path;
	uint32_t unused[3];
};

struct search {
	GPtrArray *files;
	GHashTable *known;		/* set of paths that are in @files */
	GBytes *cache;			/* NULL: there is none */
};

/* To be freed; NULL: the file does not exist.  A 0 byte follows. */
static void *needed_take(int fd, uint64_t at, uint64_t bytes)
{
	char *data;

	if (bytes > PART_MAX || at > INT64_MAX - PART_MAX)
		return NULL;
	data = g_malloc0(bytes + 1);
	if (pread(fd, data, bytes, (off_t)at) != (ssize_t)bytes)
		g_clear_pointer(&data, g_free);
	return data;
}

static void needed_add(struct search *search, const char *path)
{
	if (search->files->len < FILES_MAX && !g_hash_table_contains(search->known, path)) {
		char *copy = g_strdup(path);

		g_ptr_array_add(search->files, copy);
		g_hash_table_add(search->known, copy);
	}
}

/* Looks a library up in the loader's index, which has those of 32 bits, too. */
static bool add_from_cache(struct search *search, const char *name)
{
	gsize bytes = 0;
	const char *data = search->cache ? g_bytes_get_data(search->cache, &bytes) : NULL;
	const struct cache_head *head = (const void *)data;
	const struct cache_entry *entries = (const void *)(head + 1);
	size_t before = search->files->len;

	if (bytes < sizeof(*head) || memcmp(head->magic, CACHE_MAGIC, sizeof(head->magic)) != 0)
		return false;
	for (uint32_t i = 0; i < head->n; i++) {
		if (sizeof(*head) + (i + 1) * sizeof(*entries) > bytes)
			break;
		if ((entries[i].flags & MACHINE_MASK) == MACHINE && entries[i].name < bytes &&
		    entries[i].path < bytes && strcmp(data + entries[i].name, name) == 0)
			needed_add(search, data + entries[i].path);
	}
	return search->files->len > before;
}

static bool needed_add_from(struct search *search, const char *dir, const char *name)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);

	if (access(path, R_OK) < 0)
		return false;
	needed_add(search, path);
	return true;
}

/* Expands paths such as "$ORIGIN/../lib:/opt/lib". */
static bool add_from_dirs(struct search *search, const char *dirs, const char *program,
			  const char *name)
{
	g_autofree char *origin = g_path_get_dirname(program);
	g_auto(GStrv) list = g_strsplit(dirs, ":", 0);

	for (unsigned i = 0; list[i]; i++) {
		g_autoptr(GString) dir = g_string_new(list[i]);

		g_string_replace(dir, "${ORIGIN}", origin, 0);
		g_string_replace(dir, "$ORIGIN", origin, 0);
		if (*dir->str && needed_add_from(search, dir->str, name))
			return true;
	}
	return false;
}

static void add_library(struct search *search, const char *dirs, const char *program,
			const char *name)
{
	static const char *const usual[] = { "/lib64", "/usr/lib64", "/lib", "/usr/lib" };

	if (strchr(name, '/')) {
		needed_add(search, name);
		return;
	}
	if (add_from_dirs(search, dirs, program, name) || add_from_cache(search, name))
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(usual); i++)
		if (needed_add_from(search, usual[i], name))
			return;
}

static bool to_offset(const Elf64_Phdr *segments, unsigned n, uint64_t address, uint64_t *ret)
{
	for (unsigned i = 0; i < n; i++) {
		if (segments[i].p_type != PT_LOAD || address < segments[i].p_vaddr ||
		    address - segments[i].p_vaddr >= segments[i].p_filesz)
			continue;
		*ret = segments[i].p_offset + (address - segments[i].p_vaddr);
		return true;
	}
	return false;
}

static const char *text_at(const char *texts, uint64_t bytes, uint64_t at)
{
	return at < bytes ? texts + at : "";
}

static void take_dynamic(struct search *search, const char *path, int fd,
			 const Elf64_Phdr *segments, unsigned n, const Elf64_Phdr *dynamic)
{
	g_autofree Elf64_Dyn *rows = needed_take(fd, dynamic->p_offset, dynamic->p_filesz);
	size_t n_rows = rows ? dynamic->p_filesz / sizeof(*rows) : 0;
	uint64_t texts_address = 0, texts_bytes = 0, texts_at = 0;
	g_autofree char *texts = NULL;
	const char *dirs = "";

	for (size_t i = 0; i < n_rows; i++) {
		if (rows[i].d_tag == DT_STRTAB)
			texts_address = rows[i].d_un.d_ptr;
		else if (rows[i].d_tag == DT_STRSZ)
			texts_bytes = rows[i].d_un.d_val;
	}
	if (!to_offset(segments, n, texts_address, &texts_at))
		return;
	texts = needed_take(fd, texts_at, texts_bytes);
	for (size_t i = 0; texts && i < n_rows; i++)
		if (rows[i].d_tag == DT_RUNPATH || (rows[i].d_tag == DT_RPATH && !*dirs))
			dirs = text_at(texts, texts_bytes, rows[i].d_un.d_val);
	for (size_t i = 0; texts && i < n_rows; i++)
		if (rows[i].d_tag == DT_NEEDED)
			add_library(search, dirs, path,
				    text_at(texts, texts_bytes, rows[i].d_un.d_val));
}

/* Opens the program at @path; false: it is no program of this kind of machine. */
static bool needed_take_file(struct search *search, const char *path, int fd)
{
	g_autofree Elf64_Ehdr *head = needed_take(fd, 0, sizeof(*head));
	g_autofree Elf64_Phdr *segments = NULL;

	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_phentsize != sizeof(*segments))
		return false;
	segments = needed_take(fd, head->e_phoff, (uint64_t)head->e_phnum * sizeof(*segments));
	for (unsigned i = 0; segments && i < head->e_phnum; i++) {
		const Elf64_Phdr *segment = &segments[i];
		g_autofree char *loader = NULL;

		if (segment->p_type == PT_DYNAMIC)
			take_dynamic(search, path, fd, segments, head->e_phnum, segment);
		else if (segment->p_type == PT_INTERP && segment->p_filesz < TEXT_MAX)
			loader = needed_take(fd, segment->p_offset, segment->p_filesz);
		if (loader && *loader == '/')
			needed_add(search, loader);
	}
	return true;
}

/*
 * The program that runs the script; NULL: it is not a script.  The program that env runs is looked
 * up as env does.
 */
static char *interpreter_of(int fd)
{
	char text[TEXT_MAX] = "";
	ssize_t bytes = pread(fd, text, sizeof(text) - 1, 0);
	g_auto(GStrv) words = NULL;
	unsigned at = 0;

	if (bytes < 2 || text[0] != '#' || text[1] != '!')
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	words = g_strsplit_set(g_strstrip(text + 2), " \t", 0);
	if (words[0] && g_str_has_suffix(words[0], "/env"))
		for (at = 1; words[at] && (!*words[at] || *words[at] == '-'); at++)
			;
	return words[at] ? g_find_program_in_path(words[at]) : NULL;
}

/* False: the file cannot be read, or is a script, whose interpreter is then *@program. */
static bool take_program(struct search *search, char **program)
{
	int fd = spt_open_regular(*program);
	g_autofree char *interpreter = NULL;
	bool is_program;

	if (fd < 0)
		return false;
	is_program = needed_take_file(search, *program, fd);
	if (!is_program)
		interpreter = interpreter_of(fd);
	close(fd);
	if (is_program)
		return true;
	g_free(*program);
	*program = g_steal_pointer(&interpreter);
	return false;
}

GPtrArray *spt_needed_files(const char *program)
{
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
	struct search search = { .files = found, .known = known };
	g_autofree char *cache = NULL, *path = g_strdup(program);
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
	gsize bytes = 0;

	if (g_file_get_contents(CACHE_PATH, &cache, &bytes, NULL) && bytes < CACHE_MAX)
		search.cache = g_bytes_new_take(g_steal_pointer(&cache), bytes + 1);
	for (unsigned i = 0; path && i < SCRIPTS_MAX; i++)
		if (take_program(&search, &path))
			break;
	if (path)
		g_ptr_array_add(files, g_strdup(path));
	/* The list grows meanwhile, by the needs of libraries. */
	for (unsigned i = 0; i < found->len; i++) {
		const char *name = g_ptr_array_index(found, i);
		int fd = spt_open_regular(name);

		if (fd < 0)
			continue;
		needed_take_file(&search, name, fd);
		close(fd);
		g_ptr_array_add(files, g_strdup(name));
	}
	g_clear_pointer(&search.cache, g_bytes_unref);
	return files;
}

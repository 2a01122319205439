/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds programs into which the loader puts no library of ours, before they are run in vain. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/words.h"
#include "record/memory.h"

#define LINE_BYTES 256
#define MOST_SEGMENTS 64
#define MOST_INTERPRETERS 4
#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

static bool memory_program_refuse(const char *program, const char *why, GError **error)
{
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "Cannot load a library into %s (--memory, --waits=calls): %s", program, spt_words(why));
	return false;
}

/* "#!INTERPRETER ...": the interpreter; else NULL. */
static char *memory_program_interpreter_of(const char *head, ssize_t bytes)
{
	g_autofree char *line = bytes > 2 ? g_strndup(head + 2, (gsize)bytes - 2) : NULL;

	if (!line || memcmp(head, "#!", 2) != 0)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	g_strstrip(line);
	line[strcspn(line, " \t")] = '\0';
	return g_steal_pointer(&line);
}

static bool is_dynamic(int fd, const Elf64_Ehdr *header)
{
	Elf64_Phdr segments[MOST_SEGMENTS];
	size_t n = MIN(header->e_phnum, MOST_SEGMENTS), bytes = n * sizeof(segments[0]);

	if (pread(fd, segments, bytes, (off_t)header->e_phoff) != (ssize_t)bytes)
		return false;
	for (size_t i = 0; i < n; i++)
		if (segments[i].p_type == PT_INTERP)
			return true;
	return false;
}

static bool memory_program_check(const char *program, int fd, const char *head, ssize_t bytes,
				 GError **error)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)head;
	struct stat stat;

	if (bytes < (ssize_t)sizeof(*header) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return true;
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != MACHINE)
		return memory_program_refuse(program,
					     SPT_WORDS("it is a program for another processor"),
					     error);
	if (!is_dynamic(fd, header))
		return memory_program_refuse(
			program, SPT_WORDS("it is linked statically, and loads no libraries"),
			error);
	if (fstat(fd, &stat) == 0 &&
	    ((stat.st_mode & S_ISUID && stat.st_uid != getuid()) ||
	     (stat.st_mode & S_ISGID && stat.st_gid != getgid()) ||
	     fgetxattr(fd, "security.capability", NULL, 0) > 0))
		return memory_program_refuse(
			program,
			SPT_WORDS(
				"it runs with other rights than yours, and then ignores your libraries"),
			error);
	return true;
}

static bool check_within(const char *program, unsigned depth, GError **error)
{
	union {
		char head[LINE_BYTES];
		Elf64_Ehdr header;
	} file = { 0 };
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	ssize_t bytes = fd < 0 ? 0 : read(fd, file.head, sizeof(file.head) - 1);
	g_autofree char *interpreter = memory_program_interpreter_of(file.head, bytes);
	bool ok = fd < 0 || memory_program_check(program, fd, file.head, bytes, error);

	if (fd >= 0)
		close(fd);
	if (ok && interpreter && depth < MOST_INTERPRETERS)
		return check_within(interpreter, depth + 1, error);
	return ok;
}

bool spt_memory_check_library(const char *path, GError **error)
{
	if (!path[strcspn(path, ": \t\n\v\f\r$")])
		return true;
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
		      "Cannot load a library into programs (--memory, --waits=calls): its path, %s, has a blank, a colon or a dollar sign, which LD_PRELOAD cannot have; install Sysprof elsewhere",
		      path);
	return false;
}

bool spt_memory_check_program(const char *program, GError **error)
{
	return check_within(program, 0, error);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-cli tables: makes unwind tables of the system's programs and libraries ahead of
 * recordings, and hands them to the module for all users.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cmd.h"
#include "object/trusted.h"
#include "record/tables.h"

#define LOOK_AGAIN_S 60
#define SHOW_EVERY_US (G_USEC_PER_SEC / 2)
#define DEPTH_MAX 32
#define MAPPINGS_MAX 4096		/* of one process that are looked at */

struct tables {
	SptTableCache *cache;
	SptHelpers *helpers;
	SptTrace *trace;		/* NULL: tables are kept, not handed over */
	GHashTable *seen;		/* files, as "device:inode:seconds" */
	/* root makes the tables: only of files that root alone could have written */
	bool is_for_all;
	unsigned n_files, n_refused, n_untrusted;
	uint64_t bytes;
	gint64 shown_us;		/* when the terminal last had the counts; 0: it has not */
	int problem;			/* size of the last table that was refused */
};

static const char *const usual_paths[] = {
	"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/local",
	"/opt",	    "/bin",	 "/sbin",    "/lib",	   "/lib64",
};

static bool cmd_tables_is_elf(int fd)
{
	char magic[4];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, "\177ELF", sizeof(magic));
}

static char *name_seen(const struct stat *stat)
{
	return g_strdup_printf("%llu:%llu:%lld", (unsigned long long)stat->st_dev,
			       (unsigned long long)stat->st_ino, (long long)stat->st_mtime);
}

static bool is_new(struct tables *tables, const struct stat *stat)
{
	return g_hash_table_add(tables->seen, name_seen(stat));
}

static bool is_seen(const struct tables *tables, const struct stat *stat)
{
	g_autofree char *name = name_seen(stat);

	return g_hash_table_contains(tables->seen, name);
}

static void cmd_tables_give(struct tables *tables, const SptObject *file,
			    const SptUnwindTable *table)
{
	int problem = spt_tables_give_all(tables->trace, file, table);

	if (problem == 0)
		return;
	tables->n_refused++;
	tables->problem = problem;
}

/* All files of a system take minutes. */
static void cmd_tables_show_progress(struct tables *tables)
{
	gint64 now_us = g_get_monotonic_time();
	g_autofree char *size = NULL;

	if (now_us - tables->shown_us < SHOW_EVERY_US || !isatty(STDERR_FILENO))
		return;
	size = spt_format_bytes(tables->bytes);
	tables->shown_us = now_us;
	fprintf(stderr, "\r%u unwind %s, %s so far ", tables->n_files,
		tables->n_files == 1 ? "table" : "tables", size);
}

/* The function takes over @fd. */
static void cmd_tables_take_file(struct tables *tables, int fd, const char *path)
{
	g_autoptr(SptUnwindTable) table = NULL;
	g_autoptr(SptObject) file = NULL;
	g_autoptr(GError) error = NULL;
	struct stat stat;

	if (fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode) || !is_new(tables, &stat) ||
	    !cmd_tables_is_elf(fd)) {
		close(fd);
		return;
	}
	file = spt_object_open_fd(fd, path, NULL);
	table = file ? spt_tables_make(tables->cache, tables->helpers, file, &error) : NULL;
	if (g_error_matches(error, SPT_UNWIND_ERROR, SPT_UNWIND_ERROR_UNREADABLE))
		spt_cli_complain("%s %s", path, error->message);
	if (!table)
		return;
	tables->n_files++;
	tables->bytes += g_bytes_get_size(spt_unwind_table_bytes(table));
	if (tables->trace)
		cmd_tables_give(tables, file, table);
	cmd_tables_show_progress(tables);
}

/*
 * A file, or all executable files and libraries below a directory.  Links are skipped: their
 * targets are found by themselves.
 */
static void take_path(struct tables *tables, const char *path, unsigned depth)
{
	const char *name;
	struct stat stat;
	GDir *dir;
	int fd;

	if (lstat(path, &stat) < 0)
		return;
	if (S_ISREG(stat.st_mode) && (stat.st_mode & 0111 || strstr(path, ".so"))) {
		fd = tables->is_for_all ?
			     spt_trusted_open(path) :
			     open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0)
			cmd_tables_take_file(tables, fd, path);
		else if (tables->is_for_all && errno == EPERM)
			tables->n_untrusted++;
		return;
	}
	dir = S_ISDIR(stat.st_mode) && depth < DEPTH_MAX ? g_dir_open(path, 0, NULL) : NULL;
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		take_path(tables, below, depth + 1);
	}
	if (dir)
		g_dir_close(dir);
}

/* The server of a FUSE file system decides what it says of a file, and may not answer. */
static bool is_fuse(unsigned device)
{
	g_autofree char *text = NULL,
			*wanted = g_strdup_printf(" %u:%u ", major(device), minor(device));
	const char *line, *end;

	if (!g_file_get_contents("/proc/self/mountinfo", &text, NULL, NULL))
		return true;
	for (line = text; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (memmem(line, end - line, wanted, strlen(wanted)) &&
		    memmem(line, end - line, " - fuse", strlen(" - fuse")))
			return true;
	}
	return false;
}

/*
 * The files that a process has mapped, if their paths lead us to the same files and root alone
 * could have written those.  A file system is not asked before it is known not to be a user's.
 */
static void take_mapping(struct tables *tables, const char *link)
{
	g_autofree char *path = NULL;
	struct stat opened, mapped = { 0 };
	struct statx found;
	int fd;

	if (statx(AT_FDCWD, link, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_BASIC_STATS,
		  &found) < 0 ||
	    !S_ISREG(found.stx_mode) || found.stx_uid != 0)
		return;
	mapped.st_dev = makedev(found.stx_dev_major, found.stx_dev_minor);
	mapped.st_ino = found.stx_ino;
	mapped.st_mtime = found.stx_mtime.tv_sec;
	if (is_seen(tables, &mapped) || is_fuse(mapped.st_dev))
		return;
	path = g_file_read_link(link, NULL);
	fd = path ? spt_trusted_open(path) : -1;
	if (fd < 0)
		return;
	if (fstat(fd, &opened) == 0 && spt_is_same_file(&opened, &mapped))
		cmd_tables_take_file(tables, fd, path);
	else
		close(fd);
}

/* Programs that run now, by the files that processes have mapped. */
static void take_running(struct tables *tables)
{
	GDir *proc = g_dir_open("/proc", 0, NULL);
	const char *pid, *range;

	while (proc && (pid = g_dir_read_name(proc))) {
		g_autofree char *path =
			g_ascii_isdigit(*pid) ? g_strdup_printf("/proc/%s/map_files", pid) : NULL;
		GDir *maps = path ? g_dir_open(path, 0, NULL) : NULL;

		for (unsigned i = 0;
		     maps && i < MAPPINGS_MAX && (range = g_dir_read_name(maps)); i++) {
			g_autofree char *link = g_build_filename(path, range, NULL);

			take_mapping(tables, link);
		}
		if (maps)
			g_dir_close(maps);
	}
	if (proc)
		g_dir_close(proc);
}

static void say_how_many(const struct tables *tables)
{
	g_autofree char *size = spt_format_bytes(tables->bytes);
	g_autofree char *own =
		g_build_filename(g_get_user_cache_dir(), "sysprof", "unwind", NULL);

	if (tables->shown_us)
		fputs("\r\033[K", stderr);
	printf("%u unwind %s, %s, in %s\n", tables->n_files,
	       tables->n_files == 1 ? "table" : "tables", size,
	       tables->is_for_all ? SPT_TABLE_CACHE_OF_SYSTEM : own);
	if (tables->n_untrusted)
		printf("%u %s skipped: others than root could have written them\n",
		       tables->n_untrusted, tables->n_untrusted == 1 ? "file was" : "files were");
	if (tables->n_refused)
		printf("%u of them the module did not take: %s\n", tables->n_refused,
		       tables->problem == ENOSPC ?
			       "they are more than its parameter table_limit_mib allows" :
		       tables->problem == ENODATA ? "the file has no build-id" :
						    g_strerror(tables->problem));
	spt_cli_flush();
}

/* Waits for a signal: the module drops the tables with the descriptor. */
static int serve(struct tables *tables)
{
	unsigned shown = UINT_MAX;
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	do {
		take_running(tables);
		if (tables->n_files != shown)
			say_how_many(tables);
		shown = tables->n_files;
	} while (sigtimedwait(&signals, NULL, &(struct timespec){ .tv_sec = LOOK_AGAIN_S }) < 0);
	return SPT_EXIT_OK;
}

static SptTableCache *open_cache(void)
{
	errno = 0;
	if (geteuid() != 0)
		return spt_table_cache_of_user();
	return g_mkdir_with_parents(SPT_TABLE_CACHE_OF_SYSTEM, 0755) < 0 ?
		       NULL :
		       spt_table_cache_of_system(SPT_TABLE_CACHE_OF_SYSTEM);
}

static int run_tables(int argc, char **argv)
{
	gboolean wants_serve = FALSE;
	const GOptionEntry entries[] = {
		{ "serve", 0, 0, G_OPTION_ARG_NONE, &wants_serve,
		  "Give the tables of all running programs to the module, for all users, until stopped",
		  NULL },
		{ 0 },
	};
	g_autoptr(SptTableCache) cache = NULL;
	g_autoptr(SptHelpers) helpers = spt_tables_helpers();
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(SptTrace) trace = NULL;
	g_autoptr(GError) error = NULL;
	struct tables tables = { .seen = seen, .helpers = helpers, .is_for_all = geteuid() == 0 };

	if (!spt_cli_parse(&cmd_tables, entries, &argc, &argv))
		return SPT_EXIT_USAGE;
	tables.cache = cache = open_cache();
	if (!cache) {
		spt_cli_complain("Cannot keep unwind tables in %s: %s",
				 geteuid() == 0 ? SPT_TABLE_CACHE_OF_SYSTEM :
						  "the user's cache directory",
				 errno ? g_strerror(errno) : "others could have written there");
		return SPT_EXIT_FAILURE;
	}
	if (wants_serve) {
		tables.trace = trace = spt_trace_open_source(SPT_TRACE_MODULE, &error);
		if (!trace || !spt_trace_has_tables(trace)) {
			spt_cli_complain(
				"%s",
				error ? error->message :
					"The loaded module takes no unwind tables; install one of this release");
			return SPT_EXIT_FAILURE;
		}
		return serve(&tables);
	}
	for (int i = 1; i < argc; i++) {
		g_autofree char *path = access(argv[i], R_OK) < 0 ? NULL : realpath(argv[i], NULL);

		if (!path) {
			spt_cli_complain("Cannot read %s: %s", argv[i], g_strerror(errno));
			return SPT_EXIT_FAILURE;
		}
		take_path(&tables, path, 0);
	}
	for (unsigned i = 0; argc == 1 && i < G_N_ELEMENTS(usual_paths); i++)
		take_path(&tables, usual_paths[i], 0);
	say_how_many(&tables);
	return SPT_EXIT_OK;
}

const struct spt_command cmd_tables = {
	.name = "tables",
	.usage = "[--serve] [PATH...]",
	.help = "Make unwind tables of programs and libraries ahead of recordings",
	.run = run_tables,
};

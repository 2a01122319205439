/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Anybody may be able to write the files: no links are followed, the file must be the program's
 * own, and reading is bounded.
 */
#include "record/jit.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbols/jit-code.h"

/* Limits of memory: for all programs, for one of them, and for one read. */
#define BUDGET_BYTES (128ull << 20)
#define PROCESS_BYTES (32ull << 20)
#define AT_ONCE_BYTES (4ull << 20)
#define PROCESS_AT_ONCE_BYTES (1ull << 20)
#define PROCESSES_MAX 1024		/* held open at a time */
/* How often to look for the files of a program that has none: most programs never have them. */
#define LOOK_NS 100000000ull
/* The bits of an offset that hold the generation, above the size of any region. */
#define GENERATION_SHIFT 48
#define GENERATIONS_MAX UINT16_MAX

struct source {
	int fd;				/* -1: not there, or read to its end */
	uint64_t at;
};

struct process {
	uint32_t pid, own_pid;		/* own: in its own namespace */
	uid_t uids[2];			/* real and effective */
	int pidfd, root;		/* -1: the process has exited */
	struct source map, dump;
	SptJitCode *code;
	GArray *wanted;			/* struct place */
	uint64_t budget;
	uint64_t looked_ns;		/* time of the next search for files, while it had none */
	bool has_news;
};

struct region {
	struct process *process;
	uint64_t start;			/* of its offset 0, modulo 2^64 */
};

struct place {
	uint32_t object, generation;
	uint64_t offset, address;
};

struct SptJit {
	struct spt_jit_head head;
	GHashTable *processes;		/* pid -> struct process, the latest */
	GPtrArray *all;			/* struct process */
	GHashTable *regions;		/* object -> struct region */
	uint64_t budget, since_ns;
	unsigned n_held;
	unsigned next;			/* in all: the process that is read first the next time */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void jit_process_free(void *data)
{
	struct process *process = data;

	close_fd(&process->pidfd);
	close_fd(&process->root);
	close_fd(&process->map.fd);
	close_fd(&process->dump.fd);
	spt_jit_code_free(process->code);
	g_array_unref(process->wanted);
	g_free(process);
}

static uint64_t jit_now_ns(void)
{
	return (uint64_t)g_get_monotonic_time() * 1000;
}

SptJit *spt_jit_new(void)
{
	SptJit *jit = g_new0(SptJit, 1);

	jit->processes = g_hash_table_new(NULL, NULL);
	jit->all = g_ptr_array_new_with_free_func(jit_process_free);
	jit->regions = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	jit->budget = BUDGET_BYTES;
	jit->since_ns = jit_now_ns();
	return jit;
}

void spt_jit_free(SptJit *jit)
{
	if (!jit)
		return;
	g_hash_table_unref(jit->regions);
	g_hash_table_unref(jit->processes);
	g_ptr_array_unref(jit->all);
	g_free(jit);
}

/* Processes. */

static bool jit_is_gone(const struct process *process)
{
	struct pollfd end = { .fd = process->pidfd, .events = POLLIN };

	return process->pidfd < 0 || poll(&end, 1, 0) != 0;
}

/* The ids in /proc/PID/status: of the innermost namespace, and of the users. */
static bool read_ids(struct process *process)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/status", process->pid), *text = NULL;
	const char *ids, *users, *at;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return false;
	ids = strstr(text, "\nNSpid:");
	users = strstr(text, "\nUid:");
	if (!ids || !users ||
	    sscanf(users, "\nUid: %u %u", &process->uids[0], &process->uids[1]) != 2)
		return false;
	for (at = ids + 1; *at && *at != '\n'; at++)
		if (*at == '\t' && g_ascii_isdigit(at[1]))
			process->own_pid = strtoul(at + 1, NULL, 10);
	return process->own_pid != 0;
}

/* The living process; NULL if it has exited, or is closed to this user. */
static struct process *get_process(SptJit *jit, uint32_t pid)
{
	struct process *process = g_hash_table_lookup(jit->processes, GUINT_TO_POINTER(pid));
	g_autofree char *root = g_strdup_printf("/proc/%u/root", pid);

	if (process && !jit_is_gone(process))
		return process;
	if (!pid || jit->n_held >= PROCESSES_MAX)
		return NULL;
	process = g_new0(struct process, 1);
	process->pid = pid;
	process->map.fd = process->dump.fd = process->root = -1;
	process->code = spt_jit_code_new(jit->since_ns);
	process->wanted = g_array_new(FALSE, FALSE, sizeof(struct place));
	process->budget = PROCESS_BYTES;
	process->pidfd = syscall(SYS_pidfd_open, pid, 0);
	if (process->pidfd >= 0 && read_ids(process))
		process->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process->root < 0) {
		jit_process_free(process);
		return NULL;
	}
	g_ptr_array_add(jit->all, process);
	g_hash_table_insert(jit->processes, GUINT_TO_POINTER(pid), process);
	jit->n_held++;
	return process;
}

/* Files. */

/*
 * Takes over @fd; -1 unless it is a file of the program's own user.  A file of root's is refused,
 * too: the program chooses the file at a path, and may have put another file there in its own mount
 * namespace.
 */
static int own_file(const struct process *process, int fd)
{
	struct stat stat;

	if (fd >= 0 && fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) &&
	    (stat.st_uid == process->uids[0] || stat.st_uid == process->uids[1]))
		return fd;
	close_fd(&fd);
	return -1;
}

static int open_in_root(const struct process *process, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return process->root < 0 ? -1 :
				   own_file(process, syscall(SYS_openat2, process->root, path, &how,
							     sizeof(how)));
}

static void open_map(struct process *process)
{
	char path[48];

	if (process->map.fd >= 0)
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", process->own_pid);
	process->map.fd = open_in_root(process, path);
}

void spt_jit_region(SptJit *jit, SptTrace *trace, uint32_t object, uint32_t pid)
{
	struct process *process = get_process(jit, pid);
	struct region *region;
	uint64_t start;

	if (!process || g_hash_table_contains(jit->regions, GUINT_TO_POINTER(object)) ||
	    !spt_trace_region_start(trace, object, &start))
		return;
	open_map(process);
	region = g_new(struct region, 1);
	*region = (struct region){ .process = process, .start = start };
	g_hash_table_insert(jit->regions, GUINT_TO_POINTER(object), region);
}

void spt_jit_file(SptJit *jit, SptTrace *trace, const SptObjectRow *row, uint32_t pid)
{
	const char *name = strrchr(row->path, '/');
	struct process *process;
	int end = 0, fd;

	if (!name || sscanf(name, "/jit-%*u.dump%n", &end) != 0 || !end || name[end])
		return;
	process = get_process(jit, pid);
	if (!process || process->dump.fd >= 0)
		return;
	fd = own_file(process, spt_trace_map_fd(trace, row->id));
	process->dump.fd = fd >= 0 ? fd : open_in_root(process, row->path);
}

/*
 * Takes at most @most of the budgets; returns the amount that it took.  When a program ends, its
 * files are read to their end, however many rounds that takes.
 */
static uint64_t jit_read_on(SptJit *jit, struct process *process, uint64_t most)
{
	uint64_t given = MIN(MIN(jit->budget, process->budget), most), left = given;
	bool was_gone = jit_is_gone(process);

	open_map(process);
	if (process->map.fd >= 0)
		process->has_news |= spt_jit_read_map(process->code, process->map.fd, jit_now_ns(),
						      &process->map.at, &left);
	if (process->dump.fd >= 0)
		process->has_news |= spt_jit_read_dump(process->code, process->dump.fd,
						       &process->dump.at, &left);
	process->budget -= given - left;
	jit->budget -= given - left;
	jit->head.has_replaced |= spt_jit_code_epoch(process->code, UINT64_MAX) > 0;
	if (!was_gone || (!left && process->budget && jit->budget))
		return given - left;
	/* The file was read to its end. */
	close_fd(&process->map.fd);
	close_fd(&process->dump.fd);
	close_fd(&process->root);
	close_fd(&process->pidfd);
	jit->n_held--;
	return given - left;
}

/*
 * Whether it is time to see if the program has files now.  If it has ended by then they are still
 * there, below its root, which is held.
 */
static bool jit_is_due(struct process *process, uint64_t now)
{
	if (process->map.fd >= 0 || process->dump.fd >= 0)
		return true;
	if (process->looked_ns && now - process->looked_ns < LOOK_NS)
		return false;
	process->looked_ns = now;
	return true;
}

/*
 * @most for all of them and @process_most for each; a process that got nothing is the first the
 * next time.  @is_last: there is no next time.
 */
static void jit_read_all(SptJit *jit, uint64_t most, uint64_t process_most, bool is_last)
{
	uint64_t now = jit_now_ns();
	unsigned n = jit->all->len, first = n ? jit->next % n : 0;

	for (unsigned i = 0; i < n && most; i++) {
		struct process *process = g_ptr_array_index(jit->all, (first + i) % n);

		if (process->pidfd >= 0 && (jit_is_due(process, now) || is_last))
			most -= jit_read_on(jit, process, MIN(most, process_most));
		jit->next = first + i + 1;
	}
}

void spt_jit_keep(SptJit *jit)
{
	jit_read_all(jit, AT_ONCE_BYTES, PROCESS_AT_ONCE_BYTES, false);
}

uint32_t spt_jit_epoch_of(const SptJit *jit, uint32_t pid, uint64_t time_ns)
{
	const struct process *process = g_hash_table_lookup(jit->processes, GUINT_TO_POINTER(pid));

	return process ? spt_jit_code_epoch(process->code, time_ns) : 0;
}

uint64_t spt_jit_offset(const SptJit *jit, uint32_t object, uint64_t offset, uint64_t time_ns)
{
	const struct region *region = g_hash_table_lookup(jit->regions, GUINT_TO_POINTER(object));
	uint64_t generation;

	if (!region || offset >> GENERATION_SHIFT)
		return offset;
	generation =
		spt_jit_code_generation(region->process->code, region->start + offset, time_ns);
	return offset | MIN(generation, GENERATIONS_MAX) << GENERATION_SHIFT;
}

/* Names. */

void spt_jit_want(SptJit *jit, uint32_t object, uint64_t offset)
{
	const struct region *region = g_hash_table_lookup(jit->regions, GUINT_TO_POINTER(object));
	struct place place = { .object = object, .offset = offset };

	if (!region)
		return;
	place.address = region->start + (offset & ((1ull << GENERATION_SHIFT) - 1));
	place.generation = (uint32_t)(offset >> GENERATION_SHIFT);
	g_array_append_val(region->process->wanted, place);
	region->process->has_news = true;
}

static void name_wanted(struct process *process, SptSink *to)
{
	unsigned n_left = 0;

	for (unsigned i = 0; i < process->wanted->len; i++) {
		const struct place *place = &g_array_index(process->wanted, struct place, i);
		SptNameRow row = { .object = place->object, .offset = place->offset, .module = "" };
		SptJitFunction function;

		/* Later records may still refer to it. */
		if (!spt_jit_code_find_generation(process->code, place->address, place->generation,
						  &function)) {
			g_array_index(process->wanted, struct place, n_left++) = *place;
			continue;
		}
		/* The row names only this address: the code beside it may be different by then. */
		row.symbol = function.name;
		row.distance = place->address - function.start;
		if (*function.name)
			spt_sink_put(to, SPT_ROW_NAME, &row);
	}
	g_array_set_size(process->wanted, n_left);
}

void spt_jit_flush(SptJit *jit, bool last, SptSink *to)
{
	if (last)
		jit_read_all(jit, BUDGET_BYTES, PROCESS_BYTES, true);
	else
		spt_jit_keep(jit);
	for (unsigned i = 0; i < jit->all->len; i++) {
		struct process *process = g_ptr_array_index(jit->all, i);

		if (process->has_news)
			name_wanted(process, to);
		process->has_news = false;
	}
}

void spt_jit_forget(SptJit *jit)
{
	for (unsigned i = 0; i < jit->all->len; i++) {
		struct process *process = g_ptr_array_index(jit->all, i);

		g_array_set_size(process->wanted, 0);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that wait for a recorder with memory of their own (rings/layout.h).  A recorder finds
 * that by the descriptor that the program keeps of it, so it takes no more than the right to look
 * into the program's /proc: nothing is stopped, written or run there.
 *
 * Who has made the file is not trusted.  Its descriptor may be of anything, with any name: so it is
 * opened for writing only once it is known to be memory that nobody can make shorter.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/words.h"
#include "record/memory-private.h"
#include "record/namespace.h"

/* How long threads get, all in all, for events that they are writing. */
#define BUSY_STEPS   50u
#define BUSY_STEP_US 1000
/* More ancestors than a process has. */
#define MOST_ANCESTORS 256

static int reopen(int fd, int flags)
{
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);

	return open(path, flags | O_CLOEXEC);
}

/* Memory of huge pages can be sealed, too.  Where there is none left, a look at it kills. */
static bool is_of_small_pages(int fd)
{
	struct statfs statfs_of;

	return fstatfs(fd, &statfs_of) == 0 && statfs_of.f_type == TMPFS_MAGIC;
}

static bool is_sealed(int fd)
{
	int readable = reopen(fd, O_RDONLY), seals = -1;
	struct stat stat_of;

	if (readable >= 0)
		seals = fcntl(readable, F_GET_SEALS);
	if (readable >= 0)
		close(readable);
	return seals >= 0 && (seals & SPT_RINGS_WAIT_SEALS) == SPT_RINGS_WAIT_SEALS &&
	       fstat(fd, &stat_of) == 0 && (uint64_t)stat_of.st_size == spt_rings_bytes();
}

/* The file behind an entry of the directory of descriptors; -1: it is none to record in. */
static int open_waiting(int directory, const char *name)
{
	static const char wanted[] = "/memfd:" SPT_RINGS_WAITING;
	char text[sizeof(wanted)] = { 0 };
	struct stat stat_of;
	int fd, ret = -1;

	if (readlinkat(directory, name, text, sizeof(text) - 1) < 0 || strcmp(text, wanted) != 0)
		return -1;
	/* To open a device or a pipe would do something to it. */
	fd = openat(directory, name, O_PATH | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &stat_of) == 0 && S_ISREG(stat_of.st_mode) &&
	    is_of_small_pages(fd) && is_sealed(fd))
		ret = reopen(fd, O_RDWR);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int find_waiting(uint32_t pid, GError **error)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/fd", pid);
	DIR *directory = opendir(path);
	const struct dirent *entry;
	int fd = -1, failure = errno;

	while (directory && fd < 0 && (entry = readdir(directory)))
		fd = open_waiting(dirfd(directory), entry->d_name);
	if (directory)
		closedir(directory);
	if (fd >= 0)
		return fd;
	if (!directory && failure == ENOENT)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "There is no process %u to record", pid);
	else if (!directory)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_PERMISSION,
			      "Cannot look for the memory in which process %u would report (--memory with --pid): %s; run the recorder as its user, or as root",
			      pid, g_strerror(failure));
	else
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Process %u does not wait for a recorder of its memory: start it with LD_PRELOAD=libspt-memory.so and SPT_RINGS=wait in its environment",
			      pid);
	return -1;
}

/* Frees what an earlier recording has left.  A thread sees that at its next event. */
static void take_slot(SptMemory *memory, uint32_t i, unsigned *steps)
{
	struct spt_ring_slot *slot = spt_rings_slot(memory->rings, i);
	off_t at = (char *)spt_rings_words(memory->rings, i) - (char *)memory->rings;

	if (!__atomic_load_n(&slot->owner, __ATOMIC_RELAXED))
		return;
	/* Pairs with has_slot() in preload/event.c, as the look below does. */
	__atomic_fetch_or(&slot->owner, SPT_SLOT_REVOKED, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	while (__atomic_load_n(&slot->is_busy, __ATOMIC_SEQ_CST)) {
		/* It does not come back, or was killed: the slot is not used any more. */
		if (!(*steps)--) {
			*steps = 0;
			__atomic_store_n(&slot->is_ready, 0, __ATOMIC_RELAXED);
			return;
		}
		g_usleep(BUSY_STEP_US);
	}
	if (fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
		      SPT_RING_WORDS * 8) < 0)
		errno = 0;
	__atomic_store_n(&slot->tail, __atomic_load_n(&slot->head, __ATOMIC_RELAXED),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&slot->is_ready, 0, __ATOMIC_RELAXED);
	/* Pairs with the acquire by which a thread claims it. */
	__atomic_store_n(&slot->owner, SPT_SLOT_FREE, __ATOMIC_RELEASE);
}

bool spt_memory_attach(SptMemory *memory, GError **error)
{
	struct spt_rings_header *header;
	unsigned steps = BUSY_STEPS;
	void *at;

	memory->fd = find_waiting(memory->attached_pid, error);
	if (memory->fd < 0)
		return false;
	if (flock(memory->fd, LOCK_EX | LOCK_NB) < 0) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Another recording of the memory of process %u is under way",
			      memory->attached_pid);
		return false;
	}
	at = mmap(NULL, spt_rings_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		  memory->fd, 0);
	if (at == MAP_FAILED) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Cannot map the memory in which process %u reports: %s",
			      memory->attached_pid, g_strerror(errno));
		return false;
	}
	header = memory->rings = at;
	if (header->magic != SPT_RINGS_MAGIC || header->version != SPT_RINGS_VERSION ||
	    header->n_slots != SPT_RINGS_SLOTS || header->ring_words != SPT_RING_WORDS) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "Process %u has libspt-memory.so of another version of this program: start it anew",
			      memory->attached_pid);
		return false;
	}
	/* The last recorder may have been killed. */
	__atomic_store_n(&header->is_over, SPT_RINGS_WAITS, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < SPT_RINGS_SLOTS; i++)
		take_slot(memory, i, &steps);
	__atomic_add_fetch(&header->freed, 1, __ATOMIC_RELAXED);
	spt_memory_sum_unseen(memory, memory->unseen_before);
	return true;
}

void spt_memory_attach_begin(SptMemory *memory)
{
	struct spt_rings_header *header = memory->rings;

	/* Threads that see it see what they are to record. */
	__atomic_store_n(&header->is_over, SPT_RINGS_RECORDS, __ATOMIC_RELEASE);
}

static uint32_t parent_of(uint32_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/status", pid), *text = NULL;
	const char *at;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	at = strstr(text, "\nPPid:\t");
	return at ? (uint32_t)strtoul(at + strlen("\nPPid:\t"), NULL, 10) : 0;
}

/* The file is that of all processes that were forked without exec: the process's parent, too. */
static bool is_wanted(const SptMemory *memory, uint32_t pid)
{
	for (unsigned i = 0; pid && i < MOST_ANCESTORS; i++) {
		if (pid == memory->attached_pid)
			return true;
		pid = parent_of(pid);
	}
	return false;
}

void spt_memory_attach_ring(SptMemory *memory, struct spt_memory_ring *ring, uint64_t inode)
{
	struct spt_image *image = ring->image;

	if (!memory->attached_pid || image->is_looked_at)
		return;
	image->is_looked_at = true;
	image->is_foreign = !spt_namespace_is_own(image->pid, inode);
	image->host_pid = image->is_foreign ? spt_namespace_process(image->pid, inode) : image->pid;
	image->is_ignored = !is_wanted(memory, image->host_pid);
}
